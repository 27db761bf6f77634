//! What a person would leave out: suffixes of numbers, and the `into_iter` of a list that is passed
//! on. The compiler can do without them most of the time; where it cannot, they stay.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// How much is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polish {
    /// All that can be missed; it may not compile.
    Bold,
    /// Nothing.
    Careful,
}

impl Polish {
    pub(crate) fn applied(self, code: TokenStream) -> TokenStream {
        match self {
            Polish::Careful => code,
            Polish::Bold => polished(code),
        }
    }
}

fn polished(code: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let mut kept = TokenStream::new();
    let mut i = 0;
    while let Some(tree) = trees.get(i) {
        i += 1;
        match tree {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), polished(group.stream()));
                inside.set_span(group.span());
                kept.extend([TokenTree::Group(inside)]);
                if group.delimiter() == Delimiter::Bracket && ends_with_into_iter(&trees[i..]) {
                    i += INTO_ITER;
                }
            }
            TokenTree::Literal(literal) => {
                kept.extend([TokenTree::Literal(without_suffix(literal))]);
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => kept.extend([tree.clone()]),
        }
    }
    kept
}

/// Tokens of `.into_iter()`.
const INTO_ITER: usize = 3;

/// Whether `.into_iter()` follows, and the argument ends with it.
fn ends_with_into_iter(after: &[TokenTree]) -> bool {
    let [TokenTree::Punct(dot), TokenTree::Ident(name), TokenTree::Group(nothing), rest @ ..] =
        after
    else {
        return false;
    };
    let is_passed_on = match rest.first() {
        None => true,
        Some(TokenTree::Punct(punct)) => punct.as_char() == ',',
        Some(_) => false,
    };
    dot.as_char() == '.' && name == "into_iter" && nothing.stream().is_empty() && is_passed_on
}

/// `3usize` as `3`.
fn without_suffix(literal: &Literal) -> Literal {
    const SUFFIXES: [&str; 12] =
        ["i128", "u128", "isize", "usize", "i16", "i32", "i64", "u16", "u32", "u64", "i8", "u8"];
    let text = literal.to_string();
    let digits = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix));
    let is_number = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.filter(is_number).and_then(|digits| digits.parse::<u128>().ok());
    number.map_or_else(|| literal.clone(), Literal::u128_unsuffixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        let tokens = |text: &str| text.parse::<TokenStream>().unwrap();
        let polished = Polish::Bold.applied(tokens(code)).to_string();
        assert_eq!(polished, tokens(expected).to_string());
        assert_eq!(Polish::Careful.applied(tokens(code)).to_string(), tokens(code).to_string());
    }

    #[test]
    fn what_the_compiler_knows_is_left_out() {
        check(
            "map.extend([(1usize, 0i64), (2usize, 1i64)].into_iter());",
            "map.extend([(1, 0), (2, 1)]);",
        );
        check("f(vec![1u8].into_iter(), 3i32)", "f(vec![1], 3)");
    }

    #[test]
    fn what_means_something_stays() {
        for code in [
            "f([1].into_iter().rev())",
            "f(x.into_iter())",
            "let it = [1].into_iter();",
            "f(\"3u8\", 0x1f32, 1.5, 'a')",
        ] {
            check(code, code);
        }
    }
}
