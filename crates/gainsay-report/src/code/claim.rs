//! A contract as a Rust expression of type `bool`, for an assertion in a test.
//!
//! Terms are given by the caller: sequences as `Vec`s, everything else as it is. What has no method
//! in Rust calls a small function, which comes with the expression. Where a contract would be
//! undefined the expression panics; conditions guard it there as in the contract.

use std::collections::BTreeSet;

use gainsay_wire::{Binder, Expr, Function, Term, Value};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// An expression with the functions that it calls.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The expression.
    pub expr: TokenStream,
    /// Functions that must stand beside it.
    pub helpers: TokenStream,
}

/// The Rust of a contract; `None` when something in it has no Rust: a digest, an opaque object, or
/// a term that the caller cannot give.
pub fn claim(expr: &Expr, term: &dyn Fn(&Term) -> Option<TokenStream>) -> Option<Claim> {
    let mut writer = Writer { term, helpers: BTreeSet::new(), bound: Vec::new() };
    let expr = writer.value(expr)?;
    Some(Claim { expr, helpers: helpers(&writer.helpers)? })
}

const HELPERS: &str = include_str!("claim/helpers.rs");

/// The functions of these names, and the trait that one of them needs.
fn helpers(names: &BTreeSet<&'static str>) -> Option<TokenStream> {
    let file = syn::parse_file(HELPERS).ok()?;
    let is_needed = |item: &syn::Item| match item {
        syn::Item::Fn(function) => names.iter().any(|name| function.sig.ident == name),
        syn::Item::Trait(_) | syn::Item::Impl(_) => names.contains("without"),
        _ => false,
    };
    let items = file.items.iter().filter(|item| is_needed(item));
    Some(quote!(#(#items)*))
}

struct Writer<'a> {
    term: &'a dyn Fn(&Term) -> Option<TokenStream>,
    helpers: BTreeSet<&'static str>,
    bound: Vec<Ident>,
}

impl Writer<'_> {
    /// An expression that can be compared and lent; a name is not copied.
    fn value(&mut self, expr: &Expr) -> Option<TokenStream> {
        Some(match expr {
            Expr::Const(value) => constant(value)?,
            Expr::Term(term) => (self.term)(term)?,
            Expr::Bound(depth) => {
                let at = self.bound.len().checked_sub(1 + *depth as usize)?;
                let name = &self.bound[at];
                quote!(#name)
            }
            Expr::Compare(op, a, b) => self.infix(a, op.symbol(), b)?,
            Expr::Arithmetic(op, a, b) => self.infix(a, op.symbol(), b)?,
            Expr::Iff(a, b) => self.infix(a, "==", b)?,
            Expr::Test(test, of) => {
                let (of, method) = (self.value(of)?, format_ident!("{}", test.method()));
                quote!((#of).#method())
            }
            Expr::Not(of) => {
                let of = self.value(of)?;
                quote!(!(#of))
            }
            Expr::And(parts) => self.joined(parts, &quote!(&&), &quote!(true))?,
            Expr::Or(parts) => self.joined(parts, &quote!(||), &quote!(false))?,
            Expr::Implies(a, c) => {
                let (a, c) = (self.value(a)?, self.value(c)?);
                quote!((!(#a) || (#c)))
            }
            Expr::Len(of) => {
                let of = self.value(of)?;
                quote!((#of).len())
            }
            Expr::Part(of, at) => {
                let (of, at) = (self.value(of)?, Literal::u32_unsuffixed(*at));
                quote!((#of).#at)
            }
            Expr::Index(of, at) => {
                let (of, at) = (self.value(of)?, self.value(at)?);
                quote!((#of)[#at])
            }
            Expr::Unwrap(of) => {
                let of = self.owned(of)?;
                quote!((#of).unwrap())
            }
            Expr::Each(binder, of, body) => self.each(*binder, of, body)?,
            Expr::Call(function, args) => self.call(*function, args)?,
            _ => self.made(expr)?,
        })
    }

    /// What is made of other values, which it owns.
    fn made(&mut self, expr: &Expr) -> Option<TokenStream> {
        Some(match expr {
            Expr::Some(of) => {
                let of = self.owned(of)?;
                quote!(Some(#of))
            }
            Expr::Ok(of) => {
                let of = self.owned(of)?;
                quote!(Ok(#of))
            }
            Expr::Err(of) => {
                let of = self.owned(of)?;
                quote!(Err(#of))
            }
            Expr::Tuple(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| self.owned(part)).collect();
                let parts = parts?;
                quote!((#(#parts,)*))
            }
            Expr::Single(of) => {
                let of = self.owned(of)?;
                quote!(vec![#of])
            }
            Expr::Concat(a, b) => {
                let (a, b) = (self.owned(a)?, self.owned(b)?);
                quote!([#a, #b].concat())
            }
            Expr::Slice(of, from, to) => {
                let of = self.value(of)?;
                let mut bound = |bound: &Option<Box<Expr>>| match bound {
                    Some(bound) => self.value(bound),
                    None => Some(TokenStream::new()),
                };
                let (from, to) = (bound(from)?, bound(to)?);
                quote!((#of)[#from..#to].to_owned())
            }
            Expr::Range(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                quote!((#a..#b).collect::<Vec<_>>())
            }
            _ => return None,
        })
    }

    /// The value as one of its own.
    fn owned(&mut self, expr: &Expr) -> Option<TokenStream> {
        let value = self.value(expr)?;
        Some(match expr {
            Expr::Term(_) | Expr::Bound(_) | Expr::Index(..) | Expr::Part(..) => {
                quote!((#value).clone())
            }
            _ => value,
        })
    }

    fn lent(&mut self, expr: &Expr) -> Option<TokenStream> {
        let value = self.value(expr)?;
        Some(quote!(&(#value)))
    }

    fn infix(&mut self, a: &Expr, symbol: &str, b: &Expr) -> Option<TokenStream> {
        let (a, b) = (self.value(a)?, self.value(b)?);
        let symbol: TokenStream = symbol.parse().ok()?;
        Some(quote!(((#a) #symbol (#b))))
    }

    fn joined(
        &mut self,
        parts: &[Expr],
        with: &TokenStream,
        nothing: &TokenStream,
    ) -> Option<TokenStream> {
        let parts: Option<Vec<_>> = parts.iter().map(|part| self.value(part)).collect();
        let parts = parts?;
        let mut joined = TokenStream::new();
        for (at, part) in parts.iter().enumerate() {
            joined.extend(if at == 0 { quote!((#part)) } else { quote!(#with (#part)) });
        }
        Some(if parts.is_empty() { nothing.clone() } else { quote!((#joined)) })
    }

    fn each(&mut self, binder: Binder, of: &Expr, body: &Expr) -> Option<TokenStream> {
        let items = self.owned(of)?;
        let name = format_ident!("item{}", self.bound.len());
        self.bound.push(name.clone());
        let body = if binder == Binder::Map { self.owned(body) } else { self.value(body) };
        self.bound.pop();
        let body = body?;
        Some(match binder {
            Binder::Forall => quote!((#items).into_iter().all(|#name| #body)),
            Binder::Exists => quote!((#items).into_iter().any(|#name| #body)),
            Binder::Map => quote!((#items).into_iter().map(|#name| #body).collect::<Vec<_>>()),
            Binder::Filter => quote! {
                (#items)
                    .into_iter()
                    .filter(|item| { let #name = item.clone(); #body })
                    .collect::<Vec<_>>()
            },
        })
    }

    fn call(&mut self, function: Function, args: &[Expr]) -> Option<TokenStream> {
        let mut lent = args.iter().map(|arg| self.lent(arg)).collect::<Option<Vec<_>>>()?;
        let [first, rest @ ..] = &mut lent[..] else { return None };
        let second = rest.first();
        Some(match function {
            Function::Get => {
                let at = self.value(args.get(1)?)?;
                quote!((#first).get(#at).cloned())
            }
            Function::First => quote!((#first).first().cloned()),
            Function::Last => quote!((#first).last().cloned()),
            Function::Contains => quote!((#first).contains(#second)),
            Function::Sorted => quote!((#first).is_sorted()),
            Function::Prefix => quote!((#second).starts_with(#first)),
            Function::Suffix => quote!((#second).ends_with(#first)),
            Function::Least => quote!((#first).iter().min().cloned()),
            Function::Greatest => quote!((#first).iter().max().cloned()),
            Function::Sum => quote!((#first).iter().sum()),
            Function::Abs => quote!((#first).abs()),
            Function::Cmp => quote!((#first).cmp(#second)),
            Function::Chars => quote!((#first).chars().collect::<Vec<_>>()),
            Function::Min | Function::Max => {
                let (a, b) = (self.owned(&args[0])?, self.owned(args.get(1)?)?);
                let name = ident(function);
                quote!(std::cmp::#name(#a, #b))
            }
            Function::Repeat => {
                let (item, times) = (self.owned(&args[0])?, self.value(args.get(1)?)?);
                quote!(vec![#item; #times])
            }
            other => self.helper(other, args)?,
        })
    }

    /// A call of a function of our own: sequences and keys are lent, positions and what goes in are
    /// handed over.
    fn helper(&mut self, function: Function, args: &[Expr]) -> Option<TokenStream> {
        self.helpers.insert(function.name());
        let changes = matches!(
            function,
            Function::With
                | Function::Insert
                | Function::Put
                | Function::Swap
                | Function::Remove
                | Function::SwapRemove
                | Function::Rotate
        );
        let takes = |at: usize| changes && at > 0;
        let mut written = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            written.push(if takes(at) { self.owned(arg)? } else { self.lent(arg)? });
        }
        let name = ident(function);
        Some(quote!(#name(#(#written),*)))
    }
}

fn ident(function: Function) -> Ident {
    format_ident!("{}", function.name())
}

/// A constant; integers have the type that their surroundings ask for.
fn constant(value: &Value) -> Option<TokenStream> {
    Some(match value {
        Value::Unit => quote!(()),
        Value::Bool(value) => quote!(#value),
        Value::Int(value) => {
            let literal: TokenStream = value.to_string().parse().ok()?;
            quote!(#literal)
        }
        Value::Float(value) if value.is_finite() => {
            let literal: TokenStream = format!("{value:?}").parse().ok()?;
            quote!(#literal)
        }
        Value::Char(value) => quote!(#value),
        Value::Str(value) => quote!(#value),
        Value::Elem(key) => {
            let key = Literal::i64_unsuffixed(*key);
            quote!(Probe(#key))
        }
        Value::Order(order) => {
            let name = format_ident!("{}", format!("{order:?}"));
            quote!(std::cmp::Ordering::#name)
        }
        Value::Opt(None) => quote!(None),
        Value::Opt(Some(inside)) => {
            let inside = constant(inside)?;
            quote!(Some(#inside))
        }
        Value::Res(is_ok, inside) => {
            let inside = constant(inside)?;
            if *is_ok { quote!(Ok(#inside)) } else { quote!(Err(#inside)) }
        }
        Value::Tuple(items) => {
            let items: Option<Vec<_>> = items.iter().map(constant).collect();
            let items = items?;
            quote!((#(#items,)*))
        }
        Value::Seq(items) => {
            let items: Option<Vec<_>> = items.iter().map(constant).collect();
            let items = items?;
            quote!(vec![#(#items),*])
        }
        Value::Float(_) | Value::Token(_) | Value::Object | Value::Undefined => return None,
    })
}

#[cfg(test)]
mod tests;
