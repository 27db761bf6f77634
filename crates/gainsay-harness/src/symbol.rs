//! In which crate a function was written, by the name that the linker has for it (mangling `v0`).
//!
//! The crate of a method is that of the `impl` or, for a default method, of the trait. Types that a
//! generic function is made for do not matter, so most of a name need not be read.

/// The crate of a symbol, if it is one of Rust.
pub(crate) fn crate_of(symbol: &str) -> Option<&str> {
    Reader { rest: symbol.strip_prefix("_R")?, whole: symbol, depth: 0 }.owner()
}

/// Names refer back to earlier parts of themselves; a wrong one must not lead in circles.
const DEEPEST: u32 = 200;

#[derive(Clone, Copy)]
struct Reader<'a> {
    rest: &'a str,
    whole: &'a str,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// The crate in which the path at hand lies.
    fn owner(&mut self) -> Option<&'a str> {
        loop {
            self.depth += 1;
            match self.next()? {
                _ if self.depth > DEEPEST => return None,
                'C' => return self.identifier(),
                'N' => drop(self.next()?),
                'I' => {}
                'M' | 'X' => self.disambiguator()?,
                'Y' => self.skip_type()?,
                'B' => *self = self.earlier()?,
                _ => return None,
            }
        }
    }

    fn skip_path(&mut self) -> Option<()> {
        self.deeper()?;
        match self.next()? {
            'C' => drop(self.identifier()?),
            'M' => {
                self.disambiguator()?;
                self.skip_path()?;
                self.skip_type()?;
            }
            'X' => {
                self.disambiguator()?;
                self.skip_path()?;
                self.skip_type()?;
                self.skip_path()?;
            }
            'Y' => {
                self.skip_type()?;
                self.skip_path()?;
            }
            'N' => {
                self.next()?;
                self.skip_path()?;
                self.identifier()?;
            }
            'I' => {
                self.skip_path()?;
                self.until_end(Reader::skip_argument)?;
            }
            'B' => self.number()?,
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    fn skip_argument(&mut self) -> Option<()> {
        match self.rest.chars().next()? {
            'L' => self.next().and_then(|_| self.number()),
            'K' => self.next().and_then(|_| self.skip_constant()),
            _ => self.skip_type(),
        }
    }

    fn skip_type(&mut self) -> Option<()> {
        self.deeper()?;
        match self.rest.chars().next()? {
            'a'..='z' => drop(self.next()?),
            'C' | 'M' | 'X' | 'Y' | 'N' | 'I' | 'B' => self.skip_path()?,
            'A' => {
                self.next()?;
                self.skip_type()?;
                self.skip_constant()?;
            }
            'T' => {
                self.next()?;
                self.until_end(Reader::skip_type)?;
            }
            'S' | 'R' | 'Q' | 'P' | 'O' => {
                self.next()?;
                self.optional('L')?;
                self.skip_type()?;
            }
            'F' => self.skip_function()?,
            'D' => self.skip_dynamic()?,
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    /// `fn(A, B) -> C`
    fn skip_function(&mut self) -> Option<()> {
        self.next()?;
        self.optional('G')?;
        self.accept('U');
        if self.accept('K') && !self.accept('C') {
            self.identifier()?;
        }
        self.until_end(Reader::skip_type)?;
        self.skip_type()
    }

    /// `dyn A<Item = B> + C`
    fn skip_dynamic(&mut self) -> Option<()> {
        self.next()?;
        self.optional('G')?;
        self.until_end(|reader| {
            reader.skip_path()?;
            while reader.accept('p') {
                reader.identifier()?;
                reader.skip_type()?;
            }
            Some(())
        })?;
        self.optional('L')
    }

    /// Numbers, characters and truth values; the others are not stable.
    fn skip_constant(&mut self) -> Option<()> {
        if self.accept('p') {
            return Some(());
        }
        if self.accept('B') {
            return self.number();
        }
        self.skip_type()?;
        self.accept('n');
        self.number()
    }

    fn until_end(&mut self, skip: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        while !self.accept('E') {
            skip(self)?;
        }
        Some(())
    }

    /// A name with what tells it from others like it.
    fn identifier(&mut self) -> Option<&'a str> {
        self.disambiguator()?;
        self.accept('u');
        let end = self.rest.find(|c: char| !c.is_ascii_digit())?;
        let len: usize = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        self.accept('_');
        let name = self.rest.get(..len)?;
        self.rest = &self.rest[len..];
        Some(name)
    }

    fn disambiguator(&mut self) -> Option<()> {
        self.optional('s')
    }

    /// A number, if this letter announces one.
    fn optional(&mut self, letter: char) -> Option<()> {
        if self.accept(letter) { self.number() } else { Some(()) }
    }

    fn number(&mut self) -> Option<()> {
        self.digits().map(drop)
    }

    fn digits(&mut self) -> Option<&'a str> {
        let (digits, rest) = self.rest.split_once('_')?;
        self.rest = rest;
        digits.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(digits)
    }

    /// Where a reference leads.
    fn earlier(&mut self) -> Option<Reader<'a>> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => usize::from(byte - b'0'),
            b'a'..=b'z' => usize::from(byte - b'a') + 10,
            _ => usize::from(byte - b'A') + 36,
        };
        let digits = self.digits()?;
        let add = |sum: usize, byte: u8| sum.checked_mul(62)?.checked_add(digit(byte));
        let number = digits.bytes().try_fold(0, add)?;
        let at = if digits.is_empty() { 0 } else { number.checked_add(1)? };
        Some(Reader { rest: self.whole.get(2..)?.get(at..)?, ..*self })
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn accept(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_belongs_to_the_crate_that_has_its_text() {
        let check = |symbol: &str, expected: Option<&str>| {
            assert_eq!(crate_of(symbol), expected, "{symbol}");
        };
        // A function, one in a module, a closure in one, and one made for types of others.
        check("_RNvCs1234_4mine3foo", Some("mine"));
        check("_RNvNtCs1234_4mine5inner3foo", Some("mine"));
        check("_RNCNvCs1234_4mine3foo0B3_", Some("mine"));
        check("_RINvCs1234_4mine3fooNtCs5_5other1TECs7_4user", Some("mine"));
        // Methods, of the type itself and of a trait, also for the types of others.
        check("_RNvMs3_Cs1234_4mineINtB5_4BagNtCs5_5other1TE3put", Some("mine"));
        check("_RNvXs_Cs1234_4mineINtB4_3BagmENtNtCs9_4core5clone5Clone5clone", Some("mine"));
        check("_RNvXNtCs1234_4mine5innermNtB2_5Trait3foo", Some("mine"));
        // Code of others made for types of this one.
        check("_RINvNtCs9_4core3ptr13drop_in_placeNtCs1234_4mine3BagECs7_4user", Some("core"));
        check("_RNvXs1_NtCs9_5alloc3vecINtB5_3VecNtCs1_4mine1TENtNtCs8_4core3ops4Drop4drop", {
            Some("alloc")
        });
    }

    #[test]
    fn a_default_method_belongs_to_the_crate_of_the_trait() {
        let check = |symbol: &str, expected: Option<&str>| {
            assert_eq!(crate_of(symbol), expected, "{symbol}");
        };
        let iterator = "NtNtNtNtCs9_4core4iter6traits8iterator8Iterator3nth";
        check(&format!("_RNvYINtCs1_4mine4IterRmE{iterator}"), Some("core"));
        check("_RNvYmNtCs1_4mine5Trait3foo", Some("mine"));
        check("_RNvYTRmShAtj3_FmbEuDNtCs9_4core3AnyEL_ENtCs1_4mine5Trait3foo", Some("mine"));
        check("_RNvYNtCs1_4mine3BagNtB4_5Trait3foo", Some("mine"));
        check("_RNvYFUKCRL0_mEuNtCs1_4mine5Trait3foo", Some("mine"));
        check("_RNvYDG_NtCs9_4core2FnIBc_mEp6OutputmEL_NtCs1_4mine5Trait3foo", Some("mine"));
    }

    #[test]
    fn what_is_no_such_name_belongs_to_nobody() {
        for symbol in ["", "main", "_R", "_RNv", "_ZN4mine3foo17h0123456789abcdefE", "_RB_", "_RY"]
        {
            assert_eq!(crate_of(symbol), None, "{symbol}");
        }
        assert_eq!(crate_of("_RNvCs1234_99mine3foo"), None);
        assert_eq!(crate_of(&format!("_RNvY{}", "R".repeat(100_000))), None);
    }
}
