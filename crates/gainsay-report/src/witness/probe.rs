//! The element type that a witness brings along.

use gainsay_wire::{Callback, Twist};
use proc_macro2::TokenStream;
use quote::quote;

use crate::code::ProbeForm;

/// What the items of a tracked probe need imported.
pub(super) const TRACKED_USES: &[&str] =
    &["std::collections::BTreeSet", "std::sync::Mutex", "std::sync::atomic::AtomicU64"];

/// The same for one that only takes note of misuse.
pub(super) const RECORDING_USES: &[&str] = &[
    "std::collections::BTreeSet",
    "std::sync::Mutex",
    "std::sync::atomic::AtomicU64",
    "std::sync::atomic::Ordering::Relaxed",
];

/// What is done on misuse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Misuse {
    /// The test fails on the spot.
    Fails,
    /// It is counted: while a panic is under way, a second one would end the process.
    Counts,
}

/// Items that define `Probe`: a plain tuple, or one with `new` that notices misuse.
pub(super) fn items(form: ProbeForm, twist: Twist) -> Vec<TokenStream> {
    match form {
        ProbeForm::Tuple => vec![plain()],
        ProbeForm::New => {
            let misuse = if twist == Twist::None { Misuse::Fails } else { Misuse::Counts };
            tracked_items(misuse, twist)
        }
    }
}

/// The statement at the beginning of a callback that may panic.
fn burn(callback: Callback, twist: Twist) -> Option<TokenStream> {
    matches!(twist, Twist::Fuse(fused, _) if fused == callback).then(|| quote!(burn();))
}

fn plain() -> TokenStream {
    quote! {
        /// An element; any type would do.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[allow(dead_code)]
        struct Probe(i64);
    }
}

fn tracked_items(misuse: Misuse, twist: Twist) -> Vec<TokenStream> {
    let mut items = vec![registry(), definition(), inherent(misuse)];
    if misuse == Misuse::Counts {
        items.push(counter());
    }
    items.extend([lifetime(misuse, twist), comparisons(twist), showing()]);
    items
}

fn counter() -> TokenStream {
    quote! {
        /// How often an element was dropped or used that is not alive.
        static MISUSES: AtomicU64 = AtomicU64::new(0);
    }
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

fn inherent(misuse: Misuse) -> TokenStream {
    let check = match misuse {
        Misuse::Fails => quote!(assert!(is_living, "an element was used that is not alive");),
        Misuse::Counts => quote! {
            if !is_living {
                MISUSES.fetch_add(1, Relaxed);
            }
        },
    };
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
                #check
                self.key
            }

            fn living() -> usize {
                LIVING.lock().unwrap().len()
            }
        }
    }
}

fn lifetime(misuse: Misuse, twist: Twist) -> TokenStream {
    let check = match misuse {
        Misuse::Fails => quote!(assert!(was_living, "an element was dropped that is not alive");),
        Misuse::Counts => quote! {
            if !was_living {
                MISUSES.fetch_add(1, Relaxed);
            }
        },
    };
    let burn = |callback| burn(callback, twist);
    let (drop, clone) = (burn(Callback::Drop), burn(Callback::Clone));
    let default = burn(Callback::Default);
    quote! {
        impl Drop for Probe {
            fn drop(&mut self) {
                let was_living = LIVING.lock().unwrap().remove(&self.number);
                #check
                #drop
            }
        }

        impl Clone for Probe {
            fn clone(&self) -> Probe {
                #clone
                Probe::new(self.key())
            }
        }

        impl Default for Probe {
            fn default() -> Probe {
                #default
                Probe::new(0)
            }
        }
    }
}

fn comparisons(twist: Twist) -> TokenStream {
    let burn = |callback| burn(callback, twist);
    let (eq, ord, hash) = (burn(Callback::Eq), burn(Callback::Ord), burn(Callback::Hash));
    quote! {
        impl PartialEq for Probe {
            fn eq(&self, other: &Probe) -> bool {
                #eq
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
                #ord
                self.key().cmp(&other.key())
            }
        }

        impl std::hash::Hash for Probe {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                #hash
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
