//! Names for the objects of a sequence, after their types, with numbers only when needed.

use std::collections::BTreeMap;

use gainsay_model::{
    spelling::Passing,
    ty::{Access, Ty},
};
use gainsay_wire::{Arg, ObjRef, Sequence};
use proc_macro2::Ident;

use super::{Book, ident};

/// A variable that holds an object.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: Ident,
    /// The object's type.
    pub(crate) ty: Ty,
    /// Whether a call takes it by exclusive reference.
    pub(crate) is_mut: bool,
    /// Whether a call takes it by value.
    pub(crate) is_moved: bool,
}

/// The objects that later steps use, and those in `kept`, with their names.
pub(crate) fn variables(
    sequence: &Sequence,
    book: Book<'_>,
    kept: &[ObjRef],
) -> BTreeMap<ObjRef, Variable> {
    let mut used: BTreeMap<ObjRef, Vec<Passing>> =
        kept.iter().map(|object| (*object, Vec::new())).collect();
    for step in &sequence.steps {
        for (i, arg) in step.args.iter().enumerate() {
            let Arg::Object(object) = arg else { continue };
            let operand = book.operand(step.op, i);
            let passing = operand.map_or(Passing::Shared, |operand| operand.passing.clone());
            used.entry(*object).or_default().push(passing);
        }
    }
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for (object, passings) in used {
        let Some(ty) = object_type(sequence, book, object) else { continue };
        let base = base_name(&ty);
        let count = taken.entry(base.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { base } else { format!("{base}{count}") };
        let is = |wanted: Passing| passings.contains(&wanted);
        // What is behind a reference can be changed although the variable cannot.
        let is_box = !matches!(ty, Ty::Ref { .. });
        let is_copied = matches!(ty, Ty::Ref { access: Access::Shared, .. });
        let variable = Variable {
            name: ident(&name),
            is_mut: is(Passing::Exclusive) || is(Passing::ExclusiveThrough) && is_box,
            is_moved: !is_copied && (is(Passing::Owned) || is(Passing::OptionalOwned)),
            ty,
        };
        named.insert(object, variable);
    }
    named
}

fn object_type(sequence: &Sequence, book: Book<'_>, object: ObjRef) -> Option<Ty> {
    let step = sequence.steps.get(object.step as usize)?;
    Some(book.spelling(step.op)?.makes.get(object.out as usize)?.ty.clone())
}

/// The last word of a type's name: `BoundedStack` gives `stack`.
pub(super) fn base_name(ty: &Ty) -> String {
    let name = match ty.referent() {
        Ty::Path { path, .. } => path.rsplit("::").next().unwrap_or(path),
        _ => "value",
    };
    let snake = snake_case(name);
    let word = snake.rsplit('_').next().unwrap_or(&snake);
    let is_word = word.starts_with(|c: char| c.is_ascii_lowercase());
    if is_word && syn::parse_str::<Ident>(word).is_ok() && !RESERVED.contains(&word) {
        return word.to_owned();
    }
    if syn::parse_str::<Ident>(&snake).is_ok() && !RESERVED.contains(&&*snake) {
        return snake;
    }
    format!("{snake}_value")
}

/// Names that the surroundings of a witness use themselves.
const RESERVED: &[&str] = &["result", "drop", "hash", "done", "outcome"];

/// `BoundedStack` as `bounded_stack`; what is no letter or digit parts words too.
pub(crate) fn snake_case(text: &str) -> String {
    let mut snake = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !snake.ends_with('_') && !snake.is_empty() {
                snake.push('_');
            }
            continue;
        }
        let after_lower = i > 0 && (chars[i - 1].is_lowercase() || chars[i - 1].is_ascii_digit());
        let ends_acronym = i > 0
            && chars[i - 1].is_uppercase()
            && chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || ends_acronym) && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_called_by_the_last_word_of_its_type() {
        let check = |path: &str, expected: &str| {
            assert_eq!(base_name(&Ty::named(path)), expected, "{path}");
        };
        check("a::BoundedStack", "stack");
        check("SmallVec", "vec");
        check("a::HTTPServer", "server");
        check("Utf8", "utf8");
        check("a::Type", "type_value");
        check("a::MyType", "my_type");
        check("BTree2", "tree2");
        check("a::Hash", "hash_value");
    }

    #[test]
    fn paths_become_one_snake_case_word() {
        assert_eq!(snake_case("SmallVec as Extend::extend"), "small_vec_as_extend_extend");
        assert_eq!(snake_case("parse"), "parse");
    }
}
