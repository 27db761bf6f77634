//! Reads back what `print` writes: values and expressions.

mod read_value;

use std::fmt;

use crate::{
    Arithmetic, Binder, Comparison, Expr, Function, Names, Point, Root, Term, Test, Value, When,
    expression::parts::fold_tuple,
    expression::print::{UNWRAP, is_test_name},
};

/// The text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset of what could not be read.
    pub at: usize,
    /// The expected syntax.
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
    parser.need_end()?;
    Ok(expr)
}

/// Reads a value.
pub fn parse_value(text: &str) -> Result<Value, ParseError> {
    let names = Names::default();
    let bound = Vec::new();
    let mut parser = Parser { text, at: 0, names: &names, point: Point::Entry, old: false, bound };
    let value = parser.read_value()?.ok_or_else(|| parser.expected_error("a value"))?;
    parser.need_end()?;
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
    fn expected_error(&self, expected: &'static str) -> ParseError {
        ParseError { at: self.at, expected }
    }

    fn skip_spaces(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    /// True if this token is next, whatever spaces stand before it.
    fn sees(&mut self, token: &str) -> bool {
        self.skip_spaces().starts_with(token)
    }

    /// True if this token stands right here: a space before it makes it something else.
    fn touches(&self, token: &str) -> bool {
        self.text[self.at..].starts_with(token)
    }

    fn eat_token(&mut self, token: &str) -> bool {
        let found = self.sees(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn need_token(&mut self, token: &'static str) -> Parsed<()> {
        if self.eat_token(token) { Ok(()) } else { Err(self.expected_error(token)) }
    }

    fn need_end(&mut self) -> Parsed<()> {
        if self.skip_spaces().is_empty() { Ok(()) } else { Err(self.expected_error("the end")) }
    }

    fn read_word(&mut self) -> Option<String> {
        let rest = self.skip_spaces();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..len].to_owned();
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += len;
        Some(word)
    }

    fn parse_iff(&mut self) -> Parsed<Expr> {
        let left = self.parse_implies()?;
        if self.eat_token("<=>") { Ok(left.iff(self.parse_implies()?)) } else { Ok(left) }
    }

    fn parse_implies(&mut self) -> Parsed<Expr> {
        let left = self.parse_or()?;
        if self.eat_token("==>") { Ok(left.implies(self.parse_or()?)) } else { Ok(left) }
    }

    fn parse_or(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.parse_and()?];
        while self.eat_token("||") {
            parts.push(self.parse_and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn parse_and(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.parse_comparison()?];
        while self.eat_token("&&") {
            parts.push(self.parse_comparison()?);
        }
        Ok(Expr::all(parts))
    }

    fn parse_comparison(&mut self) -> Parsed<Expr> {
        let left = self.parse_bits(0)?;
        // `==>` and `<=>` belong to the levels above.
        if self.sees("==>") || self.sees("<=>") {
            return Ok(left);
        }
        // `<=` before `<`: the first token that fits is eaten.
        let all = [
            Comparison::Eq,
            Comparison::Ne,
            Comparison::Le,
            Comparison::Ge,
            Comparison::Lt,
            Comparison::Gt,
        ];
        let Some(op) = all.into_iter().find(|op| self.eat_token(op.symbol())) else {
            return Ok(left);
        };
        let right = self.parse_bits(0)?;
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
        Some(Expr::Term(Term::relation(self.time_here(), a, "==", b)))
    }

    /// `|`, `^` and `&`, from the loosest to the tightest.
    fn parse_bits(&mut self, level: usize) -> Parsed<Expr> {
        const OPS: [(Arithmetic, &str); 3] =
            [(Arithmetic::BitOr, "||"), (Arithmetic::BitXor, "^^"), (Arithmetic::BitAnd, "&&")];
        let Some((op, logical)) = OPS.get(level) else { return self.parse_sum() };
        let mut left = self.parse_bits(level + 1)?;
        while !self.skip_spaces().starts_with(logical) && self.eat_token(op.symbol()) {
            left = left.arithmetic(*op, self.parse_bits(level + 1)?);
        }
        Ok(left)
    }

    fn parse_sum(&mut self) -> Parsed<Expr> {
        let mut left = self.parse_product()?;
        loop {
            if self.eat_token("++") {
                left = Expr::Concat(Box::new(left), Box::new(self.parse_product()?));
            } else if self.eat_token("+") {
                left = left.arithmetic(Arithmetic::Add, self.parse_product()?);
            } else if self.eat_token("-") {
                left = left.arithmetic(Arithmetic::Sub, self.parse_product()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn parse_product(&mut self) -> Parsed<Expr> {
        let ops = [Arithmetic::Mul, Arithmetic::Div, Arithmetic::Rem];
        let mut left = self.parse_unary()?;
        while let Some(op) = ops.into_iter().find(|op| self.eat_token(op.symbol())) {
            left = left.arithmetic(op, self.parse_unary()?);
        }
        Ok(left)
    }

    fn parse_unary(&mut self) -> Parsed<Expr> {
        // `!=` after a missing left side is a mistake to be told, not a negation of `= ..`.
        if !self.sees("!=") && self.eat_token("!") {
            return Ok(Expr::Not(Box::new(self.parse_unary()?)));
        }
        let mut expr = self.parse_atom()?;
        if let Some(query) = self.path_of(&expr) {
            expr = self.view_of(expr, query);
        }
        loop {
            // Two points begin the end of a range or slice, not a part.
            if !self.sees("..") && self.eat_token(".") {
                expr = self.part_or_method(expr)?;
            } else if self.eat_token("[") {
                expr = self.index_or_slice(expr)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn parse_atom(&mut self) -> Parsed<Expr> {
        if self.eat_token("(") {
            return self.parse_parentheses();
        }
        if self.eat_token("[") {
            return self.parse_list();
        }
        let start = self.at;
        if let Some(expr) =
            self.read_word().map(|word| self.named_expr(&word)).transpose()?.flatten()
        {
            return Ok(expr);
        }
        self.at = start;
        let value = self.read_value()?;
        value.map(Expr::Const).ok_or_else(|| {
            self.at = start;
            self.read_word();
            self.expected_error("a term or a value")
        })
    }

    /// Parses an expression that begins with a word and is no constant.
    fn named_expr(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if let Some(binder) = Binder::ALL.into_iter().find(|binder| binder.word() == word) {
            let start = self.at;
            // `map` and `filter` may be names of operands: only `x in` behind them makes a binder.
            if let Some(each) = self.parse_binder(binder)? {
                return Ok(Some(each));
            }
            self.at = start;
        }
        if self.touches("(") {
            return self.parse_call(word);
        }
        if let Some(at) = self.bound.iter().rev().position(|name| name == word) {
            return Ok(u32::try_from(at).ok().map(Expr::Bound));
        }
        Ok(self.parse_root(word))
    }

    /// Parentheses, a tuple or `()`.
    fn parse_parentheses(&mut self) -> Parsed<Expr> {
        if self.eat_token(")") {
            return Ok(Expr::Const(Value::Unit));
        }
        let first = self.range_or_expr()?;
        if self.eat_token(")") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_token(",") && !self.sees(")") {
            parts.push(self.parse_iff()?);
        }
        self.need_token(")")?;
        Ok(fold_tuple(parts))
    }

    /// `[1, 2]` is a constant, `[value]` a one-element sequence, `[a, b]` two of them joined.
    fn parse_list(&mut self) -> Parsed<Expr> {
        let mut parts = Vec::new();
        while !self.eat_token("]") {
            parts.push(self.parse_iff()?);
            if !self.eat_token(",") {
                self.need_token("]")?;
                break;
            }
        }
        Ok(match fold_tuple(parts) {
            Expr::Const(Value::Tuple(items)) => Expr::Const(Value::Seq(items)),
            Expr::Tuple(parts) => {
                let singles = parts.into_iter().map(|part| part.single().fold_constants());
                singles.reduce(Expr::concat).unwrap_or(Expr::Const(Value::Seq(Vec::new())))
            }
            _ => Expr::Const(Value::Seq(Vec::new())),
        })
    }

    /// `old(..)`, `Some(..)`, a function; `None` for a constant of the kind `Probe(3)`.
    fn parse_call(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if word == "old" {
            return self.parse_old().map(Some);
        }
        // An element looks like a call, but is a value: it is left to the reader of values.
        if word == "Probe" {
            return Ok(None);
        }
        let function = Function::by_name(word);
        if function.is_none() && !matches!(word, "len" | "Some" | "Ok" | "Err") {
            return Err(self.expected_error("the name of a function"));
        }
        self.need_token("(")?;
        let mut args = vec![self.parse_iff()?];
        while self.eat_token(",") {
            args.push(self.parse_iff()?);
        }
        if args.len() != function.map_or(1, Function::arity) {
            return Err(self.expected_error("as many arguments as the function takes"));
        }
        self.need_token(")")?;
        let first = |mut args: Vec<Expr>| Box::new(args.remove(0));
        Ok(Some(match (function, word) {
            (Some(function), _) => Expr::Call(function, args),
            (None, "Some") => Expr::Some(first(args)).fold_here(),
            (None, "Ok") => Expr::Ok(first(args)).fold_here(),
            (None, "Err") => Expr::Err(first(args)).fold_here(),
            _ => Expr::Len(first(args)),
        }))
    }

    /// `x in s: body`, after the word that binds.
    fn parse_binder(&mut self, binder: Binder) -> Parsed<Option<Expr>> {
        let Some(name) = self.read_word() else { return Ok(None) };
        if self.read_word().as_deref() != Some("in") {
            return Ok(None);
        }
        let of = self.range_or_expr()?;
        self.need_token(":")?;
        // Pushed after the sequence was read, in which the name is not bound yet.
        self.bound.push(name);
        // The binder ends also where the body is wrong: a caller may try another reading.
        let body = self.parse_iff();
        self.bound.pop();
        Ok(Some(of.each(binder, body?)))
    }

    /// An expression, or `a..b`.
    fn range_or_expr(&mut self) -> Parsed<Expr> {
        let from = self.parse_iff()?;
        if !self.eat_token("..") {
            return Ok(from);
        }
        Ok(Expr::Range(Box::new(from), Box::new(self.parse_bits(0)?)))
    }

    /// `[i]` or `[i..j]`, after the opening bracket.
    fn index_or_slice(&mut self, of: Expr) -> Parsed<Expr> {
        let from = if self.sees("..") { None } else { Some(self.parse_iff()?) };
        let expr = if self.eat_token("..") {
            let to = if self.sees("]") { None } else { Some(self.parse_bits(0)?) };
            of.slice(from, to)
        } else {
            of.index(from.ok_or_else(|| self.expected_error("a position"))?)
        };
        self.need_token("]")?;
        Ok(expr)
    }

    /// `.0` or a method, after the point.
    fn part_or_method(&mut self, of: Expr) -> Parsed<Expr> {
        match self.read_digits() {
            Some(at) => Ok(of.part(at)),
            None => self.parse_method(of),
        }
    }

    fn read_digits(&mut self) -> Option<u32> {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..len].parse().ok()?;
        self.at += len;
        Some(number)
    }

    fn parse_old(&mut self) -> Parsed<Expr> {
        self.need_token("(")?;
        // `old` may be nested; the outer one ends where it began.
        let outer = std::mem::replace(&mut self.old, true);
        let inner = self.parse_iff();
        self.old = outer;
        let inner = inner?;
        self.need_token(")")?;
        Ok(inner)
    }

    fn time_here(&self) -> When {
        if self.old || self.point == Point::Entry { When::Before } else { When::After }
    }

    fn parse_root(&mut self, word: &str) -> Option<Expr> {
        let root = match word {
            "result" => return Some(Expr::Term(Term::result())),
            made if made.starts_with("made") => made[4..].parse().ok().map(Root::Made),
            name => self.names.operand(name).map(Root::Operand),
        };
        Some(Expr::Term(Term { when: When::Before, root: root?, query: None, with: None }))
    }

    fn parse_method(&mut self, of: Expr) -> Parsed<Expr> {
        let name = self.read_word().ok_or_else(|| self.expected_error("a query"))?;
        self.need_token("(")?;
        let with = if self.eat_token(")") {
            None
        } else {
            let word = self.read_word().ok_or_else(|| self.expected_error("an operand"))?;
            let operand = self.names.operand(&word);
            let operand = operand.ok_or_else(|| self.expected_error("the name of an operand"))?;
            self.need_token(")")?;
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
                Expr::Term(Term {
                    when: self.time_here(),
                    root: term.root,
                    query: Some(name),
                    with,
                })
            }
            Expr::Term(Term { root: Root::Made(made), query: None, .. }) => {
                let root = Root::Made(made);
                Expr::Term(Term { when: When::After, root, query: Some(name), with })
            }
            other if name == UNWRAP && with.is_none() => other.unwrapped(),
            other => Expr::Test(self.parse_test(&name)?, Box::new(other)),
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
        while is_object && self.touches(".") {
            let begun = self.at;
            self.at += 1;
            // After a call it is a part of what was returned, and so directly after `result`.
            let is_field =
                path.is_empty() && *root != Root::Result || path.ends_with(char::is_alphanumeric);
            if let Some(number) = is_field.then(|| self.read_digits()).flatten() {
                path.extend([".", &number.to_string()]);
                hops += 1;
                continue;
            }
            let Some(word) = self.read_word() else {
                self.at = begun;
                break;
            };
            let is_call = self.touches("()");
            let ends = is_test_name(&word) && !path.ends_with('?') && !path.is_empty();
            if self.touches("(") && !is_call || ends && is_call {
                self.at = begun;
                break;
            }
            self.at += if is_call { 2 } else { 0 };
            path.extend([".", &word, if is_call { "()" } else { "" }]);
            hops += 1;
            if self.touches("?.") {
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
    fn view_of(&self, of: Expr, query: String) -> Expr {
        let Expr::Term(term) = of else { return of };
        let (when, root) = match term.root {
            Root::Operand(_) => (self.time_here(), term.root),
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

    fn parse_test(&self, name: &str) -> Parsed<Test> {
        let tests = [Test::IsSome, Test::IsNone, Test::IsOk, Test::IsErr];
        tests
            .into_iter()
            .find(|test| test.method() == name)
            .ok_or_else(|| self.expected_error("is_some, is_none, is_ok or is_err"))
    }
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
