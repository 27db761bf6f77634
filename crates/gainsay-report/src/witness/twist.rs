//! What a test brings along so that its caller's code can misbehave.

use gainsay_wire::{Callback, Twist};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Functions and types that the twisted steps of `body` name.
pub(super) fn items(twist: Twist, body: &TokenStream) -> Vec<TokenStream> {
    let mut items = all_items(twist);
    if body.to_string().contains("caught (") {
        items.push(caught());
    }
    items
}

fn all_items(twist: Twist) -> Vec<TokenStream> {
    match twist {
        Twist::None | Twist::Forget => Vec::new(),
        Twist::Fuse(callback, _) => {
            let mut items = vec![fuse(callback), with_fuse()];
            if callback == Callback::Next {
                let claims = TokenStream::new();
                items.push(iterator("/// Items whose `next` panics when it is its turn.", &claims));
            }
            items
        }
        Twist::Shy => {
            let hint = quote! {
                fn size_hint(&self) -> (usize, Option<usize>) {
                    (0, None)
                }
            };
            let doc = "/// Items that say nothing about their number, as they may.";
            // Where a number is asked for that cannot be unknown, it is the truth.
            let len = quote! {
                impl<I: ExactSizeIterator> ExactSizeIterator for Items<I> {
                    fn len(&self) -> usize {
                        self.0.len()
                    }
                }
            };
            vec![iterator(doc, &hint), len]
        }
        Twist::Lie(by) => lying(by),
    }
}

/// What they need imported.
pub(super) fn uses(twist: Twist) -> &'static [&'static str] {
    match twist {
        Twist::Fuse(..) => {
            &["std::sync::atomic::AtomicI64", "std::sync::atomic::Ordering::Relaxed"]
        }
        _ => &[],
    }
}

fn lying(by: i32) -> Vec<TokenStream> {
    let (claims_less, admits_all) = (by < 0, by < 0 && by % 2 != 0);
    let by = Literal::i32_unsuffixed(by);
    let lower = if admits_all { quote!(lower) } else { quote!(lower.saturating_add_signed(#by)) };
    let upper = if claims_less {
        quote!(upper.map(|upper| upper.saturating_add_signed(#by)))
    } else {
        quote!(upper)
    };
    let hint = quote! {
        fn size_hint(&self) -> (usize, Option<usize>) {
            let (lower, upper) = self.0.size_hint();
            (#lower, #upper)
        }
    };
    let len = quote! {
        impl<I: ExactSizeIterator> ExactSizeIterator for Items<I> {
            fn len(&self) -> usize {
                self.0.len().saturating_add_signed(#by)
            }
        }
    };
    vec![iterator("/// Items that lie about their number.", &hint), len]
}

fn fuse(callback: Callback) -> TokenStream {
    let what = match callback {
        Callback::Closure => "calls of closures",
        Callback::Next => "calls of `next`",
        Callback::Clone => "clones of elements",
        Callback::Drop => "drops of elements",
        Callback::Eq | Callback::Ord => "comparisons of elements",
        Callback::Hash => "hashes of elements",
        Callback::Default => "default elements",
        Callback::Any => "callbacks",
    };
    let doc = format!(" How many {what} go well before one panics; none does below zero.");
    quote! {
        #[doc = #doc]
        static FUSE: AtomicI64 = AtomicI64::new(-1);

        fn burn() {
            if !std::thread::panicking() && FUSE.fetch_sub(1, Relaxed) == 0 {
                panic!("the caller's own code panics");
            }
        }
    }
}

fn with_fuse() -> TokenStream {
    quote! {
        /// Makes a step in which the caller's own code panics, and goes on afterwards.
        fn with_fuse(after: i64, step: impl FnOnce()) {
            FUSE.store(after, Relaxed);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(step));
            FUSE.store(-1, Relaxed);
        }
    }
}

fn caught() -> TokenStream {
    quote! {
        /// Makes a step that may well panic, and goes on afterwards.
        fn caught(step: impl FnOnce()) {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(step));
        }
    }
}

/// An iterator around another; `claims` is what it says of its length if not the truth.
fn iterator(doc: &str, claims: &TokenStream) -> TokenStream {
    let doc = doc.trim_start_matches("///");
    let (burns, hint, len) = if claims.is_empty() {
        let hint = quote! {
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        };
        let len = quote!(
            impl<I: ExactSizeIterator> ExactSizeIterator for Items<I> {}
        );
        (quote!(burn();), hint, len)
    } else {
        (TokenStream::new(), claims.clone(), TokenStream::new())
    };
    quote! {
        #[doc = #doc]
        struct Items<I>(I);

        impl<I: Iterator> Iterator for Items<I> {
            type Item = I::Item;

            fn next(&mut self) -> Option<I::Item> {
                #burns
                self.0.next()
            }

            #hint
        }

        impl<I: DoubleEndedIterator> DoubleEndedIterator for Items<I> {
            fn next_back(&mut self) -> Option<I::Item> {
                #burns
                self.0.next_back()
            }
        }

        #len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_brings_along_is_rust_for_every_misbehaviour() {
        let fuses = Callback::ALL.map(|callback| Twist::Fuse(callback, 2));
        let others = [Twist::Shy, Twist::Lie(3), Twist::Lie(-3), Twist::Forget];
        let body = quote!(caught(|| drop(x)););
        for twist in fuses.into_iter().chain(others) {
            let items = items(twist, &body);
            assert!(items.len() > usize::from(twist != Twist::Forget), "{twist}");
            for item in items {
                let parsed = syn::parse2::<syn::File>(item.clone());
                assert!(parsed.is_ok(), "{twist}: {item}");
            }
        }
    }

    #[test]
    fn who_claims_too_much_contradicts_himself() {
        let text = |by| lying(by).iter().map(ToString::to_string).collect::<String>();
        assert!(text(3).contains("(lower . saturating_add_signed (3) , upper)"));
        assert!(
            text(-3)
                .contains("(lower , upper . map (| upper | upper . saturating_add_signed (- 3)))")
        );
        assert!(text(-2).contains("(lower . saturating_add_signed (- 2) , upper . map"));
    }
}
