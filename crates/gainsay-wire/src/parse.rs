//! Reads back what `print` writes: values and expressions.

use std::fmt;

use crate::{
    Arithmetic, Comparison, Expr, Names, Point, Root, Term, Test, Value, When,
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
    let mut parser = Parser { text, at: 0, names, point, old: false };
    let expr = parser.iff()?;
    parser.end()?;
    Ok(expr)
}

/// Reads a value.
pub fn parse_value(text: &str) -> Result<Value, ParseError> {
    let names = Names::default();
    let mut parser = Parser { text, at: 0, names: &names, point: Point::Entry, old: false };
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
        let left = self.sum()?;
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
        let right = self.sum()?;
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
        let mut left = self.unary()?;
        while self.eat("*") {
            left = left.arithmetic(Arithmetic::Mul, self.unary()?);
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
        while self.eat(".") {
            expr = self.method(expr)?;
        }
        Ok(expr)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        if self.eat("(") {
            // Either parentheses or a tuple; a tuple is a value and was tried by then.
            let inner = self.iff()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.rest().starts_with('[') {
            return self.single_or_sequence();
        }
        let start = self.at;
        if let Some(value) = self.value()? {
            return Ok(Expr::Const(value));
        }
        self.at = start;
        let word = self.word().ok_or_else(|| self.expected("a term or a value"))?;
        match word.as_str() {
            "old" => self.old(),
            "len" if self.eat("(") => {
                let inner = self.iff()?;
                self.need(")")?;
                Ok(Expr::Len(Box::new(inner)))
            }
            "Some" => {
                self.need("(")?;
                let inner = self.iff()?;
                self.need(")")?;
                Ok(inner.some())
            }
            _ => self.root(&word),
        }
    }

    /// `[1, 2]` is a constant, `[value]` a one-element sequence.
    fn single_or_sequence(&mut self) -> Parsed<Expr> {
        let start = self.at;
        if let Ok(Some(value)) = self.value() {
            return Ok(Expr::Const(value));
        }
        self.at = start;
        self.need("[")?;
        let inner = self.iff()?;
        self.need("]")?;
        Ok(Expr::Single(Box::new(inner)))
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

    fn root(&mut self, word: &str) -> Parsed<Expr> {
        let root = match word {
            "result" => return Ok(Expr::Term(Term::result())),
            made if made.starts_with("made") => made[4..].parse().ok().map(Root::Made),
            name => self.names.operand(name).map(Root::Operand),
        };
        let root = root.ok_or_else(|| self.expected("the name of an operand"))?;
        Ok(Expr::Term(Term { when: When::Before, root, query: None, with: None }))
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
            let Some(word) = self.word() else { break };
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

/// Values.
impl Parser<'_> {
    /// A value if one begins here; `None` leaves the position undefined.
    fn value(&mut self) -> Parsed<Option<Value>> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('0'..='9') => return self.number().map(Some),
            Some('-') if rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == 'i') => {
                return self.number().map(Some);
            }
            Some('"') => return self.quoted('"').map(Value::Str).map(Some),
            Some('\'') => {
                let text = self.quoted('\'')?;
                return text
                    .chars()
                    .next()
                    .map(|c| Some(Value::Char(c)))
                    .ok_or_else(|| self.expected("a character"));
            }
            Some('[') => {
                self.at += 1;
                return Ok(self.items("]")?.map(Value::Seq));
            }
            Some('(') => {
                self.at += 1;
                return Ok(self.items(")")?.map(|items| {
                    if items.is_empty() { Value::Unit } else { Value::Tuple(items) }
                }));
            }
            Some('#') => {
                let digits = rest.get(1..17).and_then(|hex| u64::from_str_radix(hex, 16).ok());
                let digest = digits.ok_or_else(|| self.expected("sixteen hexadecimal digits"))?;
                self.at += 17;
                return Ok(Some(Value::Token(digest)));
            }
            _ => {}
        }
        let Some(word) = self.word() else { return Ok(None) };
        self.named(&word)
    }

    fn named(&mut self, word: &str) -> Parsed<Option<Value>> {
        Ok(Some(match word {
            "undefined" => Value::Undefined,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "None" => Value::none(),
            "object" => Value::Object,
            "NaN" => Value::Float(f64::NAN),
            "inf" => Value::Float(f64::INFINITY),
            "Less" => Value::Order(std::cmp::Ordering::Less),
            "Equal" => Value::Order(std::cmp::Ordering::Equal),
            "Greater" => Value::Order(std::cmp::Ordering::Greater),
            "Some" | "Ok" | "Err" | "Probe" => {
                self.need("(")?;
                let Some(inner) = self.value()? else { return Ok(None) };
                self.need(")")?;
                match (word, inner) {
                    ("Some", inner) => Value::some(inner),
                    ("Ok", inner) => Value::ok(inner),
                    ("Err", inner) => Value::err(inner),
                    (_, Value::Int(key)) => {
                        Value::Elem(i64::try_from(key).map_err(|_| self.expected("a key"))?)
                    }
                    _ => return Err(self.expected("a key")),
                }
            }
            _ => return Ok(None),
        }))
    }

    fn number(&mut self) -> Parsed<Value> {
        let rest = self.rest();
        if rest.starts_with("-inf") {
            self.at += 4;
            return Ok(Value::Float(f64::NEG_INFINITY));
        }
        let mut len = usize::from(rest.starts_with('-'));
        let bytes = rest.as_bytes();
        while let Some(byte) = bytes.get(len) {
            let exponent_sign = *byte == b'-' && matches!(bytes[len - 1], b'e' | b'E');
            if !byte.is_ascii_digit() && !matches!(byte, b'.' | b'e' | b'E') && !exponent_sign {
                break;
            }
            len += 1;
        }
        let text = rest[..len].to_owned();
        let int = text.parse().map(Value::Int);
        let value = int.or_else(|_| text.parse().map(Value::Float));
        let value = value.map_err(|_| self.expected("a number"))?;
        self.at += len;
        Ok(value)
    }

    fn items(&mut self, close: &'static str) -> Parsed<Option<Vec<Value>>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            let Some(item) = self.value()? else { return Ok(None) };
            items.push(item);
            if !self.eat(",") {
                self.need(close)?;
                break;
            }
        }
        Ok(Some(items))
    }

    /// Text between quotes, with the escapes that `{:?}` writes.
    fn quoted(&mut self, quote: char) -> Parsed<String> {
        let mut chars = self.rest()[1..].char_indices();
        let mut text = String::new();
        loop {
            let Some((at, c)) = chars.next() else { return Err(self.expected("a closing quote")) };
            if c == quote {
                self.at += 1 + at + c.len_utf8();
                return Ok(text);
            }
            text.push(if c == '\\' {
                unescape(&mut chars).ok_or(ParseError { at: self.at, expected: "an escape" })?
            } else {
                c
            });
        }
    }
}

fn unescape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    Some(match chars.next()?.1 {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'u' => {
            let digits: String =
                chars.map(|(_, c)| c).skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr_text;

    fn names() -> Names {
        let operands = [("self", true), ("other", true), ("index", false), ("key", false)];
        Names::new(operands.map(|(name, object)| (name.to_owned(), object)))
    }

    #[test]
    fn what_is_printed_is_read_back_and_printed_alike() {
        let texts = [
            "self.len() == old(self.len()) + 1",
            "old(self.is_empty()) ==> result.is_none()",
            "self.seq() == old(self.seq()) ++ [key]",
            "old(self == other) ==> self.is_empty()",
            "!self.is_disjoint(other)",
            "old(self.contains(key)) <=> result.is_some()",
            "index < old(self.len()) && (result.is_some() || key == Probe(3))",
            "result == Some(-1)",
            "result == Some(key)",
            "result == Some(old(self.len()) + 1)",
            "old(self.seq()) == self.seq() ++ [result.unwrap()]",
            "self.first().unwrap() == key",
            "made0.unwrap() == Some(Some(key))",
            "result.len() == 0",
            "made0.is_some()",
            "len(self.seq()) == 2 * self.len() - 3",
            "self.name() == \"a \\\"b\\\" \\n ü\"",
            "self.first() == Some([Probe(1), Probe(2)])",
            "self.get(index) == Ok((1, 'x'))",
            "self.ratio() >= -0.5",
            "self.token() == #00000000deadbeef",
            "index == 3 || index == 4",
            "self.is_off()",
            "self.first().is_some()",
            "self.len() == 0 ==> self.is_empty() <=> true",
            "self.major == old(self.major) + 1",
            "self.pre.is_empty()",
            "self.next.is_some()",
            "self.front()?.len() == Some(3)",
            "self.root().len() >= 1",
            "self.front()?.len().is_none()",
            "result.major == self.major",
            "old(self.contains(key)) ==> self.pre.len() == 0",
        ];
        for text in texts {
            let expr =
                parse_expr(text, &names(), Point::Exit).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(expr_text(&expr, &names(), Point::Exit), text);
        }
    }

    #[test]
    fn at_entry_a_bare_view_is_the_state_before() {
        let expr = parse_expr("self.len() > 0", &names(), Point::Entry).unwrap();
        expr.each_term(&mut |term| assert!(term.is_before()));
        assert_eq!(expr_text(&expr, &names(), Point::Entry), "self.len() > 0");
        assert_eq!(expr_text(&expr, &names(), Point::Exit), "old(self.len()) > 0");
    }

    #[test]
    fn what_is_no_expression_says_where_it_stops() {
        for (text, at) in [("self.len(", 9), ("nobody.len()", 6), ("self.len() ==", 13), ("1 2", 2)]
        {
            assert_eq!(parse_expr(text, &names(), Point::Exit).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn values_of_every_kind_round_trip() {
        let texts =
            ["()", "undefined", "NaN", "inf", "-inf", "1e300", "[]", "(1,)", "Err(Less)", "'\\''"];
        for text in texts {
            assert_eq!(parse_value(text).unwrap().to_string(), text);
        }
    }
}
