//! Reads back what `print` writes: values and expressions.

mod value;

use std::fmt;

use crate::{
    Arithmetic, Binder, Comparison, Expr, Function, Names, Point, Root, Term, Test, Value, When,
    parts::tuple,
    print::{UNWRAP, is_test_name},
};

/// The text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset of what could not be read.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at offset {}", self.expected, self.at)
    }
}

impl std::error::Error for ParseError {}

/// Reads an expression that stands at `point`.
pub fn parse_expr(text: &str, names: &Names, point: Point) -> Result<Expr, ParseError> {
    let mut parser = Parser { text, at: 0, names, point, old: false, bound: Vec::new() };
    let expr = parser.range_or_expr()?;
    parser.end()?;
    Ok(expr)
}

/// Reads a value.
pub fn parse_value(text: &str) -> Result<Value, ParseError> {
    let names = Names::default();
    let bound = Vec::new();
    let mut parser = Parser { text, at: 0, names: &names, point: Point::Entry, old: false, bound };
    let value = parser.value()?.ok_or_else(|| parser.expected("a value"))?;
    parser.end()?;
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    names: &'a Names,
    point: Point,
    old: bool,
    /// The names of what the binders around go through, the outermost first.
    bound: Vec<String>,
}

type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    fn expected(&self, expected: &'static str) -> ParseError {
        ParseError { at: self.at, expected }
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn need(&mut self, token: &'static str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(token)) }
    }

    fn end(&mut self) -> Parsed<()> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end")) }
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..len].to_owned();
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += len;
        Some(word)
    }

    fn iff(&mut self) -> Parsed<Expr> {
        let left = self.implies()?;
        if self.eat("<=>") { Ok(left.iff(self.implies()?)) } else { Ok(left) }
    }

    fn implies(&mut self) -> Parsed<Expr> {
        let left = self.or()?;
        if self.eat("==>") { Ok(left.implies(self.or()?)) } else { Ok(left) }
    }

    fn or(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.and()?];
        while self.eat("||") {
            parts.push(self.and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.comparison()?];
        while self.eat("&&") {
            parts.push(self.comparison()?);
        }
        Ok(Expr::all(parts))
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.bits(0)?;
        // `==>` and `<=>` belong to the levels above.
        if self.rest().starts_with("==>") || self.rest().starts_with("<=>") {
            return Ok(left);
        }
        let all = [
            Comparison::Eq,
            Comparison::Ne,
            Comparison::Le,
            Comparison::Ge,
            Comparison::Lt,
            Comparison::Gt,
        ];
        let Some(op) = all.into_iter().find(|op| self.eat(op.symbol())) else { return Ok(left) };
        let right = self.bits(0)?;
        Ok(self.object_equality(op, &left, &right).unwrap_or_else(|| left.compare(op, right)))
    }

    /// `self == other` between objects is their own equality, a query.
    fn object_equality(&self, op: Comparison, left: &Expr, right: &Expr) -> Option<Expr> {
        let (Expr::Term(left), Expr::Term(right)) = (left, right) else { return None };
        let (Root::Operand(a), Root::Operand(b)) = (left.root, right.root) else { return None };
        let bare = left.query.is_none() && right.query.is_none();
        if op != Comparison::Eq || !bare || !self.names.is_object(a) || !self.names.is_object(b) {
            return None;
        }
        Some(Expr::Term(Term::relation(self.when(), a, "==", b)))
    }

    /// `|`, `^` and `&`, from the loosest to the tightest.
    fn bits(&mut self, level: usize) -> Parsed<Expr> {
        const OPS: [(Arithmetic, &str); 3] =
            [(Arithmetic::BitOr, "||"), (Arithmetic::BitXor, "^^"), (Arithmetic::BitAnd, "&&")];
        let Some((op, logical)) = OPS.get(level) else { return self.sum() };
        let mut left = self.bits(level + 1)?;
        while !self.rest().starts_with(logical) && self.eat(op.symbol()) {
            left = left.arithmetic(*op, self.bits(level + 1)?);
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        loop {
            if self.eat("++") {
                left = Expr::Concat(Box::new(left), Box::new(self.product()?));
            } else if self.eat("+") {
                left = left.arithmetic(Arithmetic::Add, self.product()?);
            } else if self.rest().starts_with('-') && self.eat("-") {
                left = left.arithmetic(Arithmetic::Sub, self.product()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let ops = [Arithmetic::Mul, Arithmetic::Div, Arithmetic::Rem];
        let mut left = self.unary()?;
        while let Some(op) = ops.into_iter().find(|op| self.eat(op.symbol())) {
            left = left.arithmetic(op, self.unary()?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if !self.rest().starts_with("!=") && self.eat("!") {
            return Ok(Expr::Not(Box::new(self.unary()?)));
        }
        let mut expr = self.atom()?;
        if let Some(query) = self.path_of(&expr) {
            expr = self.view(expr, query);
        }
        loop {
            let rest = self.rest();
            if !rest.starts_with("..") && self.eat(".") {
                expr = self.part_or_method(expr)?;
            } else if self.eat("[") {
                expr = self.index_or_slice(expr)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn atom(&mut self) -> Parsed<Expr> {
        if self.eat("(") {
            return self.parentheses();
        }
        if self.eat("[") {
            return self.list();
        }
        let start = self.at;
        if let Some(expr) = self.word().map(|word| self.named_expr(&word)).transpose()?.flatten() {
            return Ok(expr);
        }
        self.at = start;
        let value = self.value()?;
        value.map(Expr::Const).ok_or_else(|| {
            self.at = start;
            self.word();
            self.expected("a term or a value")
        })
    }

    /// What begins with a word and is no constant.
    fn named_expr(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if let Some(binder) = Binder::ALL.into_iter().find(|binder| binder.word() == word) {
            let start = self.at;
            if let Some(each) = self.each(binder)? {
                return Ok(Some(each));
            }
            self.at = start;
        }
        if self.text[self.at..].starts_with('(') {
            return self.call(word);
        }
        if let Some(at) = self.bound.iter().rev().position(|name| name == word) {
            return Ok(u32::try_from(at).ok().map(Expr::Bound));
        }
        Ok(self.root(word))
    }

    /// Parentheses, a tuple or `()`.
    fn parentheses(&mut self) -> Parsed<Expr> {
        if self.eat(")") {
            return Ok(Expr::Const(Value::Unit));
        }
        let first = self.range_or_expr()?;
        if self.eat(")") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(",") && !self.rest().starts_with(')') {
            parts.push(self.iff()?);
        }
        self.need(")")?;
        Ok(tuple(parts))
    }

    /// `[1, 2]` is a constant, `[value]` a one-element sequence, `[a, b]` two of them joined.
    fn list(&mut self) -> Parsed<Expr> {
        let mut parts = Vec::new();
        while !self.eat("]") {
            parts.push(self.iff()?);
            if !self.eat(",") {
                self.need("]")?;
                break;
            }
        }
        Ok(match tuple(parts) {
            Expr::Const(Value::Tuple(items)) => Expr::Const(Value::Seq(items)),
            Expr::Tuple(parts) => {
                let singles = parts.into_iter().map(|part| part.single().folded());
                singles.reduce(Expr::concat).unwrap_or(Expr::Const(Value::Seq(Vec::new())))
            }
            _ => Expr::Const(Value::Seq(Vec::new())),
        })
    }

    /// `old(..)`, `Some(..)`, a function; `None` for a constant of the kind `Probe(3)`.
    fn call(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if word == "old" {
            return self.old().map(Some);
        }
        if word == "Probe" {
            return Ok(None);
        }
        let function = Function::named(word);
        if function.is_none() && !matches!(word, "len" | "Some" | "Ok" | "Err") {
            return Err(self.expected("the name of a function"));
        }
        self.need("(")?;
        let mut args = vec![self.iff()?];
        while self.eat(",") {
            args.push(self.iff()?);
        }
        if args.len() != function.map_or(1, Function::arity) {
            return Err(self.expected("as many arguments as the function takes"));
        }
        self.need(")")?;
        let first = |mut args: Vec<Expr>| Box::new(args.remove(0));
        Ok(Some(match (function, word) {
            (Some(function), _) => Expr::Call(function, args),
            (None, "Some") => Expr::Some(first(args)).fold(),
            (None, "Ok") => Expr::Ok(first(args)).fold(),
            (None, "Err") => Expr::Err(first(args)).fold(),
            _ => Expr::Len(first(args)),
        }))
    }

    /// `x in s: body`, after the word that binds.
    fn each(&mut self, binder: Binder) -> Parsed<Option<Expr>> {
        let Some(name) = self.word() else { return Ok(None) };
        if self.word().as_deref() != Some("in") {
            return Ok(None);
        }
        let of = self.range_or_expr()?;
        self.need(":")?;
        self.bound.push(name);
        let body = self.iff();
        self.bound.pop();
        Ok(Some(of.each(binder, body?)))
    }

    /// An expression, or `a..b`.
    fn range_or_expr(&mut self) -> Parsed<Expr> {
        let from = self.iff()?;
        if !self.eat("..") {
            return Ok(from);
        }
        Ok(Expr::Range(Box::new(from), Box::new(self.bits(0)?)))
    }

    /// `[i]` or `[i..j]`, after the opening bracket.
    fn index_or_slice(&mut self, of: Expr) -> Parsed<Expr> {
        let from = if self.rest().starts_with("..") { None } else { Some(self.iff()?) };
        let expr = if self.eat("..") {
            let to = if self.rest().starts_with(']') { None } else { Some(self.bits(0)?) };
            of.slice(from, to)
        } else {
            of.index(from.ok_or_else(|| self.expected("a position"))?)
        };
        self.need("]")?;
        Ok(expr)
    }

    /// `.0` or a method, after the point.
    fn part_or_method(&mut self, of: Expr) -> Parsed<Expr> {
        match self.digits() {
            Some(at) => Ok(of.part(at)),
            None => self.method(of),
        }
    }

    fn digits(&mut self) -> Option<u32> {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..len].parse().ok()?;
        self.at += len;
        Some(number)
    }

    fn old(&mut self) -> Parsed<Expr> {
        self.need("(")?;
        let outer = std::mem::replace(&mut self.old, true);
        let inner = self.iff();
        self.old = outer;
        let inner = inner?;
        self.need(")")?;
        Ok(inner)
    }

    fn when(&self) -> When {
        if self.old || self.point == Point::Entry { When::Before } else { When::After }
    }

    fn root(&mut self, word: &str) -> Option<Expr> {
        let root = match word {
            "result" => return Some(Expr::Term(Term::result())),
            made if made.starts_with("made") => made[4..].parse().ok().map(Root::Made),
            name => self.names.operand(name).map(Root::Operand),
        };
        Some(Expr::Term(Term { when: When::Before, root: root?, query: None, with: None }))
    }

    fn method(&mut self, of: Expr) -> Parsed<Expr> {
        let name = self.word().ok_or_else(|| self.expected("a query"))?;
        self.need("(")?;
        let with = if self.eat(")") {
            None
        } else {
            let word = self.word().ok_or_else(|| self.expected("an operand"))?;
            let operand = self.names.operand(&word);
            let operand = operand.ok_or_else(|| self.expected("the name of an operand"))?;
            self.need(")")?;
            Some(operand)
        };
        Ok(match of {
            Expr::Term(Term { root: Root::Result, query: None, .. }) if !is_test_name(&name) => {
                let root = Root::Made(0);
                Expr::Term(Term { when: When::After, root, query: Some(name), with })
            }
            Expr::Term(term @ Term { root: Root::Operand(_), query: None, .. })
                if self.is_query_of(&term, &name) =>
            {
                Expr::Term(Term { when: self.when(), root: term.root, query: Some(name), with })
            }
            Expr::Term(Term { root: Root::Made(made), query: None, .. }) => {
                let root = Root::Made(made);
                Expr::Term(Term { when: When::After, root, query: Some(name), with })
            }
            other if name == UNWRAP && with.is_none() => other.unwrapped(),
            other => Expr::Test(self.test(&name)?, Box::new(other)),
        })
    }

    /// A view that is more than one call, if one follows a bare object: `.major`,
    /// `.pre.is_empty()`, `.front()?.len()`. A test or `unwrap` at the end is no part of it.
    fn path_of(&mut self, of: &Expr) -> Option<String> {
        let Expr::Term(Term { root, query: None, .. }) = of else { return None };
        let is_object = match root {
            Root::Operand(operand) => self.names.is_object(*operand),
            Root::Result | Root::Made(_) => true,
        };
        let start = self.at;
        let mut path = String::new();
        let mut hops = 0;
        while is_object && self.text[self.at..].starts_with('.') {
            let begun = self.at;
            self.at += 1;
            // After a call it is a part of what was returned, and so directly after `result`.
            let is_field =
                path.is_empty() && *root != Root::Result || path.ends_with(char::is_alphanumeric);
            if let Some(number) = is_field.then(|| self.digits()).flatten() {
                path.extend([".", &number.to_string()]);
                hops += 1;
                continue;
            }
            let Some(word) = self.word() else {
                self.at = begun;
                break;
            };
            let is_call = self.text[self.at..].starts_with("()");
            let ends = is_test_name(&word) && !path.ends_with('?') && !path.is_empty();
            if self.text[self.at..].starts_with('(') && !is_call || ends && is_call {
                self.at = begun;
                break;
            }
            self.at += if is_call { 2 } else { 0 };
            path.extend([".", &word, if is_call { "()" } else { "" }]);
            hops += 1;
            if self.text[self.at..].starts_with("?.") {
                self.at += 1;
                path.push('?');
            }
        }
        if hops == 0 || hops == 1 && path.ends_with(')') {
            self.at = start;
            return None;
        }
        Some(path)
    }

    /// A view of an object.
    fn view(&self, of: Expr, query: String) -> Expr {
        let Expr::Term(term) = of else { return of };
        let (when, root) = match term.root {
            Root::Operand(_) => (self.when(), term.root),
            Root::Result => (When::After, Root::Made(0)),
            Root::Made(_) => (When::After, term.root),
        };
        Expr::Term(Term { when, root, query: Some(query), with: None })
    }

    /// On a plain operand `is_some()` is a test; on an object it is a query.
    fn is_query_of(&self, term: &Term, name: &str) -> bool {
        let Root::Operand(operand) = term.root else { return false };
        self.names.is_object(operand) || !is_test_name(name)
    }

    fn test(&self, name: &str) -> Parsed<Test> {
        let tests = [Test::IsSome, Test::IsNone, Test::IsOk, Test::IsErr];
        tests
            .into_iter()
            .find(|test| test.method() == name)
            .ok_or_else(|| self.expected("is_some, is_none, is_ok or is_err"))
    }
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
