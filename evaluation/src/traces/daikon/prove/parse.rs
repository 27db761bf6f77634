//! The product's facts as claims. What cannot be read proves nothing.

use super::super::{claims::Claim, read::Table};

impl Claim {
    /// Reads a fact about the terms of a table, or about the same terms at the beginning of the
    /// call.
    pub(in super::super) fn parse(text: &str, table: &Table, is_before: bool) -> Vec<Claim> {
        let reader = Reader { table, is_before };
        reader.claim(text).into_iter().collect()
    }
}

struct Reader<'a> {
    table: &'a Table,
    is_before: bool,
}

impl Reader<'_> {
    fn claim(&self, text: &str) -> Option<Claim> {
        if let Some((truth, rest)) = text.split_once(" <=> ") {
            return self.threshold(truth, rest);
        }
        if let Some(rest) = text.strip_prefix("elements of ") {
            return self.elements(rest);
        }
        if let Some(rest) = text.strip_suffix(" (lexically)") {
            let (x, strict, y) = match rest.split_once(" <= ") {
                Some((x, y)) => (x, false, y),
                None => rest.split_once(" < ").map(|(x, y)| (x, true, y))?,
            };
            return Some(Claim::ArrayLe(self.term(x)?, strict, self.term(y)?));
        }
        if let Some(x) = text.strip_suffix(" is always the same object") {
            return Some(Claim::OneOf(self.term(x)?, vec!["object".into()]));
        }
        if let Some((x, y)) = text.strip_suffix(" reversed").and_then(|t| t.split_once(" is ")) {
            return Some(Claim::Reversed(self.term(x)?, self.term(y)?));
        }
        if let Some((x, y)) = text.strip_suffix(" == 0").and_then(|t| t.split_once(" % ")) {
            return Some(Claim::Divides(self.term(x)?, self.term(y)?));
        }
        if let Some((x, rest)) = text.split_once(" in ") {
            return match set(rest) {
                Some(values) if values[0].starts_with('[') => {
                    Some(Claim::OneOfArrays(self.term(x)?))
                }
                Some(values) => Some(Claim::OneOf(self.term(x)?, values)),
                None => Some(Claim::Member(self.term(x)?, self.term(rest)?)),
            };
        }
        if let Some((x, y)) = text.split_once(" == ") {
            return self.equation(x, y);
        }
        self.comparison(text).or_else(|| self.truth(text))
    }

    fn term(&self, name: &str) -> Option<String> {
        let name = if self.is_before { format!("old({name})") } else { name.to_owned() };
        self.table.terms.contains(&name).then_some(name)
    }

    fn kind(&self, name: &str) -> &str {
        let place = self.table.terms.iter().position(|term| term == name);
        place.map_or("", |place| &self.table.kinds[place])
    }

    fn threshold(&self, truth: &str, rest: &str) -> Option<Claim> {
        let (x, is_at_least, right) = match rest.split_once(" >= ") {
            Some((x, right)) => (x, true, right),
            None => rest.split_once(" <= ").map(|(x, right)| (x, false, right))?,
        };
        let (mut terms, constant) = self.sum(right)?;
        for (_, by) in &mut terms {
            *by = -*by;
        }
        terms.push((self.term(x)?, 1));
        Some(Claim::Threshold(self.term(truth)?, terms, is_at_least, constant))
    }

    fn elements(&self, rest: &str) -> Option<Claim> {
        if let Some((a, values)) = rest.split_once(" in ") {
            return Some(Claim::ElementsOneOf(self.term(a)?, set(values)?));
        }
        if let Some((a, "null" | "0")) = rest.split_once(" != ") {
            return Some(Claim::ElementsNonZero(self.term(a)?));
        }
        let (a, value) = rest.split_once(" == ")?;
        match self.term(value) {
            Some(x) => Some(Claim::ElementsAre(self.term(a)?, x)),
            None => Some(Claim::ElementsOneOf(self.term(a)?, vec![value.to_owned()])),
        }
    }

    fn equation(&self, x: &str, y: &str) -> Option<Claim> {
        if let (Some(x), Some(y)) = (self.term(x), self.term(y)) {
            return Some(Claim::Same(x, y));
        }
        if y.starts_with('[') {
            return Some(Claim::OneOfArrays(self.term(x)?));
        }
        if y == "null" || y.starts_with('"') {
            return Some(Claim::OneOf(self.term(x)?, vec![y.to_owned()]));
        }
        let ((left, a), (right, b)) = (self.sum(x)?, self.sum(y)?);
        if let ([(x, 1)], true) = (&left[..], right.is_empty()) {
            return Some(Claim::OneOf(x.clone(), vec![(b - a).to_string()]));
        }
        let right = right.into_iter().map(|(name, by)| (name, -by));
        Some(Claim::Linear(left.into_iter().chain(right).collect(), a - b))
    }

    /// `2 * x - y + 3`
    fn sum(&self, text: &str) -> Option<(Vec<(String, i64)>, i64)> {
        let (mut terms, mut constant, mut sign) = (Vec::new(), 0, 1);
        let mut words = text.split(' ').peekable();
        while let Some(word) = words.next() {
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                _ => {
                    let number = word.parse::<i64>().ok();
                    let (by, name) = match (number, words.peek()) {
                        (Some(number), Some(&"*")) => {
                            words.next();
                            (number, words.next()?)
                        }
                        (Some(number), _) => {
                            constant += sign * number;
                            continue;
                        }
                        (None, _) => match word.strip_prefix('-') {
                            Some(name) => (-1, name),
                            None => (1, word),
                        },
                    };
                    terms.push((self.term(name)?, sign * by));
                }
            }
        }
        Some((terms, constant))
    }

    fn comparison(&self, text: &str) -> Option<Claim> {
        if let Some((x, y)) = text.split_once(" != ") {
            let x = self.term(x)?;
            return match y {
                "0" | "null" => Some(Claim::NonZero(x)),
                _ => Some(Claim::Ne(x, self.term(y)?)),
            };
        }
        let (x, symbol, y) = ["<=", ">=", "<", ">"].into_iter().find_map(|symbol| {
            text.split_once(&format!(" {symbol} ")).map(|(x, y)| (x, symbol, y))
        })?;
        let x = self.term(x)?;
        if self.kind(&x) == "String" {
            return Some(Claim::TextLe(x, symbol == "<", self.term(y)?));
        }
        let (terms, c) = self.sum(y)?;
        let y = terms.into_iter().next().map(|(name, _)| name);
        match symbol {
            "<=" => Some(Claim::Diff(Some(x), y, c)),
            "<" => Some(Claim::Diff(Some(x), y, c - 1)),
            ">=" => Some(Claim::Diff(y, Some(x), -c)),
            _ => None,
        }
    }

    fn truth(&self, text: &str) -> Option<Claim> {
        let (name, value) = match text.strip_prefix('!') {
            Some(name) => (name, "false"),
            None => (text, "true"),
        };
        Some(Claim::OneOf(self.term(name)?, vec![value.into()]))
    }
}

/// The values in `{a, b}`.
fn set(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    if inner.starts_with('[') {
        return Some(vec![inner.to_owned()]);
    }
    Some(inner.split(", ").map(str::to_owned).collect())
}
