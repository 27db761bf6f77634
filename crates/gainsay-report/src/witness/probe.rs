//! The element type that a witness brings along.

use proc_macro2::TokenStream;
use quote::quote;

use crate::code::ProbeForm;

/// What the items of a tracked probe need imported.
pub(super) const TRACKED_USES: &[&str] =
    &["std::collections::BTreeSet", "std::sync::Mutex", "std::sync::atomic::AtomicU64"];

/// Items that define `Probe`: a plain tuple, or one with `new` that notices misuse.
pub(super) fn items(form: ProbeForm) -> Vec<TokenStream> {
    match form {
        ProbeForm::Tuple => vec![plain()],
        ProbeForm::New => tracked_items(),
    }
}

fn plain() -> TokenStream {
    quote! {
        /// An element; any type would do.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[allow(dead_code)]
        struct Probe(i64);
    }
}

fn tracked_items() -> Vec<TokenStream> {
    vec![registry(), definition(), inherent(), lifetime(), comparisons(), showing()]
}

fn registry() -> TokenStream {
    quote! {
        /// Numbers of the elements that were made and not yet dropped.
        static LIVING: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
        static NEXT: AtomicU64 = AtomicU64::new(1);
    }
}

fn definition() -> TokenStream {
    quote! {
        /// An element that notices when it is dropped twice or used after its drop.
        struct Probe {
            key: i64,
            number: u64,
        }
    }
}

fn inherent() -> TokenStream {
    quote! {
        #[allow(dead_code)]
        impl Probe {
            fn new(key: i64) -> Probe {
                let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                LIVING.lock().unwrap().insert(number);
                Probe { key, number }
            }

            fn key(&self) -> i64 {
                let is_living = LIVING.lock().unwrap().contains(&self.number);
                assert!(is_living, "an element was used that is not alive");
                self.key
            }

            fn living() -> usize {
                LIVING.lock().unwrap().len()
            }
        }
    }
}

fn lifetime() -> TokenStream {
    quote! {
        impl Drop for Probe {
            fn drop(&mut self) {
                let was_living = LIVING.lock().unwrap().remove(&self.number);
                assert!(was_living, "an element was dropped that is not alive");
            }
        }

        impl Clone for Probe {
            fn clone(&self) -> Probe {
                Probe::new(self.key())
            }
        }

        impl Default for Probe {
            fn default() -> Probe {
                Probe::new(0)
            }
        }
    }
}

fn comparisons() -> TokenStream {
    quote! {
        impl PartialEq for Probe {
            fn eq(&self, other: &Probe) -> bool {
                self.key() == other.key()
            }
        }

        impl Eq for Probe {}

        impl PartialOrd for Probe {
            fn partial_cmp(&self, other: &Probe) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for Probe {
            fn cmp(&self, other: &Probe) -> std::cmp::Ordering {
                self.key().cmp(&other.key())
            }
        }

        impl std::hash::Hash for Probe {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.key().hash(state);
            }
        }
    }
}

fn showing() -> TokenStream {
    quote! {
        impl std::fmt::Debug for Probe {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "Probe({})", self.key())
            }
        }
    }
}
