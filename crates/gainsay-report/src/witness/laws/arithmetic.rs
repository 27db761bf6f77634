//! Laws of numbers as assertions.

use gainsay_model::{api::Callee, spelling::Spelling, ty::Ty};
use gainsay_wire::{FloatForm, LawId, Operator};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::trips::{Subject, bare, function, unwrapped};
use crate::code::ident;

/// What the assertions about digits ask for.
const DIGITS: &str = "[0, 1, 3, 20, 40]";

/// What two numbers must have in common, and in words.
fn common(law: &LawId, x: &Ident, y: &Ident) -> Option<(TokenStream, TokenStream, &'static str)> {
    let (x, y) = (quote!(#x.clone()), quote!(#y.clone()));
    Some(match law {
        LawId::AddCommutes => (quote!(#x + #y), quote!(#y + #x), "sums have no order"),
        LawId::MulCommutes => (quote!(#x * #y), quote!(#y * #x), "products have no order"),
        LawId::SubTakesWhatAddGave => (quote!(#x + #y - #y), x, "what was added can be taken away"),
        LawId::AddGivesWhatSubTook => (quote!(#x - #y + #y), x, "what was taken away can be added"),
        LawId::SubOfItself => (quote!(#x - #x), quote!(#y - #y), "there is one zero"),
        LawId::AddOfNegIsSub => {
            (quote!(#x + -#y), quote!(#x - #y), "adding the negative is taking away")
        }
        _ => return None,
    })
}

impl Subject<'_> {
    /// Laws about one number, and about two that need the crate's functions by name.
    pub(super) fn computed(&mut self, law: &LawId, other: Option<&Ident>) -> Option<TokenStream> {
        let x = self.x();
        if let Some(y) = other {
            return self
                .together(law, &x, y)
                .or_else(|| self.checked(law, &x, y))
                .or_else(|| self.difference(law, &x, y))
                .or_else(|| self.alike(law, &x, y))
                .or_else(|| self.signed(law, &x, y));
        }
        let twin = ident("twin");
        if let Some(check) = self.together(law, &x, &twin) {
            return Some(quote!(let twin = #x.clone(); #check));
        }
        Some(match law {
            LawId::TwiceIsOnce { method } => return self.twice(method, &x),
            LawId::LeavesWhatIsRound { method } => leaves(&ident(method), &x),
            LawId::FloatAgreesWithText { form } => return self.told(*form, &x),
            LawId::NegOfNeg => {
                let words = "the negative of the negative is the same";
                self.equal((quote!(-(-#x.clone())), quote!(#x.clone()), words), [&x, &x])
            }
            LawId::TruncAndFractAreTheWhole => {
                let whole = quote!(#x.clone().trunc() + #x.clone().fract());
                self.equal((whole, quote!(#x.clone()), "parts make up the whole"), [&x, &x])
            }
            LawId::IsIntegerAgreesWithFract => quote! {
                let is_whole = #x.clone().fract().to_string().parse::<f64>() == Ok(0.0);
                assert_eq!(#x.is_integer(), is_whole, "an integer has no fraction");
            },
            LawId::AbsIsNotNegative => {
                let is_negative = self.sign()?;
                quote!(assert!(!#x.clone().abs().#is_negative());)
            }
            _ => return None,
        })
    }

    fn together(&self, law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
        common(law, x, y).map(|sides| self.equal(sides, [x, y]))
    }

    /// That two sides are equal but for digits that are lost with numbers of this size.
    fn equal(
        &self,
        (left, right, words): (TokenStream, TokenStream, &str),
        of: [&Ident; 2],
    ) -> TokenStream {
        if !self.is_printed() {
            return quote!(assert!(#left == #right, #words););
        }
        quote! {
            let (left, right) = (#left, #right);
            let texts = [&left, &right #(, &#of)*].map(|number| number.to_string());
            assert!(left == right || is_near(&texts), #words);
        }
    }

    /// The method of that name; one that needs no trait comes first.
    pub(super) fn method(&self, name: &str) -> Option<&Spelling> {
        let own = &self.variable.ty;
        let of_own = |spelling: &&Spelling| {
            let receiver = spelling.params.first().map(|param| bare(&param.ty));
            function(spelling) == name && receiver == Some(own)
        };
        let all = || self.book.0.iter().filter(of_own);
        all().find(|it| matches!(it.callee, Callee::Inherent { .. })).or_else(|| all().next())
    }

    fn sign(&self) -> Option<Ident> {
        let mut names = ["is_sign_negative", "is_negative"].iter();
        names.find(|name| self.method(name).is_some()).map(|name| ident(name))
    }

    fn checked(&self, law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
        let LawId::CarefulAgreesWith { careful, operator } = law else { return None };
        let checked = format!("{careful}_{operator}");
        let operator = match operator {
            Operator::Add => quote!(+),
            Operator::Sub => quote!(-),
            Operator::Mul => quote!(*),
            Operator::Div => quote!(/),
            Operator::Rem => quote!(%),
        };
        let spelling = self.method(&checked)?;
        let arg = self.lent(&checked, y)?;
        let (checked, unwrapped) = (ident(&checked), unwrapped(&spelling.result));
        let told = quote!(#x.clone().#checked(#arg)#unwrapped);
        let plain = quote!(#x.clone() #operator #y.clone());
        Some(self.equal((told, plain, "what is checked is the same"), [x, y]))
    }

    fn difference(&self, law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
        (*law == LawId::AbsSubIsSubOrZero).then_some(())?;
        let arg = self.lent("abs_sub", y)?;
        let told = quote!(#x.clone().abs_sub(#arg));
        let (more, none) = (quote!(#x.clone() - #y.clone()), quote!(#x.clone() - #x.clone()));
        let plain = quote!(if #x > #y { #more } else { #none });
        Some(self.equal((told, plain, "it is the difference, or zero"), [x, y]))
    }

    fn alike(&self, law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
        let (query, words) = match law {
            LawId::ZerosAreEqual => (ident("is_zero"), "there is one zero"),
            LawId::OnesAreEqual => (ident("is_one"), "there is one one"),
            _ => return None,
        };
        let equal = if self.method("cmp").is_some() {
            quote!(#x.cmp(&#y) == std::cmp::Ordering::Equal)
        } else {
            quote!(#x == #y)
        };
        Some(quote!(assert!(!(#x.#query() && #y.#query()) || #equal, #words);))
    }

    /// A number as what the method of that name takes beside another.
    fn lent(&self, name: &str, y: &Ident) -> Option<TokenStream> {
        let is_lent = matches!(self.method(name)?.params.get(1)?.ty, Ty::Ref { .. });
        Some(if is_lent { quote!(&#y) } else { quote!(#y.clone()) })
    }

    fn signed(&self, law: &LawId, x: &Ident, y: &Ident) -> Option<TokenStream> {
        (*law == LawId::SubHasTheSignOfTheOrder).then_some(())?;
        let is_negative = self.sign()?;
        Some(quote! {
            let rest = #x.clone() - #y.clone();
            assert_eq!(rest.#is_negative(), #x < #y, "what is less has less");
        })
    }

    /// Whether the object can be printed.
    fn is_printed(&self) -> bool {
        self.book.0.iter().any(|spelling| {
            let receiver = spelling.params.first().map(|param| bare(&param.ty));
            matches!(&spelling.callee, Callee::Trait { path, .. } if path.ends_with("::Display"))
                && receiver == Some(&self.variable.ty)
        })
    }

    fn twice(&self, name: &str, x: &Ident) -> Option<TokenStream> {
        let takes_digits = self.method(name)?.params.len() == 2;
        let (method, words) = (ident(name), "a second time changes nothing");
        let digits = takes_digits.then(|| quote!(digits));
        let check = if self.is_printed() {
            quote!(assert_eq!(once.clone().#method(#digits).to_string(), once.to_string(), #words);)
        } else {
            quote!(assert!(once.clone().#method(#digits) == once, #words);)
        };
        let check = quote!(let once = #x.clone().#method(#digits); #check);
        let all = digits_asked();
        Some(if takes_digits { quote!(for digits in #all { #check }) } else { check })
    }

    fn told(&self, form: FloatForm, x: &Ident) -> Option<TokenStream> {
        let told = match form {
            FloatForm::From => quote!(f64::from(#x.clone())),
            FloatForm::TryFrom => quote!(f64::try_from(#x.clone()).ok().unwrap()),
            FloatForm::To | FloatForm::As => {
                let (spelling, method) = (self.method(form.word())?, ident(form.word()));
                let unwrapped = unwrapped(&spelling.result);
                quote!(#x.#method()#unwrapped)
            }
        };
        Some(quote! {
            let (told, said) = (#told, #x.to_string().parse::<f64>().unwrap());
            let most = told.abs().max(said.abs());
            assert!((told - said).abs() <= 1e-6 * most, "{told} is not {said}");
        })
    }
}

fn digits_asked() -> TokenStream {
    DIGITS.parse().unwrap_or_default()
}

fn leaves(method: &Ident, x: &Ident) -> TokenStream {
    let all = digits_asked();
    quote! {
        let text = #x.to_string();
        let has = text.split_once('.').map_or(0, |(_, rest)| rest.len());
        for digits in #all {
            if has <= digits as usize {
                assert_eq!(#x.clone().#method(digits).to_string(), text, "it is round already");
            }
        }
    }
}

/// What `equal` needs beside a test.
pub(super) fn near() -> TokenStream {
    quote! {
        /// Whether the first two numbers are the same but for digits that are lost amid all of them.
        fn is_near(texts: &[String]) -> bool {
            let numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
            let most = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
            numbers.len() == texts.len() && (numbers[0] - numbers[1]).abs() <= 1e-6 * most
        }
    }
}
