//! Rust expressions in the words of contracts.

use std::collections::BTreeMap;

use syn::{BinOp, Expr, Lit, Pat, UnOp};

/// What the names in a body mean in public.
#[derive(Clone)]
pub(super) struct Words<'g> {
    /// Parameters and variables; `None` for what cannot be said.
    names: BTreeMap<String, Option<String>>,
    getters: &'g [(Expr, String)],
    /// Public fields of the receiver.
    fields: &'g [String],
    time: Time,
}

/// When expressions are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// Before the call, or in its midst.
    Before,
    /// After it: there is `old(..)`.
    After,
}

impl<'g> Words<'g> {
    pub(super) fn new(
        params: &[&str],
        getters: &'g [(Expr, String)],
        fields: &'g [String],
    ) -> Words<'g> {
        let names = params.iter().map(|name| ((*name).to_owned(), Some((*name).to_owned())));
        Words { names: names.collect(), getters, fields, time: Time::Before }
    }

    /// From now on expressions speak of the call when it is over, with a name for what it
    /// returned.
    pub(super) fn after_the_call(&mut self, returned: &str) {
        self.time = Time::After;
        self.names.insert(returned.to_owned(), Some("result".to_owned()));
    }

    /// A name for a value before the call.
    pub(super) fn capture(&mut self, name: &str, value: &Expr) {
        let text = self.say(value).map(|text| format!("old({text})"));
        self.names.insert(name.to_owned(), text);
    }

    /// From now on a name stands for this.
    pub(super) fn bind(&mut self, name: &str, value: Option<&Expr>) {
        let text = value.and_then(|value| self.say(value));
        self.names.insert(name.to_owned(), text);
    }

    /// A condition that says something of the state or of arguments.
    pub(super) fn condition(&self, expr: &Expr) -> Option<String> {
        let text = match expr {
            Expr::Let(matched) => {
                let test = pattern_test(&matched.pat)?;
                format!("{}.{test}()", self.say(&matched.expr)?)
            }
            _ => self.say(expr)?,
        };
        (text != "true" && text != "false").then_some(text)
    }

    /// A comparison of two expressions.
    pub(super) fn compared(&self, a: &Expr, op: &str, b: &Expr) -> Option<String> {
        Some(format!("{} {op} {}", self.inside(a)?, self.inside(b)?))
    }

    fn say(&self, expr: &Expr) -> Option<String> {
        if let Some((_, name)) = self.getters.iter().find(|(body, _)| body == expr) {
            return Some(format!("self.{name}()"));
        }
        match expr {
            Expr::Paren(inner) => self.say(&inner.expr),
            Expr::Group(inner) => self.say(&inner.expr),
            Expr::Reference(inner) => self.say(&inner.expr),
            Expr::Unary(unary) => match unary.op {
                UnOp::Not(_) => Some(format!("!{}", self.inside(&unary.expr)?)),
                UnOp::Deref(_) => self.say(&unary.expr),
                _ => None,
            },
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => Some(int.base10_digits().to_owned()),
                Lit::Bool(value) => Some(value.value.to_string()),
                _ => None,
            },
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.names.get(&name).cloned().flatten()
            }
            Expr::Binary(binary) => self.compared(&binary.left, symbol(&binary.op)?, &binary.right),
            Expr::MethodCall(call) => self.call(call),
            Expr::Call(call) if self.time == Time::After => {
                match (&*call.func, call.args.first()) {
                    (Expr::Path(name), Some(of)) if name.path.is_ident("old") => {
                        Some(format!("old({})", self.say(of)?))
                    }
                    _ => None,
                }
            }
            Expr::Field(field) => match (&*field.base, &field.member) {
                (Expr::Path(base), syn::Member::Named(name)) if base.path.is_ident("self") => {
                    self.fields.iter().any(|f| name == f).then(|| format!("self.{name}"))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `self.query()`, `other.query()`, `self.query(param)`.
    fn call(&self, call: &syn::ExprMethodCall) -> Option<String> {
        let Expr::Path(receiver) = &*call.receiver else { return None };
        let receiver = receiver.path.get_ident()?.to_string();
        let said = self.names.get(&receiver).cloned().flatten()?;
        let is_param = said == receiver || said == "result";
        let args: Vec<&Expr> = call.args.iter().collect();
        let arg = match args.as_slice() {
            [] => String::new(),
            [arg] => self.say(arg).filter(|text| self.names.contains_key(text))?,
            _ => return None,
        };
        is_param.then(|| format!("{said}.{}({arg})", call.method))
    }

    /// As a part of something else.
    fn inside(&self, expr: &Expr) -> Option<String> {
        let text = self.say(expr)?;
        Some(if text.contains(' ') { format!("({text})") } else { text })
    }
}

fn symbol(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Eq(_) => "==",
        BinOp::Ne(_) => "!=",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Gt(_) => ">",
        BinOp::Ge(_) => ">=",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        _ => return None,
    })
}

/// Which test tells whether a pattern matches.
fn pattern_test(pattern: &Pat) -> Option<&'static str> {
    let (path, is_open) = match pattern {
        Pat::TupleStruct(tuple) => {
            let open =
                |part: &Pat| matches!(part, Pat::Ident(_) | Pat::Wild(_) | Pat::Reference(_));
            (&tuple.path, tuple.elems.iter().all(open))
        }
        Pat::Path(path) => (&path.path, true),
        Pat::Ident(ident) if ident.ident == "None" => return Some("is_none"),
        _ => return None,
    };
    let name = path.segments.last()?.ident.to_string();
    match name.as_str() {
        "Some" if is_open => Some("is_some"),
        "None" => Some("is_none"),
        "Ok" if is_open => Some("is_ok"),
        "Err" if is_open => Some("is_err"),
        _ => None,
    }
}
