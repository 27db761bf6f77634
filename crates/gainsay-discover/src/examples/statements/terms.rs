//! Expressions in neutral form.

use gainsay_model::example::Term;
use syn::{
    BinOp, Expr, ExprLit, GenericArgument, Lit, Macro, Member, PathArguments, Type, UnOp,
    parse::{ParseStream, Parser as _},
};

/// Deeper expressions are not followed.
const MOST_DEPTH: usize = 24;
/// `[0; 1024]` says no more than a shorter array.
const LONGEST_REPEAT: u64 = 64;

/// What an expression is, as far as it is understood.
pub(super) fn term(expr: &Expr, depth: usize) -> Term {
    if depth > MOST_DEPTH {
        return Term::Unknown;
    }
    let inner = |expr: &Expr| term(expr, depth + 1);
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => literal(lit),
        Expr::Reference(of) => inner(&of.expr),
        Expr::Paren(of) => inner(&of.expr),
        Expr::Group(of) => inner(&of.expr),
        Expr::Try(of) => inner(&of.expr),
        Expr::Cast(of) => inner(&of.expr),
        Expr::Unary(of) => unary(&of.op, inner(&of.expr)),
        Expr::Array(array) => Term::Seq(array.elems.iter().map(inner).collect()),
        Expr::Tuple(tuple) => Term::Tuple(tuple.elems.iter().map(inner).collect()),
        Expr::Repeat(repeat) => repeated(&inner(&repeat.expr), &inner(&repeat.len)),
        Expr::Range(range) => Term::Range {
            from: range.start.as_deref().map(|end| Box::new(inner(end))),
            to: range.end.as_deref().map(|end| Box::new(inner(end))),
        },
        Expr::Closure(_) => Term::Closure,
        Expr::Path(path) => Term::Name(words(&path.path)),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                Term::Call { path: qualified(path), args: call.args.iter().map(inner).collect() }
            }
            _ => Term::Unknown,
        },
        Expr::MethodCall(call) => Term::Method {
            receiver: Box::new(inner(&call.receiver)),
            name: call.method.to_string(),
            of: call.turbofish.as_ref().and_then(|generics| {
                generics.args.iter().find_map(|arg| match arg {
                    GenericArgument::Type(ty) => last_word(ty),
                    _ => None,
                })
            }),
            args: call.args.iter().map(inner).collect(),
        },
        Expr::Index(index) => method(inner(&index.expr), "index", inner(&index.index)),
        Expr::Binary(binary) => match operator(&binary.op) {
            Some(name) => method(inner(&binary.left), name, inner(&binary.right)),
            None => Term::Unknown,
        },
        Expr::Struct(literal) if literal.rest.is_none() => structure(literal, depth),
        Expr::Macro(call) if call.mac.path.is_ident("vec") => listed(&call.mac, depth),
        _ => Term::Unknown,
    }
}

/// `receiver.name(arg)`
pub(super) fn method(receiver: Term, name: &str, arg: Term) -> Term {
    Term::Method { receiver: Box::new(receiver), name: name.into(), of: None, args: vec![arg] }
}

fn literal(lit: &Lit) -> Term {
    match lit {
        Lit::Bool(lit) => Term::Bool(lit.value),
        Lit::Int(lit) if lit.suffix().starts_with('f') => Term::Float(lit.base10_digits().into()),
        Lit::Int(lit) => lit.base10_parse().map_or(Term::Unknown, Term::Int),
        Lit::Float(lit) => Term::Float(lit.base10_digits().to_owned()),
        Lit::Char(lit) => Term::Char(lit.value()),
        Lit::Str(lit) => Term::Str(lit.value()),
        Lit::ByteStr(lit) => Term::Bytes(lit.value()),
        Lit::Byte(lit) => Term::Int(lit.value().into()),
        Lit::CStr(lit) => lit.value().into_string().map_or(Term::Unknown, Term::Str),
        _ => Term::Unknown,
    }
}

fn unary(op: &UnOp, of: Term) -> Term {
    match (op, of) {
        (UnOp::Deref(_), of) => of,
        (UnOp::Neg(_), Term::Int(value)) => value.checked_neg().map_or(Term::Unknown, Term::Int),
        (UnOp::Neg(_), Term::Float(text)) => Term::Float(format!("-{text}")),
        (UnOp::Not(_), Term::Bool(value)) => Term::Bool(!value),
        (UnOp::Neg(_), of) => of.called("neg"),
        (UnOp::Not(_), of) => of.called("not"),
        _ => Term::Unknown,
    }
}

/// A call without further arguments.
trait Called {
    fn called(self, name: &str) -> Term;
}

impl Called for Term {
    fn called(self, name: &str) -> Term {
        let (receiver, name) = (Box::new(self), name.to_owned());
        Term::Method { receiver, name, of: None, args: Vec::new() }
    }
}

fn repeated(item: &Term, len: &Term) -> Term {
    match len {
        Term::Int(len) => {
            let len = u64::try_from(*len).unwrap_or(0).min(LONGEST_REPEAT);
            Term::Seq((0..len).map(|_| item.clone()).collect())
        }
        _ => Term::Unknown,
    }
}

fn structure(literal: &syn::ExprStruct, depth: usize) -> Term {
    let fields = literal.fields.iter().map(|field| {
        let name = match &field.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        (name, term(&field.expr, depth + 1))
    });
    Term::Struct { path: words(&literal.path), fields: fields.collect() }
}

/// `vec![a, b]` or `vec![a; n]`
fn listed(mac: &Macro, depth: usize) -> Term {
    if let Ok(repeat) = syn::parse2::<syn::ExprRepeat>({
        let tokens = mac.tokens.clone();
        let group = proc_macro2::Group::new(proc_macro2::Delimiter::Bracket, tokens);
        proc_macro2::TokenTree::Group(group).into()
    }) {
        let len = term(&repeat.len, depth + 1);
        return repeated(&term(&repeat.expr, depth + 1), &len);
    }
    Term::Seq(arguments(mac).iter().map(|expr| term(expr, depth + 1)).collect())
}

/// The expressions that a macro is given, up to the first that is none.
pub(super) fn arguments(mac: &Macro) -> Vec<Expr> {
    let parse = |input: ParseStream<'_>| {
        let mut found = Vec::new();
        while let Ok(expr) = input.parse::<Expr>() {
            found.push(expr);
            if input.parse::<syn::Token![,]>().is_err() {
                break;
            }
        }
        // What is left is not for us to read.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(found)
    };
    parse.parse2(mac.tokens.clone()).unwrap_or_default()
}

fn words(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// `<Type as Trait>::name` is `Type::name`.
fn qualified(path: &syn::ExprPath) -> Vec<String> {
    let all = words(&path.path);
    match &path.qself {
        Some(of) => last_word(&of.ty).into_iter().chain(all.last().cloned()).collect(),
        None => all,
    }
}

/// The name of a type without its path and its arguments; of `Result<T, E>` and `Option<T>` that
/// of `T`.
pub(super) fn last_word(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(of) => last_word(&of.elem),
        Type::Paren(of) => last_word(&of.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            match &last.arguments {
                PathArguments::AngleBracketed(args) if matches!(&*name, "Result" | "Option") => {
                    args.args.iter().find_map(|arg| match arg {
                        GenericArgument::Type(ty) => last_word(ty),
                        _ => None,
                    })
                }
                _ => Some(name).filter(|name| name != "_"),
            }
        }
        _ => None,
    }
}

/// The method behind a binary operator that a type can define.
pub(super) fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "add",
        BinOp::Sub(_) => "sub",
        BinOp::Mul(_) => "mul",
        BinOp::Div(_) => "div",
        BinOp::Rem(_) => "rem",
        BinOp::BitXor(_) => "bitxor",
        BinOp::BitAnd(_) => "bitand",
        BinOp::BitOr(_) => "bitor",
        BinOp::Shl(_) => "shl",
        BinOp::Shr(_) => "shr",
        BinOp::Eq(_) | BinOp::Ne(_) => "eq",
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Ge(_) | BinOp::Gt(_) => "partial_cmp",
        BinOp::AddAssign(_) => "add_assign",
        BinOp::SubAssign(_) => "sub_assign",
        BinOp::MulAssign(_) => "mul_assign",
        BinOp::DivAssign(_) => "div_assign",
        BinOp::RemAssign(_) => "rem_assign",
        BinOp::BitXorAssign(_) => "bitxor_assign",
        BinOp::BitAndAssign(_) => "bitand_assign",
        BinOp::BitOrAssign(_) => "bitor_assign",
        BinOp::ShlAssign(_) => "shl_assign",
        BinOp::ShrAssign(_) => "shr_assign",
        _ => return None,
    })
}
