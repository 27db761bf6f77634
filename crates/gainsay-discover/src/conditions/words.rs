//! Rust expressions in the words of contracts.

use std::collections::{BTreeMap, BTreeSet};

use syn::{BinOp, Expr, Lit, Pat, UnOp};

/// Private words within words, at most so deep.
const DEEPEST: usize = 4;

/// What a type's own code says of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon {
    /// What its public queries return, where that is one expression.
    getters: Vec<(Expr, String)>,
    /// The names of its public queries without argument.
    queries: BTreeSet<String>,
    /// What its private ones return, where that is one expression.
    helpers: Vec<(String, Expr)>,
    /// Its public fields.
    pub(super) fields: Vec<String>,
    /// Its constants.
    pub(super) constants: Vec<(String, Expr)>,
}

impl Lexicon {
    /// Takes up a public query without argument, with what it returns.
    pub(super) fn query(&mut self, name: &str, body: Option<&Expr>) {
        self.queries.insert(name.to_owned());
        self.getters.extend(body.map(|body| (plainly(body).clone(), name.to_owned())));
    }

    /// Takes up a private one.
    pub(super) fn private(&mut self, name: &str, body: Option<&Expr>) {
        self.helpers.extend(body.map(|body| (name.to_owned(), body.clone())));
    }

    fn helper(&self, name: &str) -> Option<&Expr> {
        let mut private = self.helpers.iter().filter(|_| !self.queries.contains(name));
        private.find(|(known, _)| known == name).map(|(_, body)| body)
    }
}

/// What the names in a body mean in public.
#[derive(Clone)]
pub(super) struct Words<'g> {
    /// Parameters and variables; `None` for what cannot be said.
    names: BTreeMap<String, Option<String>>,
    /// The operation's parameters.
    params: BTreeSet<String>,
    lexicon: &'g Lexicon,
    time: Time,
    depth: usize,
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
    pub(super) fn new(params: &[&str], lexicon: &'g Lexicon) -> Words<'g> {
        let params: BTreeSet<String> = params.iter().map(|name| (*name).to_owned()).collect();
        let names = params.iter().map(|name| (name.clone(), Some(name.clone()))).collect();
        Words { names, params, lexicon, time: Time::Before, depth: 0 }
    }

    /// In another function of the type, which is called with these arguments.
    pub(super) fn for_call(&self, params: &[String], args: &[&Expr]) -> Words<'g> {
        let given = params.iter().zip(args).filter(|(name, _)| !name.is_empty());
        let names = given.map(|(name, arg)| (name.clone(), self.say(arg))).collect();
        Words { names, ..self.clone() }
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
                format!("{}.{test}()", self.inside(&matched.expr)?)
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
        let bare = plainly(expr);
        if let Some((_, name)) = self.lexicon.getters.iter().find(|(body, _)| body == bare) {
            return self.on_receiver(&format!("{name}()"));
        }
        match expr {
            Expr::Cast(inner) => self.say(&inner.expr),
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
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => self.names.get(&name.to_string()).cloned().flatten(),
                None => self.constant(&path.path),
            },
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
            Expr::Field(field) => self.field(field),
            _ => None,
        }
    }

    /// Something of the receiver.
    fn on_receiver(&self, what: &str) -> Option<String> {
        let receiver = self.names.get("self").cloned().flatten()?;
        self.params.contains(&receiver).then(|| format!("{receiver}.{what}"))
    }

    /// A public field of the receiver, or one that a public query has its name from.
    fn field(&self, field: &syn::ExprField) -> Option<String> {
        let syn::Member::Named(name) = &field.member else { return None };
        let is_own = matches!(&*field.base, Expr::Path(base) if base.path.is_ident("self"));
        let name = name.to_string();
        if is_own && self.lexicon.fields.contains(&name) {
            return self.on_receiver(&name);
        }
        let is_query = is_own && self.lexicon.queries.contains(&name);
        is_query.then(|| self.on_receiver(&format!("{name}()"))).flatten()
    }

    /// `Self::NAME`, by what it is defined to be.
    fn constant(&self, path: &syn::Path) -> Option<String> {
        let is_own = path.segments.len() == 2 && path.segments[0].ident == "Self";
        let name = path.segments.last()?.ident.to_string();
        let mut own = self.lexicon.constants.iter().filter(|_| is_own);
        let (_, value) = own.find(|(known, _)| *known == name)?;
        self.deeper()?.say(value)
    }

    /// For what a private word stands for.
    fn deeper(&self) -> Option<Words<'g>> {
        (self.depth < DEEPEST).then(|| Words { depth: self.depth + 1, ..self.clone() })
    }

    /// `self.query()`, `other.query()`, `self.query(param)`.
    fn call(&self, call: &syn::ExprMethodCall) -> Option<String> {
        let Expr::Path(receiver) = &*call.receiver else { return None };
        let receiver = receiver.path.get_ident()?.to_string();
        let said = self.names.get(&receiver).cloned().flatten()?;
        let is_param = self.params.contains(&said) || said == "result";
        let args: Vec<&Expr> = call.args.iter().collect();
        let method = call.method.to_string();
        if let Some(body) = self.lexicon.helper(&method).filter(|_| receiver == "self") {
            let words = self.deeper().filter(|_| args.is_empty())?;
            return words.say(body);
        }
        let arg = match args.as_slice() {
            [] => String::new(),
            [arg] => self.say(arg).filter(|text| self.params.contains(text))?,
            _ => return None,
        };
        is_param.then(|| format!("{said}.{method}({arg})"))
    }

    /// As a part of something else.
    fn inside(&self, expr: &Expr) -> Option<String> {
        let text = self.say(expr)?;
        Some(if text.contains(' ') { format!("({text})") } else { text })
    }
}

/// Without what changes hardly any number: parentheses, references, casts. What a condition says is
/// only aimed at, never believed.
fn plainly(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => plainly(&inner.expr),
        Expr::Group(inner) => plainly(&inner.expr),
        Expr::Reference(inner) => plainly(&inner.expr),
        Expr::Cast(inner) => plainly(&inner.expr),
        _ => expr,
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
