//! Conversions, round trips and stores as assertions: these need the crate's own functions by name.

use gainsay_model::{api::Callee, spelling::Spelling, ty::Ty};
use gainsay_wire::{Kept, LawId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::code::{Book, Imports, Variable, ident};

/// An object with what is needed to write calls about it.
pub(in crate::witness) struct Subject<'a> {
    pub(super) book: Book<'a>,
    pub(super) variable: &'a Variable,
    pub(super) imports: &'a mut Imports,
}

impl<'a> Subject<'a> {
    /// The assertion of a law, if it is one of these.
    pub(super) fn assertion(&mut self, law: &LawId) -> Option<TokenStream> {
        match law {
            LawId::ConversionKeeps { conversion, what } => {
                let (x, method) = (self.x(), ident(conversion));
                Some(self.kept(*what, &quote!(#x.clone().#method())))
            }
            LawId::IntoKeeps { target, what } => {
                let other = self.turned(&target.0, &self.x())?;
                Some(self.kept(*what, &other))
            }
            LawId::FromAndBackEquals { other } => self.there_and_back(&other.0),
            LawId::ReadEquals { read, tell } => {
                let check =
                    |x: &Ident| quote!(assert!(again == #x, "what is read is what was told"););
                self.read_again(read, tell, check)
            }
            LawId::ReadIsPrintedAlike { read } => self.read_again(read, "to_string", |x| {
                quote! {
                    assert_eq!(again.to_string(), #x.to_string(), "what is read is what was told");
                }
            }),
            LawId::GivesWhatWasTaken { get, put } => self.given_back(get, put),
            _ => None,
        }
    }

    pub(super) fn x(&self) -> Ident {
        self.variable.name.clone()
    }

    fn kept(&self, what: Kept, other: &TokenStream) -> TokenStream {
        let (x, message) = (self.x(), "a conversion keeps what is there");
        match what {
            Kept::Text => quote!(assert_eq!(#other.to_string(), #x.to_string(), #message);),
            Kept::Items => quote! {
                let other = #other;
                assert_eq!(shown(other.iter()), shown(#x.iter()), #message);
            },
        }
    }

    fn there_and_back(&mut self, other: &str) -> Option<TokenStream> {
        let x = self.x();
        let other = self.turned(other, &x)?;
        let own = self.imports.head(&self.variable.ty);
        Some(quote! {
            let other = #other;
            assert!(#own::from(other) == #x, "there and back again is where it began");
        })
    }

    /// `Target::from(x)`.
    fn turned(&mut self, target: &str, x: &Ident) -> Option<TokenStream> {
        let own = &self.variable.ty;
        let found = self.book.0.iter().find(|spelling| {
            let takes = matches!(&spelling.params[..], [param] if bare(&param.ty) == own);
            let makes = spelling.makes.first().and_then(|made| base(&made.ty)) == Some(target);
            takes && makes && ["from", "into"].contains(&function(spelling))
        })?;
        let head = self.imports.head(&found.makes.first()?.ty);
        let is_lent = matches!(found.params[0].ty, Ty::Ref { .. });
        Some(if is_lent { quote!(#head::from(&#x)) } else { quote!(#head::from(#x.clone())) })
    }

    fn read_again(
        &mut self,
        read: &str,
        told: &str,
        check: impl Fn(&Ident) -> TokenStream,
    ) -> Option<TokenStream> {
        let x = self.x();
        let spelling = self.reader(read)?;
        let (is_lent, unwrapped) =
            (matches!(spelling.params[0].ty, Ty::Ref { .. }), unwrapped(&spelling.result));
        if let Callee::Trait { path, .. } = &spelling.callee {
            self.imports.path(path);
        }
        let (own, read, tell) = (self.imports.head(&self.variable.ty), ident(read), ident(told));
        let told = match (is_lent, told.starts_with("as_")) {
            _ if told == "iter" => quote!(#x.iter().cloned()),
            (true, false) => quote!(&#x.#tell()),
            (false, true) => quote!(#x.#tell().to_owned()),
            (true, true) | (false, false) => quote!(#x.#tell()),
        };
        let check = check(&x);
        Some(quote!(let again = #own::#read(#told)#unwrapped; #check))
    }

    fn reader(&self, name: &str) -> Option<&'a Spelling> {
        let own = &self.variable.ty;
        self.book.0.iter().find(|spelling| {
            function(spelling) == name
                && matches!(&spelling.makes[..], [made] if made.ty == *own)
                && spelling.params.len() == 1
        })
    }

    fn given_back(&self, get: &str, put: &str) -> Option<TokenStream> {
        let own = &self.variable.ty;
        let method = |name: &str| {
            self.book.0.iter().find(|spelling| {
                let receiver = spelling.params.first().map(|param| bare(&param.ty));
                function(spelling) == name && receiver == Some(own)
            })
        };
        let (putting, getting) = (method(put)?, method(get)?);
        let is_signed =
            matches!(&putting.params.get(1)?.ty, Ty::Prim(name) if name.starts_with('i'));
        let values = if is_signed { quote!([0, 1, -1, 100, -100]) } else { quote!([0, 1, 100]) };
        let unwrapped = unwrapped(&getting.result);
        let is_wide = putting.params.len() == 3;
        let (put, get, x) = (ident(put), ident(get), self.x());
        let check = |args: TokenStream, asked: TokenStream| {
            quote! {
                let mut copy = #x.clone();
                copy.clear();
                let _ = copy.#put(#args);
                assert_eq!(copy.#get(#asked)#unwrapped, value, "what is put in comes out");
            }
        };
        Some(if is_wide {
            let check = check(quote!(value, width), quote!(width));
            quote!(for value in #values { for width in [1, 2, 4, 8] { #check } })
        } else {
            let check = check(quote!(value), quote!());
            quote!(for value in #values { #check })
        })
    }

    /// Brings the traits into scope whose methods an assertion calls on the object.
    pub(super) fn import_traits(&mut self, assertion: &TokenStream) {
        let text = assertion.to_string();
        for spelling in self.book.0 {
            let Callee::Trait { path, name, .. } = &spelling.callee else { continue };
            let receiver = spelling.params.first().map(|param| bare(&param.ty));
            let is_called = text.contains(&format!(". {name} ("));
            if receiver == Some(&self.variable.ty) && is_called && !path.starts_with("std::") {
                self.imports.path(path);
            }
        }
    }
}

/// What takes a value out of an option or a result.
pub(super) fn unwrapped(result: &Ty) -> TokenStream {
    match base(result) {
        Some("Option" | "Result") => quote!(.unwrap()),
        _ => TokenStream::new(),
    }
}

/// The type behind a reference.
pub(in crate::witness) fn bare(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ref { to, .. } => to,
        other => other,
    }
}

fn base(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Path { path, .. } => path.rsplit("::").next(),
        _ => None,
    }
}

/// The last part of the name of what is called.
pub(in crate::witness) fn function(spelling: &Spelling) -> &str {
    match &spelling.callee {
        Callee::Function { path, .. } => path.rsplit("::").next().unwrap_or(path),
        Callee::Inherent { name, .. } | Callee::Trait { name, .. } => name,
        Callee::Literal { .. } | Callee::Part { .. } => "",
    }
}
