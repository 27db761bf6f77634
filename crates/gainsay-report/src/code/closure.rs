//! Closures of the runtime's family as small closures. What a closure of the family answers is
//! drawn at random from a seed in the worker; here yes and no and orderings are the same, and for
//! other types the family's behaviour is kept with simple answers.

use std::cmp::Ordering;

use gainsay_model::ty::{Access, GenericArg, Ty, written_argument};
use gainsay_wire::{Digest, Random, Value, Wire};
use proc_macro2::TokenStream;
use quote::quote;

use super::{
    literal::{Literals, ProbeForm, Suffix},
    tokens,
};

/// The names of arguments, and what is made of them.
type Parts = (Vec<TokenStream>, TokenStream);

/// A closure expression with these argument and result types.
pub(crate) fn write(
    literals: &mut Literals<'_>,
    value: &Value,
    args: &[Ty],
    ret: &Ty,
) -> TokenStream {
    let (mut names, body) = parts(literals, value, args, ret);
    let place = written_argument(args).filter(|_| part(value, 2) > 0);
    let Some(at) = place else { return quote!(|#(#names),*| #body) };
    let written = answer(literals, args[at].referent(), part(value, 2));
    if names[at].to_string() == "_" {
        names[at] = tokens("place");
    }
    let place = &names[at];
    // What it answers follows from what was there before.
    if *ret == Ty::Unit || args[at] == *ret {
        let body = (*ret != Ty::Unit).then_some(body);
        quote!(|#(#names),*| { *#place = #written; #body })
    } else {
        quote!(|#(#names),*| { let answer = #body; *#place = #written; answer })
    }
}

/// Family, seed, and what is written.
fn part(value: &Value, at: usize) -> i128 {
    match value {
        Value::Tuple(items) => items.get(at).and_then(Value::as_int).unwrap_or(0),
        _ => 0,
    }
}

fn parts(literals: &mut Literals<'_>, value: &Value, args: &[Ty], ret: &Ty) -> Parts {
    let part = |at: usize| part(value, at);
    let seed = part(1);
    let constant = answer(literals, ret, seed);
    let key = match args {
        [arg] => looks_at(arg, literals.probe),
        _ => None,
    };
    if let (true, Some(key)) = (*ret == Ty::prim("bool"), &key) {
        let look = match args[0].referent() {
            Ty::Probe => Value::Elem,
            _ => |number: i64| Value::Int(i128::from(number)),
        };
        if let Some(truth) = truth(part(0), seed, key, look) {
            return truth;
        }
    }
    match (part(0), key) {
        (1 | 2, Some(key)) => {
            let (other, threshold) = (answer(literals, ret, seed + 1), tokens(&seed.to_string()));
            (vec![quote!(x)], quote!(if #key < #threshold { #constant } else { #other }))
        }
        (4, _) if args.len() == 1 && args[0] == *ret => (vec![quote!(x)], quote!(x)),
        _ => {
            // A borrowed result can only come from an argument.
            let source = args.iter().position(|arg| arg == ret && arg.is_borrowed());
            let names = (0..args.len()).map(|i| tokens(if Some(i) == source { "x" } else { "_" }));
            let answer = if source.is_some() { quote!(x) } else { constant };
            (names.collect(), answer)
        }
    }
}

/// A closure that answers yes or no about one number, as it does in the worker.
fn truth(family: i128, seed: i128, key: &TokenStream, look: fn(i64) -> Value) -> Option<Parts> {
    let of_it = |body| (vec![quote!(x)], body);
    let of_nothing = |body| (vec![quote!(_)], body);
    let answers = |mixed: u64| drawn(seed, mixed).one_in(2);
    match family {
        1 => {
            // Keys are small; what is seen of them is mixed as the worker does it.
            let mixed = |key: i64| {
                let mut bytes = Vec::new();
                look(key).write_to(&mut bytes);
                Digest::of_bytes(&bytes)
            };
            let yes = (0..KEYS).filter(|key| answers(mixed(*key)));
            let yes: Vec<_> = yes.map(proc_macro2::Literal::i64_unsuffixed).collect();
            Some(if yes.is_empty() {
                of_nothing(quote!(false))
            } else {
                of_it(quote!(matches!(#key, #(#yes)|*)))
            })
        }
        2 => {
            let threshold = tokens(&seed.to_string());
            Some(match (answers(1), answers(0)) {
                (true, false) => of_it(quote!(#key < #threshold)),
                (false, true) => of_it(quote!(#key >= #threshold)),
                (same, _) => of_nothing(quote!(#same)),
            })
        }
        _ => None,
    }
}

/// The keys of elements that a hashing closure is written out for.
const KEYS: i64 = 8;

/// The worker's choices for an answer.
fn drawn(seed: i128, mixed: u64) -> Random {
    let seed = u64::try_from(seed).unwrap_or(0);
    Random::new(seed ^ mixed.wrapping_mul(0x9e37_79b9))
}

/// What a closure gives away: objects with their types.
pub(crate) struct Given<'a> {
    pub(crate) objects: &'a [(Ty, TokenStream)],
    /// Whether the closure is called once and may part with them.
    pub(crate) is_once: bool,
}

/// A closure whose result holds objects.
pub(crate) fn write_giving(
    literals: &mut Literals<'_>,
    value: &Value,
    args: &[Ty],
    ret: &Ty,
    given: &Given<'_>,
) -> TokenStream {
    if given.objects.is_empty() {
        return write(literals, value, args, ret);
    }
    let names = args.iter().map(|_| tokens("_"));
    let result = holding(literals, ret, given);
    quote!(move |#(#names),*| #result)
}

/// A value of type `ty` with the objects at their places.
fn holding(literals: &mut Literals<'_>, ty: &Ty, given: &Given<'_>) -> TokenStream {
    if let Some((_, object)) = given.objects.iter().find(|(known, _)| known == ty) {
        return if given.is_once { object.clone() } else { quote!(#object.clone()) };
    }
    match ty {
        Ty::Tuple(items) => {
            let items = items.iter().map(|item| holding(literals, item, given));
            let items: Vec<_> = items.collect();
            quote!((#(#items,)*))
        }
        Ty::Path { path, args } => {
            let inner = args.iter().find_map(|arg| match arg {
                GenericArg::Type(ty) => Some(ty),
                _ => None,
            });
            match (path.as_str(), inner) {
                ("std::option::Option", Some(inner)) => {
                    let inner = holding(literals, inner, given);
                    quote!(Some(#inner))
                }
                ("std::result::Result", Some(inner)) => {
                    let inner = holding(literals, inner, given);
                    quote!(Ok(#inner))
                }
                _ => answer(literals, ty, 0),
            }
        }
        _ => answer(literals, ty, 0),
    }
}

/// An integer expression about the argument `x`, if there is a simple one.
fn looks_at(ty: &Ty, probe: ProbeForm) -> Option<TokenStream> {
    let (mut depth, mut ty) = (0, ty);
    while let Ty::Ref { access: Access::Shared | Access::Exclusive, to } = ty {
        (depth, ty) = (depth + 1, to);
    }
    match ty {
        Ty::Probe if probe == ProbeForm::New => Some(quote!(x.key())),
        Ty::Probe if probe == ProbeForm::Integer => {
            let stars = tokens(&"*".repeat(depth));
            Some(quote!(#stars x))
        }
        Ty::Probe => Some(quote!(x.0)),
        Ty::Prim(name) if name.starts_with(['i', 'u']) => {
            let stars = tokens(&"*".repeat(depth));
            Some(quote!(#stars x))
        }
        _ => None,
    }
}

/// A simple value of a type, another one for each of a few seeds.
fn answer(literals: &mut Literals<'_>, ty: &Ty, seed: i128) -> TokenStream {
    let value = match ty {
        Ty::Unit => Value::Unit,
        Ty::Probe => Value::Elem(i64::try_from(seed).unwrap_or(0)),
        Ty::Prim(name) if name == "bool" => Value::Bool(drawn(seed, 0).one_in(2)),
        Ty::Prim(name) if name == "char" => Value::Char('a'),
        Ty::Prim(name) if name.starts_with('f') => Value::Float(0.5),
        Ty::Prim(_) => Value::Int(seed),
        Ty::Path { path, .. } if path == "std::cmp::Ordering" => {
            let all = [Ordering::Less, Ordering::Equal, Ordering::Greater];
            Value::Order(all[drawn(seed, 0).below(3)])
        }
        Ty::Tuple(items) => {
            let items = items.iter().map(|item| answer(literals, item, seed));
            let items: Vec<_> = items.collect();
            return quote!((#(#items,)*));
        }
        Ty::Path { path, args } if path == "std::result::Result" => {
            return success(literals, args, seed);
        }
        _ => return quote!(Default::default()),
    };
    let suffix = Suffix::Left;
    let Literals { imports, probe, lets, .. } = literals;
    Literals { imports, probe: *probe, suffix, lets }.write(&value, ty)
}

/// An `Ok`, which says what the error would be: nothing else may tell.
fn success(literals: &mut Literals<'_>, args: &[GenericArg], seed: i128) -> TokenStream {
    let [GenericArg::Type(ok), GenericArg::Type(err)] = args else {
        return quote!(Default::default());
    };
    let inside = answer(literals, ok, seed);
    let err = match err {
        Ty::Opaque => quote!(()),
        known => literals.imports.ty(known),
    };
    quote!(Ok::<_, #err>(#inside))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{lets::Lets, types::Imports},
        *,
    };

    fn check([family, seed]: [i128; 2], args: &[Ty], ret: &Ty, expected: &str) {
        check_writing([family, seed, 0], args, ret, expected);
    }

    fn check_writing(literal: [i128; 3], args: &[Ty], ret: &Ty, expected: &str) {
        let mut imports = Imports::default();
        let (probe, suffix) = (ProbeForm::Tuple, Suffix::Left);
        let lets = &mut Lets::default();
        let mut literals = Literals { imports: &mut imports, probe, suffix, lets };
        let value = Value::Tuple(literal.map(Value::Int).to_vec());
        let written = write(&mut literals, &value, args, ret);
        // `||` and `| |` are different tokens and the same closure.
        let squeeze = |text: &str| text.replace(' ', "");
        assert_eq!(squeeze(&written.to_string()), squeeze(expected));
    }

    #[test]
    fn each_family_has_its_form() {
        let (bool, probe) = (Ty::prim("bool"), Ty::Probe.shared());
        check([2, 4], std::slice::from_ref(&probe), &bool, "|x| x.0 < 4");
        check([2, 4], &[Ty::prim("u8").shared().exclusive()], &bool, "|x| **x < 4");
        check([2, 3], std::slice::from_ref(&probe), &bool, "|_| false");
        check([4, 0], &[Ty::Probe], &Ty::Probe, "|x| x");
        check([0, 2], &[], &Ty::Probe, "|| Probe(2)");
        let result = |err| Ty::Path {
            path: "std::result::Result".into(),
            args: vec![GenericArg::Type(Ty::Probe), GenericArg::Type(err)],
        };
        check([0, 2], &[], &result(Ty::Opaque), "|| Ok::<_, ()>(Probe(2))");
        check([0, 2], &[], &result(Ty::prim("u8")), "|| Ok::<_, u8>(Probe(2))");
        check([1, 2], &[Ty::prim("i32")], &Ty::prim("i32"), "|x| if x < 2 { 2 } else { 3 }");
        check([3, 0], &[probe.clone(), Ty::prim("u8")], &probe, "|x, _| x");
        check([0, 2], &[], &Ty::named("std::cmp::Ordering"), "|| Ordering::Greater");
    }

    #[test]
    fn what_a_closure_is_lent_alone_it_may_write_to() {
        let (bool, lent) = (Ty::prim("bool"), Ty::Probe.exclusive());
        let one = std::slice::from_ref(&lent);
        let form = "|x| { let answer = x.0 < 4; *x = Probe(5); answer }";
        check_writing([2, 4, 5], one, &bool, form);
        check_writing([0, 0, 5], one, &Ty::Unit, "|place| { *place = Probe(5); }");
        check_writing([4, 0, 5], one, &lent, "|x| { *x = Probe(5); x }");
        let form = "|_, place| { let answer = false; *place = 7; answer }";
        check_writing([0, 3, 7], &[Ty::Probe, Ty::prim("u8").exclusive()], &bool, form);
        check_writing([0, 3, 7], &[lent.clone(), lent.clone()], &bool, "|_, _| false");
    }

    /// The worker's closures give the same answers; there is the same list in its tests.
    #[test]
    fn yes_and_no_are_what_the_worker_answered() {
        let (bool, probe) = (Ty::prim("bool"), [Ty::Probe.shared()]);
        let yes = [true, false, false, false, false, false, false, false];
        for (seed, yes) in (0..).zip(yes) {
            check([0, seed], &probe, &bool, &format!("|_| {yes}"));
        }
        check([1, 3], &probe, &bool, "|x| matches!(x.0, 1 | 4 | 7)");
    }
}
