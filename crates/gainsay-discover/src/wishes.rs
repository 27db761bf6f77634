//! Functions that give whatever type is asked for: `downcast::<E>()`. What they were asked for
//! decides what they do, so they are asked for more than one thing.

use std::{cmp::Reverse, collections::BTreeMap};

use gainsay_model::{
    api::Operation,
    ty::{GenericArg, Ty},
};
use rustdoc_types::{Function, GenericParamDef, GenericParamDefKind, Type};

use crate::{
    capabilities::predicates,
    concrete::Level,
    lower::{Concrete, Env},
};

/// So many types are asked for.
const MOST_WISHES: usize = 3;

/// Types that functions of the subject take where they take anything.
#[derive(Default)]
pub(crate) struct Given {
    times: BTreeMap<Ty, usize>,
}

impl Given {
    /// Notes what an operation takes.
    pub(crate) fn note(&mut self, function: &Function, operation: &Operation) {
        let own = |ty: &Type| {
            function.generics.params.iter().any(|param| *ty == Type::Generic(param.name.clone()))
        };
        for ((_, ty), param) in function.sig.inputs.iter().zip(&operation.params) {
            if own(ty) && is_simple(&param.ty) {
                *self.times.entry(param.ty.clone()).or_default() += 1;
            }
        }
    }

    /// The types, the most frequent first.
    fn types(&self) -> Vec<&Ty> {
        let mut all: Vec<(&Ty, &usize)> = self.times.iter().collect();
        all.sort_by_key(|(_, times)| Reverse(**times));
        all.into_iter().map(|(ty, _)| ty).collect()
    }
}

/// Whether a type has no parts.
fn is_simple(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) | Ty::Probe => true,
        Ty::Path { args, .. } => args.is_empty(),
        _ => false,
    }
}

/// The one type parameter of a function that nothing but the caller's wish decides.
pub(crate) fn wish(function: &Function) -> Option<&GenericParamDef> {
    let inputs = format!("{:?}", function.sig.inputs);
    let predicates = predicates(&function.generics);
    let mut free = function.generics.params.iter().filter(|param| {
        let own = Type::Generic(param.name.clone());
        let text = format!("{own:?}");
        let is_bound = |bound: &rustdoc_types::GenericBound| format!("{bound:?}").contains(&text);
        matches!(param.kind, GenericParamDefKind::Type { is_synthetic: false, .. })
            && !inputs.contains(&text)
            && !predicates.iter().any(|p| p.subject != own && p.bounds.iter().any(is_bound))
    });
    free.next().filter(|_| free.next().is_none())
}

impl Concrete<'_> {
    /// Assignments beside the first one, in which something else is asked for.
    pub(crate) fn other_wishes(
        &self,
        function: &Function,
        outer: &Env,
        first: &Env,
        given: &Given,
    ) -> Vec<Env> {
        let Some(param) = wish(function) else { return Vec::new() };
        let mut asked: Vec<&GenericArg> = first.get(&param.name).into_iter().collect();
        let all: Vec<GenericArg> = [&Ty::Probe]
            .into_iter()
            .chain(given.types())
            .map(|ty| GenericArg::Type(ty.clone()))
            .collect();
        let mut found = Vec::new();
        for value in &all {
            if asked.len() >= MOST_WISHES || asked.contains(&value) {
                continue;
            }
            let mut env = outer.clone();
            env.insert(param.name.clone(), value.clone());
            let sig = Some(&function.sig);
            if let Ok(env) = self.solve(&function.generics, &env, Level::Argument, sig) {
                asked.push(value);
                found.push(env);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rustdoc_types::{FunctionHeader, FunctionSignature, Generics};

    use super::*;

    /// A function with these type parameters, each with the text of what bounds it, and inputs.
    fn function(params: &[&str], bounds: &[(&str, &str)], inputs: &[&str]) -> Function {
        let generic = |name: &&str| Type::Generic((*name).into());
        let clause = |(subject, arg): &(&str, &str)| {
            let args = rustdoc_types::GenericArgs::AngleBracketed {
                args: vec![rustdoc_types::GenericArg::Type(generic(arg))],
                constraints: Vec::new(),
            };
            rustdoc_types::WherePredicate::BoundPredicate {
                type_: generic(subject),
                bounds: vec![rustdoc_types::GenericBound::TraitBound {
                    trait_: rustdoc_types::Path {
                        path: "Of".into(),
                        id: rustdoc_types::Id(1),
                        args: Some(Box::new(args)),
                    },
                    generic_params: Vec::new(),
                    modifier: rustdoc_types::TraitBoundModifier::None,
                }],
                generic_params: Vec::new(),
            }
        };
        let param = |name: &&str| GenericParamDef {
            name: (*name).into(),
            kind: GenericParamDefKind::Type {
                bounds: Vec::new(),
                default: None,
                is_synthetic: false,
            },
        };
        Function {
            sig: FunctionSignature {
                inputs: inputs.iter().map(|name| ("it".to_owned(), generic(name))).collect(),
                output: None,
                is_c_variadic: false,
            },
            generics: Generics {
                params: params.iter().map(param).collect(),
                where_predicates: bounds.iter().map(clause).collect(),
            },
            header: FunctionHeader {
                is_const: false,
                is_unsafe: false,
                is_async: false,
                abi: rustdoc_types::Abi::Rust,
            },
            has_body: true,
        }
    }

    #[test]
    fn a_wish_is_what_no_argument_decides() {
        let check = |function: Function, expected: Option<&str>| {
            assert_eq!(wish(&function).map(|param| param.name.as_str()), expected);
        };
        check(function(&["E"], &[], &["Self"]), Some("E"));
        check(function(&["E"], &[], &["E"]), None);
        check(function(&["I", "T"], &[("I", "T")], &["I"]), None);
        check(function(&["T", "I"], &[("T", "I")], &["I"]), Some("T"));
        check(function(&["A", "B"], &[], &[]), None);
        check(function(&[], &[], &["Self"]), None);
    }
}
