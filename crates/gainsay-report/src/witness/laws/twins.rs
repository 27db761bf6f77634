//! `name_mut` shows what `name` does, for every argument: the arguments are made of what the calls
//! were given.

use gainsay_model::{api::Callee, spelling::Spelling, ty::Ty};
use gainsay_wire::{Arg, LawId, ObjRef, Sequence, Value};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::code::{Book, Code, Lets, Literals, ProbeForm, Suffix, ident};

/// Arguments that are written.
const MOST_ARGUMENTS: usize = 12;
/// So long are beginnings of texts.
const LONGEST_BEGINNING: usize = 3;

/// The law as an assertion, if it is one of twins that take an argument.
pub(in super::super) fn assertion(
    law: &LawId,
    (sequence, objects): (&Sequence, &[ObjRef]),
    book: Book<'_>,
    (code, probe): (&mut Code, ProbeForm),
) -> Option<TokenStream> {
    let LawId::MutAgreesWith { shared } = law else { return None };
    let mutable = format!("{shared}_mut");
    let living = objects.iter().filter_map(|object| code.variables.get(object));
    let variable = living.clone().find(|variable| !variable.is_moved)?;
    let is_meant = |spelling: &&Spelling| match &spelling.callee {
        Callee::Inherent { ty, name, .. } => *name == mutable && *ty == variable.ty,
        _ => false,
    };
    let [_, param] = &book.0.iter().find(is_meant)?.params[..] else { return None };
    let x = variable.name.clone();
    let (imports, suffix) = (&mut code.imports, Suffix::Left);
    let mut literals = Literals { imports, probe, suffix, lets: &mut Lets::default() };
    let arguments: Vec<TokenStream> = arguments(sequence, &param.ty)
        .iter()
        .map(|argument| literals.write(argument, &param.ty))
        .collect();
    if arguments.is_empty() {
        return None;
    }
    let (mutable, shared) = (ident(&mutable), ident(shared));
    let (ty, count) = (code.imports.ty(&param.ty), Literal::usize_unsuffixed(arguments.len()));
    Some(quote! {
        let arguments: [#ty; #count] = [#(#arguments),*];
        for argument in arguments {
            assert_eq!(shown(#x.clone().#mutable(argument.clone())), shown(#x.#shared(argument)));
        }
    })
}

/// Values of the type in the calls, beginnings of texts and lists, small numbers.
fn arguments(sequence: &Sequence, ty: &Ty) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let given = sequence.steps.iter().flat_map(|step| &step.args);
    for arg in given {
        if let Arg::Plain(value) = arg {
            collect(value, &mut found);
        }
    }
    found.extend((0..3).map(Value::Int));
    let mut fitting: Vec<Value> = Vec::new();
    for value in found {
        if fits(&value, ty) && !fitting.contains(&value) {
            fitting.push(value);
        }
    }
    fitting.truncate(MOST_ARGUMENTS);
    fitting
}

fn collect(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Str(text) => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let ends = ends.take(LONGEST_BEGINNING + 1);
            found.extend(ends.map(|end| Value::Str(text[..end].to_owned())));
            found.push(value.clone());
        }
        Value::Seq(items) | Value::Tuple(items) => {
            let ends = (0..items.len()).take(LONGEST_BEGINNING + 1);
            found.extend(ends.map(|end| Value::Seq(items[..end].to_vec())));
            found.push(value.clone());
            for item in items {
                collect(item, found);
            }
        }
        Value::Opt(Some(inner)) | Value::Res(_, inner) => collect(inner, found),
        _ => found.push(value.clone()),
    }
}

fn fits(value: &Value, ty: &Ty) -> bool {
    match (value, ty) {
        (_, Ty::Ref { to, .. }) => fits(value, to),
        (Value::Str(_), Ty::Str) | (Value::Elem(_), Ty::Probe) => true,
        (Value::Str(_), Ty::Path { path, .. }) => path == "std::string::String",
        (Value::Seq(items), Ty::Slice(item)) => items.iter().all(|value| fits(value, item)),
        (Value::Int(_), Ty::Prim(name)) => name.starts_with(['i', 'u']),
        _ => false,
    }
}
