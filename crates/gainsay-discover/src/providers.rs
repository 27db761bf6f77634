//! Values that the user provides: the functions of a Rust file become operations that make values.
//!
//! The file is compiled as a crate of its own, so its types are known by their written paths only.

use std::collections::BTreeMap;

use gainsay_model::{
    api::{Callee, Lending, OpKind, Operation, Param, Providers},
    ty::{Access, GenericArg, Ty},
};
use gainsay_wire::{CallableId, Owner};
use syn::{
    FnArg, Item, ItemFn, Pat, ReturnType, Type, UseTree, Visibility, punctuated::Punctuated,
    spanned::Spanned as _, token::Comma,
};

/// What is wrong with a provider, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// The operations of a file. `known` are the public paths of the subject's types.
pub(crate) fn operations<'a>(
    providers: &Providers,
    lib_name: &str,
    known: impl Iterator<Item = &'a String>,
) -> Result<Vec<Operation>, Complaint> {
    let file = syn::parse_file(&providers.text)
        .map_err(|error| complaint(error.span(), error.to_string()))?;
    let mut scope = Scope { names: prelude(), lib_name, known: known.collect() };
    for item in &file.items {
        scope.learn(item);
    }
    let functions = file.items.iter().filter_map(|item| match item {
        Item::Fn(function) if matches!(function.vis, Visibility::Public(_)) => Some(function),
        _ => None,
    });
    let found: Vec<Operation> =
        functions.map(|function| scope.operation(function)).collect::<Result<_, _>>()?;
    if found.is_empty() {
        return Err(Complaint { line: 1, what: "the file has no `pub fn`".into() });
    }
    Ok(found)
}

fn complaint(span: proc_macro2::Span, what: impl Into<String>) -> Complaint {
    Complaint { line: span.start().line, what: what.into() }
}

/// Types that need no import.
const PRELUDE: &[(&str, &str)] = &[
    ("String", "std::string::String"),
    ("Vec", "std::vec::Vec"),
    ("Option", "std::option::Option"),
    ("Result", "std::result::Result"),
    ("Box", "std::boxed::Box"),
];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64",
];

fn prelude() -> BTreeMap<String, String> {
    PRELUDE.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect()
}

/// What names mean at the top of the file.
struct Scope<'a> {
    names: BTreeMap<String, String>,
    lib_name: &'a str,
    known: Vec<&'a String>,
}

impl Scope<'_> {
    /// Notes imports and the file's own types.
    fn learn(&mut self, item: &Item) {
        let own = |ident: &syn::Ident| {
            (ident.to_string(), format!("{}::{ident}", gainsay_model::api::PROVIDERS_CRATE))
        };
        match item {
            Item::Use(item) => self.import(String::new(), &item.tree),
            Item::Struct(item) => self.names.extend([own(&item.ident)]),
            Item::Enum(item) => self.names.extend([own(&item.ident)]),
            Item::Type(item) => self.names.extend([own(&item.ident)]),
            _ => {}
        }
    }

    fn import(&mut self, before: String, tree: &UseTree) {
        let below = |name: &syn::Ident| match before.as_str() {
            "" => name.to_string(),
            before => format!("{before}::{name}"),
        };
        match tree {
            UseTree::Path(path) => self.import(below(&path.ident), &path.tree),
            UseTree::Name(name) if name.ident == "self" => {
                let last = before.rsplit("::").next().unwrap_or_default().to_owned();
                self.names.insert(last, before);
            }
            UseTree::Name(name) => {
                self.names.insert(name.ident.to_string(), below(&name.ident));
            }
            UseTree::Rename(name) => {
                self.names.insert(name.rename.to_string(), below(&name.ident));
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(before.clone(), tree);
                }
            }
            UseTree::Glob(_) => {}
        }
    }

    fn operation(&self, function: &ItemFn) -> Result<Operation, Complaint> {
        let name = function.sig.ident.to_string();
        let refuse = |what: &str| Err(complaint(function.sig.span(), format!("`{name}` {what}")));
        if !function.sig.generics.params.is_empty() {
            return refuse("has type or lifetime parameters");
        }
        if function.sig.asyncness.is_some() || function.sig.unsafety.is_some() {
            return refuse("is async or unsafe");
        }
        let ReturnType::Type(_, result) = &function.sig.output else {
            return refuse("returns nothing");
        };
        let inputs = function.sig.inputs.iter().enumerate();
        let params = inputs.map(|(i, input)| self.param(&name, i, input));
        Ok(Operation {
            path: format!("providers::{name}"),
            callable: CallableId {
                owner: Owner::Module(gainsay_model::api::PROVIDERS_CRATE.to_owned()),
                in_trait: None,
                name: name.clone(),
            },
            params: params.collect::<Result<_, _>>()?,
            result: self.ty(&name, result)?,
            callee: Callee::Function {
                path: format!("{}::{name}", gainsay_model::api::PROVIDERS_CRATE),
                generics: Vec::new(),
            },
            kind: OpKind::Origin,
            lending: Lending::Inherited,
            counted: false,
            documented_panics: None,
            conditions: Vec::new(),
            ways: Vec::new(),
            written: Vec::new(),
            span: None,
        })
    }

    fn param(&self, function: &str, i: usize, input: &FnArg) -> Result<Param, Complaint> {
        let FnArg::Typed(input) = input else {
            return Err(complaint(input.span(), format!("`{function}` takes `self`")));
        };
        let name = match &*input.pat {
            Pat::Ident(name) => name.ident.to_string(),
            _ => format!("arg{i}"),
        };
        Ok(Param { name, ty: self.ty(function, &input.ty)? })
    }

    fn ty(&self, function: &str, ty: &Type) -> Result<Ty, Complaint> {
        let refuse = |what: String| Err(complaint(ty.span(), format!("`{function}`: {what}")));
        match ty {
            Type::Paren(inner) => self.ty(function, &inner.elem),
            Type::Group(inner) => self.ty(function, &inner.elem),
            Type::Tuple(items) if items.elems.is_empty() => Ok(Ty::Unit),
            Type::Tuple(items) => {
                let items = items.elems.iter().map(|item| self.ty(function, item));
                Ok(Ty::Tuple(items.collect::<Result<_, _>>()?))
            }
            Type::Slice(slice) => Ok(Ty::Slice(Box::new(self.ty(function, &slice.elem)?))),
            Type::Array(array) => match length(&array.len) {
                Some(length) => Ok(Ty::Array(Box::new(self.ty(function, &array.elem)?), length)),
                None => refuse("the length of an array is to be a number".into()),
            },
            Type::Reference(reference) => {
                let access = match reference.mutability {
                    Some(_) => Access::Exclusive,
                    None => Access::Shared,
                };
                Ok(Ty::Ref { access, to: Box::new(self.ty(function, &reference.elem)?) })
            }
            Type::Path(path) if path.qself.is_none() => self.named(function, &path.path),
            _ => refuse("a type of this form is not supported in a provider".into()),
        }
    }

    fn named(&self, function: &str, path: &syn::Path) -> Result<Ty, Complaint> {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [name] = names.as_slice() {
            match name.as_str() {
                "str" => return Ok(Ty::Str),
                name if PRIMITIVES.contains(&name) => return Ok(Ty::prim(name)),
                _ => {}
            }
        }
        let Some(full) = self.full(&names, path.leading_colon.is_some()) else {
            let what = format!("`{function}`: `{}` is not known here", names.join("::"));
            return Err(complaint(path.span(), what));
        };
        let args = match path.segments.last().map(|segment| &segment.arguments) {
            Some(syn::PathArguments::AngleBracketed(args)) => self.args(function, &args.args)?,
            _ => Vec::new(),
        };
        Ok(Ty::Path { path: full, args })
    }

    fn args(
        &self,
        function: &str,
        args: &Punctuated<syn::GenericArgument, Comma>,
    ) -> Result<Vec<GenericArg>, Complaint> {
        let one = |arg: &syn::GenericArgument| match arg {
            syn::GenericArgument::Lifetime(_) => Ok(GenericArg::Lifetime),
            syn::GenericArgument::Type(ty) => Ok(GenericArg::Type(self.ty(function, ty)?)),
            syn::GenericArgument::Const(syn::Expr::Lit(literal)) => match &literal.lit {
                syn::Lit::Int(number) => Ok(GenericArg::Const(number.base10_digits().to_owned())),
                _ => Err(complaint(arg.span(), format!("`{function}`: a constant is no number"))),
            },
            _ => Err(complaint(arg.span(), format!("`{function}`: an argument is not supported"))),
        };
        args.iter().map(one).collect()
    }

    /// The path that discovery uses for what is written; `None` when a name comes from nowhere.
    fn full(&self, names: &[String], is_absolute: bool) -> Option<String> {
        let written = match (names, self.names.get(&names[0])) {
            (_, Some(start)) if !is_absolute => {
                [std::slice::from_ref(start), &names[1..]].concat().join("::")
            }
            ([_], _) => return None,
            _ => names.join("::"),
        };
        let written = match written.split_once("::") {
            Some(("core" | "alloc", rest)) => format!("std::{rest}"),
            _ => written,
        };
        if !written.starts_with(&format!("{}::", self.lib_name)) || self.is_known(&written) {
            return Some(written);
        }
        // Another public path of a type: it goes by one of them.
        let last = written.rsplit("::").next()?;
        let fits = |path: &&&String| path.rsplit("::").next() == Some(last);
        let mut fitting = self.known.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(path), None) => Some((**path).clone()),
            _ => None,
        }
    }

    fn is_known(&self, path: &str) -> bool {
        self.known.iter().any(|known| known.as_str() == path)
    }
}

fn length(expr: &syn::Expr) -> Option<u64> {
    match expr {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Operation>, Complaint> {
        let known = ["stacks::Stack".to_owned(), "stacks::deep::Node".to_owned()];
        let providers = Providers { path: "providers.rs".into(), text: text.into() };
        operations(&providers, "stacks", known.iter())
    }

    fn shown(text: &str) -> Vec<String> {
        let show = |op: &Operation| {
            let params: Vec<String> =
                op.params.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
            format!("{}({}) -> {}", op.path, params.join(", "), op.result)
        };
        read(text).unwrap().iter().map(show).collect()
    }

    #[test]
    fn public_functions_become_operations_that_are_not_counted() {
        let text = "use stacks::{deep::Node as N, Stack};\n\
            pub struct Mine(u8);\n\
            fn private() {}\n\
            pub fn stack(seed: u64, names: Vec<&str>) -> Option<Stack<u8>> { None }\n\
            pub fn node(bytes: [u8; 4]) -> Result<N, String> { todo() }\n\
            pub fn mine() -> (Mine, stacks::Node) { todo() }\n";
        assert_eq!(
            shown(text),
            [
                "providers::stack(seed: u64, names: Vec<&str>) -> Option<stacks::Stack<u8>>",
                "providers::node(bytes: [u8; 4]) -> Result<stacks::deep::Node, String>",
                "providers::mine() -> (gainsay_providers::Mine, stacks::deep::Node)",
            ]
        );
        assert!(read(text).unwrap().iter().all(|op| !op.counted && op.kind == OpKind::Origin));
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_line() {
        let check = |text: &str, line: usize, words: &str| {
            let complaint = read(text).unwrap_err();
            assert_eq!(complaint.line, line, "{text}: {complaint:?}");
            assert!(complaint.what.contains(words), "{text}: {complaint:?}");
        };
        check("fn f() {}\n", 1, "no `pub fn`");
        check("pub fn f( -> u8 {}\n", 1, "");
        check("\npub fn f() {}\n", 2, "`f` returns nothing");
        check("pub fn f<T>(x: T) -> u8 { 1 }\n", 1, "type or lifetime parameters");
        check("pub fn f(x: impl Fn()) -> u8 { 1 }\n", 1, "not supported");
        check("pub fn f(x: Stack) -> u8 { 1 }\n", 1, "`Stack` is not known here");
        check("pub fn f() -> stacks::Other { g() }\n", 1, "`stacks::Other` is not known here");
        check("pub async fn f() -> u8 { 1 }\n", 1, "async");
    }
}
