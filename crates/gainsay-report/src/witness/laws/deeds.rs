//! Laws about a call as assertions: what it was given, what it left and told.

use gainsay_model::spelling::{Passing, Spelling};
use gainsay_wire::{
    Arg, Kept, LawId, ListCall, LookUp, ObjRef, PairComparison, Sequence, Step, Value,
};
use proc_macro2::TokenStream;
use quote::quote;

use super::trips::function;
use crate::code::{Book, Code, Lets, Literals, ProbeForm, Suffix, ident};

/// The calls and what is asserted of the last one, if the law is about a call.
pub(in crate::witness) fn body(
    law: &LawId,
    sequence: &Sequence,
    book: Book<'_>,
    (code, probe): (&mut Code, ProbeForm),
) -> Option<TokenStream> {
    let step = sequence.steps.last()?;
    let mut deed = Deed { step, spelling: book.spelling(step.op)?, book, code, probe };
    match law {
        LawId::ConversionKeeps { conversion, what } => {
            let is_it = function(deed.spelling) == conversion;
            is_it.then(|| deed.kept(*what, sequence.steps.len())).flatten()
        }
        LawId::IntoKeeps { what, .. } => {
            let is_it = ["from", "into"].contains(&function(deed.spelling));
            is_it.then(|| deed.kept(*what, sequence.steps.len())).flatten()
        }
        LawId::DoesAsOnAList { call } => deed.as_on_a_list(*call),
        LawId::FindsWhatInsertTook { query } => deed.found(*query),
        LawId::MakesRoom { .. } => deed.has_room(),
        LawId::InsertGivesWhatWasInserted => deed.given_back(),
        LawId::AppendJoinsBoth => deed.joined(),
        LawId::AppendEmptiesTheOther => deed.emptied(),
        LawId::GoesBothWaysWith { comparison, .. } => deed.both_ways(*comparison),
        _ => None,
    }
}

struct Deed<'a> {
    step: &'a Step,
    spelling: &'a Spelling,
    book: Book<'a>,
    code: &'a mut Code,
    probe: ProbeForm,
}

impl Deed<'_> {
    fn object(&self, at: usize) -> Option<TokenStream> {
        let Arg::Object(object) = self.step.args.get(at)? else { return None };
        let name = &self.code.variables.get(object).filter(|variable| !variable.is_moved)?.name;
        Some(quote!(#name))
    }

    /// A plain argument as it is passed to a function.
    fn argument(&mut self, at: usize, to: &Spelling, param: usize) -> Option<TokenStream> {
        let (Arg::Plain(value), param) = (self.step.args.get(at)?, to.params.get(param)?) else {
            return None;
        };
        if !matches!(param.passing, Passing::Plain | Passing::Iterator) {
            return None;
        }
        Some(self.literal(value, &param.ty))
    }

    fn literal(&mut self, value: &Value, ty: &gainsay_model::ty::Ty) -> TokenStream {
        let (imports, probe, suffix) = (&mut self.code.imports, self.probe, Suffix::Left);
        let lets = &mut Lets::default();
        Literals { imports, probe, suffix, lets }.write(value, ty)
    }

    /// What a conversion made of an object that it used up.
    fn kept(&mut self, what: Kept, steps: usize) -> Option<TokenStream> {
        let Arg::Object(object) = self.step.args.first()? else { return None };
        let made = ObjRef { step: u32::try_from(steps).ok()?.checked_sub(1)?, out: 0 };
        let x = &self.code.variables.get(object)?.name;
        let made = &self.code.variables.get(&made)?.name;
        let [earlier, last] = &self.code.halves;
        let shown = |x: &proc_macro2::Ident| match what {
            Kept::Text => quote!(#x.to_string()),
            Kept::Items => quote!(shown(#x.iter())),
        };
        let (before, after) = (shown(x), shown(made));
        Some(quote! {
            #earlier
            let before = #before;
            #last
            assert_eq!(#after, before, "a conversion keeps what is there");
        })
    }

    fn as_on_a_list(&mut self, call: ListCall) -> Option<TokenStream> {
        let x = self.object(0)?;
        let spelling = self.spelling;
        let args: Vec<TokenStream> = (1..spelling.params.len())
            .map(|at| self.argument(at, spelling, at))
            .collect::<Option<_>>()?;
        let expect = match (call, &args[..]) {
            (ListCall::Push | ListCall::PushBack, [item]) => {
                quote!(expected.push(format!("{:?}", #item));)
            }
            (ListCall::PushFront, [item]) => quote!(expected.insert(0, format!("{:?}", #item));),
            (ListCall::Insert, [at, item]) => quote!(expected.insert(#at, format!("{:?}", #item));),
            (ListCall::Extend | ListCall::ExtendFromSlice, [items]) => {
                quote!(expected.extend(shown(#items));)
            }
            (ListCall::Pop | ListCall::PopBack, []) => quote!(expected.pop();),
            (ListCall::PopFront, []) => {
                quote!(expected.drain(..expected.len().min(1));)
            }
            (ListCall::Swap, [a, b]) => quote!(expected.swap(#a, #b);),
            _ => return None,
        };
        let [earlier, last] = &self.code.halves;
        Some(quote! {
            #earlier
            let mut expected = shown(#x.iter());
            #last
            #expect
            assert_eq!(shown(#x.iter()), expected, "it must do what it does on any list");
        })
    }

    fn has_room(&mut self) -> Option<TokenStream> {
        let x = self.object(0)?;
        let spelling = self.spelling;
        let asked = self.argument(1, spelling, 1)?;
        let [earlier, last] = &self.code.halves;
        Some(quote! {
            #earlier
            let countable = #x.len().checked_add(#asked).is_some();
            #last
            assert!(countable, "what nobody can count must be refused");
            assert!(#x.capacity() >= #asked, "there must be room for what was asked for");
        })
    }

    fn found(&mut self, query: LookUp) -> Option<TokenStream> {
        let x = self.object(0)?;
        let own = &self.spelling.params.first()?.ty;
        let asked = self.book.0.iter().find(|spelling| {
            let of = |ty| super::trips::bare(ty) == super::trips::bare(own);
            function(spelling) == query.word()
                && spelling.params.len() == 2
                && spelling.params.first().is_some_and(|param| of(&param.ty))
        })?;
        let key = self.argument(1, asked, 1)?;
        let (method, spelling) = (ident(query.word()), self.spelling);
        let value = self.argument(2, spelling, 2);
        let calls = &self.code.statements;
        let check = match value {
            Some(value) if query == LookUp::Get => quote! {
                let found = format!("{:?}", #x.get(#key));
                assert_eq!(found, format!("{:?}", Some(#value)), "what is put in must be found");
            },
            _ if query == LookUp::Get => quote!(assert!(#x.get(#key).is_some());),
            _ => quote!(assert!(#x.#method(#key), "what is put in must be found");),
        };
        Some(quote!(#calls #check))
    }

    fn given_back(&mut self) -> Option<TokenStream> {
        let spelling = self.spelling;
        let value = self.argument(1, spelling, 1)?;
        let is_result = matches!(&spelling.result,
            gainsay_model::ty::Ty::Path { path, .. } if path.ends_with("::Result"));
        let result = if is_result { quote!(result.unwrap()) } else { quote!(result) };
        let calls = &self.code.statements;
        Some(quote! {
            #calls
            assert_eq!(format!("{:?}", #result), format!("{:?}", #value), "it was just put in");
        })
    }

    fn joined(&self) -> Option<TokenStream> {
        let (x, y) = (self.object(0)?, self.object(1)?);
        let [earlier, last] = &self.code.halves;
        Some(quote! {
            #earlier
            let mut expected = shown(#x.iter());
            expected.extend(shown(#y.iter()));
            #last
            assert_eq!(shown(#x.iter()), expected, "it must stand after what was there");
        })
    }

    fn emptied(&self) -> Option<TokenStream> {
        let y = self.object(0).and(self.object(1))?;
        let [earlier, last] = &self.code.halves;
        Some(quote! {
            #earlier
            #last
            assert_eq!(#y.iter().count(), 0, "what was appended is there no more");
        })
    }

    fn both_ways(&mut self, comparison: PairComparison) -> Option<TokenStream> {
        let (a, b) = (self.object(0)?, self.object(1)?);
        let calls = &self.code.halves[0];
        let check = match comparison {
            PairComparison::PartialCmp => quote! {
                let back = PartialOrd::partial_cmp(&#b, &#a).map(std::cmp::Ordering::reverse);
                assert_eq!(PartialOrd::partial_cmp(&#a, &#b), back, "order must go both ways");
            },
            PairComparison::Eq => quote! {
                let back = PartialEq::eq(&#b, &#a);
                assert_eq!(PartialEq::eq(&#a, &#b), back, "equality must go both ways");
            },
        };
        Some(quote!(#calls #check))
    }
}
