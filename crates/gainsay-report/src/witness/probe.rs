//! The element type that a witness brings along.

use std::collections::BTreeSet;

use gainsay_wire::{Callback, Twist};
use proc_macro2::TokenStream;
use quote::quote;

use super::{Aid, Element};

/// A trait that code may want of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the trait of its name")]
pub enum ElementTrait {
    Clone,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Display,
    Error,
}

impl ElementTrait {
    /// All there are.
    pub const ALL: [ElementTrait; 10] = [
        ElementTrait::Clone,
        ElementTrait::Default,
        ElementTrait::PartialEq,
        ElementTrait::Eq,
        ElementTrait::PartialOrd,
        ElementTrait::Ord,
        ElementTrait::Hash,
        ElementTrait::Debug,
        ElementTrait::Display,
        ElementTrait::Error,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ElementTrait::Clone => "Clone",
            ElementTrait::Default => "Default",
            ElementTrait::PartialEq => "PartialEq",
            ElementTrait::Eq => "Eq",
            ElementTrait::PartialOrd => "PartialOrd",
            ElementTrait::Ord => "Ord",
            ElementTrait::Hash => "Hash",
            ElementTrait::Debug => "Debug",
            ElementTrait::Display => "Display",
            ElementTrait::Error => "Error",
        }
    }

    /// What it cannot do without.
    fn with_supertraits(self) -> &'static [ElementTrait] {
        use ElementTrait::{Eq, Ord, PartialEq, PartialOrd};
        match self {
            ElementTrait::Clone => &[ElementTrait::Clone],
            ElementTrait::Default => &[ElementTrait::Default],
            ElementTrait::PartialEq => &[PartialEq],
            ElementTrait::Eq => &[PartialEq, Eq],
            ElementTrait::PartialOrd | ElementTrait::Ord => &[PartialEq, Eq, PartialOrd, Ord],
            ElementTrait::Hash => &[ElementTrait::Hash],
            ElementTrait::Debug => &[ElementTrait::Debug],
            ElementTrait::Display => &[ElementTrait::Display],
            ElementTrait::Error => {
                &[ElementTrait::Debug, ElementTrait::Display, ElementTrait::Error]
            }
        }
    }

    fn of(callback: Callback) -> &'static [ElementTrait] {
        match callback {
            Callback::Clone => &[ElementTrait::Clone],
            Callback::Eq => &[ElementTrait::PartialEq],
            Callback::Ord => &[ElementTrait::Ord],
            Callback::Hash => &[ElementTrait::Hash],
            Callback::Default => &[ElementTrait::Default],
            Callback::Any => &ElementTrait::ALL,
            Callback::Drop | Callback::Closure | Callback::Next => &[],
        }
    }
}

/// What the items of a tracked probe need imported.
pub(super) const TRACKED_USES: &[&str] = &[
    "std::collections::BTreeSet",
    "std::sync::Mutex",
    "std::sync::atomic::AtomicU64",
    "std::sync::atomic::Ordering::Relaxed",
];

/// What elements of a test have to do with what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// How the caller's code misbehaves.
    pub(crate) twist: Twist,
    /// What the test does beyond its calls.
    pub(crate) aid: Aid,
    /// Where elements may be.
    pub(crate) placed: Placed,
}

/// Where elements may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Placed {
    /// Where any type may be.
    #[default]
    Anywhere,
    /// At multiples of 64 only, and they notice.
    Aligned,
}

/// What is done on misuse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Misuse {
    /// The test fails on the spot.
    Fails,
    /// It is counted: while a panic is under way, a second one would end the process.
    Counts,
}

/// Items that define `Probe`: a plain tuple, or one with `new` that notices misuse. `body` is the
/// code that uses it.
pub(crate) fn items(element: &Element, manner: Manner, body: &TokenStream) -> Vec<TokenStream> {
    let Manner { twist, aid, placed } = manner;
    match element {
        Element::Integer => Vec::new(),
        Element::Tuple => vec![plain()],
        Element::Boxed => boxed(),
        Element::Tracked(traits) => {
            let is_caught = matches!(aid, Aid::Guard | Aid::GuardAndLook);
            let counts = twist != Twist::None || is_caught;
            let misuse = if counts { Misuse::Counts } else { Misuse::Fails };
            let asked = match twist {
                Twist::Fuse(callback, _) => ElementTrait::of(callback),
                _ => &[],
            };
            let all = traits.iter().chain(asked).flat_map(|it| it.with_supertraits());
            let (traits, body) = (all.copied().collect(), body.to_string());
            Tracked { misuse, twist, placed, traits, body }.items()
        }
    }
}

fn boxed() -> Vec<TokenStream> {
    let definition = quote! {
        /// An element of three words that owns memory.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        struct Probe(Box<i64>, [u64; 2]);
    };
    let inherent = quote! {
        #[allow(dead_code)]
        impl Probe {
            fn new(key: i64) -> Probe {
                Probe(Box::new(key), [0; 2])
            }

            fn key(&self) -> i64 {
                *self.0
            }
        }
    };
    vec![definition, inherent]
}

fn plain() -> TokenStream {
    quote! {
        /// An element; any type would do.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[allow(dead_code)]
        struct Probe(i64);
    }
}

/// An element that notices.
struct Tracked {
    misuse: Misuse,
    twist: Twist,
    placed: Placed,
    traits: BTreeSet<ElementTrait>,
    /// The code that uses it.
    body: String,
}

impl Tracked {
    fn items(&self) -> Vec<TokenStream> {
        let mut items = vec![registry()];
        if self.misuse == Misuse::Counts {
            items.push(counter());
        }
        items.extend([self.definition(), self.inherent(), self.dropping()]);
        items.extend(ElementTrait::ALL.into_iter().filter_map(|it| self.implementation(it)));
        items
    }

    /// The statement at the beginning of a callback that may panic.
    fn burn(&self, callback: Callback) -> Option<TokenStream> {
        matches!(self.twist, Twist::Fuse(fused, _) if fused == callback || fused == Callback::Any)
            .then(|| quote!(burn();))
    }

    /// Whether anything asks for the key.
    fn reads_key(&self) -> bool {
        let keyless = [ElementTrait::Default, ElementTrait::Eq, ElementTrait::Error];
        self.body.contains(". key ()") || self.traits.iter().any(|it| !keyless.contains(it))
    }

    fn definition(&self) -> TokenStream {
        let allowed = (!self.reads_key()).then(|| quote!(#[allow(dead_code)]));
        let aligned = (self.placed == Placed::Aligned).then(|| quote!(#[repr(align(64))]));
        quote! {
            /// An element that notices when it is dropped twice or used after its drop.
            #allowed
            #aligned
            struct Probe {
                key: i64,
                number: u64,
            }
        }
    }

    /// What is done when an element turns out not to be alive.
    fn check(&self, is_living: &TokenStream, words: &str) -> TokenStream {
        match self.misuse {
            Misuse::Fails => quote!(assert!(#is_living, #words);),
            Misuse::Counts => quote! {
                if !#is_living {
                    MISUSES.fetch_add(1, Relaxed);
                }
            },
        }
    }

    fn inherent(&self) -> TokenStream {
        let check = self.check(&quote!(is_living), "an element was used that is not alive");
        let key = self.reads_key().then(|| {
            quote! {
                fn key(&self) -> i64 {
                    let is_living = LIVING.lock().unwrap().contains(&self.number);
                    #check
                    self.key
                }
            }
        });
        let living = self.body.contains("Probe :: living").then(|| {
            quote! {
                fn living() -> usize {
                    LIVING.lock().unwrap().len()
                }
            }
        });
        quote! {
            impl Probe {
                fn new(key: i64) -> Probe {
                    let number = NEXT.fetch_add(1, Relaxed);
                    LIVING.lock().unwrap().insert(number);
                    Probe { key, number }
                }
                #key
                #living
            }
        }
    }

    fn dropping(&self) -> TokenStream {
        let words = "an element was dropped that is not alive";
        // A second panic while one is under way would end the process.
        let check = match self.misuse {
            Misuse::Fails => quote!(assert!(was_living || std::thread::panicking(), #words);),
            Misuse::Counts => self.check(&quote!(was_living), words),
        };
        let burn = self.burn(Callback::Drop);
        // What the compiler knows of addresses is not asked.
        let placed = (self.placed == Placed::Aligned).then(|| {
            quote! {
                let address = std::hint::black_box(std::ptr::from_ref(self) as usize);
                assert_eq!(address % 64, 0, "an element is not aligned");
            }
        });
        quote! {
            impl Drop for Probe {
                fn drop(&mut self) {
                    #placed
                    let was_living = LIVING.lock().unwrap().remove(&self.number);
                    #check
                    #burn
                }
            }
        }
    }

    fn implementation(&self, wanted: ElementTrait) -> Option<TokenStream> {
        if !self.traits.contains(&wanted) {
            return None;
        }
        let burn = match wanted {
            ElementTrait::Clone => self.burn(Callback::Clone),
            ElementTrait::Default => self.burn(Callback::Default),
            ElementTrait::PartialEq => self.burn(Callback::Eq),
            ElementTrait::Ord => self.burn(Callback::Ord),
            ElementTrait::Hash => self.burn(Callback::Hash),
            _ => None,
        };
        let burn = burn.as_ref();
        Some(match wanted {
            ElementTrait::Clone => cloning(burn),
            ElementTrait::Default => defaulting(burn),
            ElementTrait::PartialEq => equality(burn),
            ElementTrait::Eq => quote!(impl Eq for Probe {}),
            ElementTrait::PartialOrd => comparing(),
            ElementTrait::Ord => ordering(burn),
            ElementTrait::Hash => hashing(burn),
            ElementTrait::Debug => showing(&quote!(Debug)),
            ElementTrait::Display => showing(&quote!(Display)),
            ElementTrait::Error => quote!(impl std::error::Error for Probe {}),
        })
    }
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

fn cloning(burn: Option<&TokenStream>) -> TokenStream {
    quote! {
        impl Clone for Probe {
            fn clone(&self) -> Probe {
                #burn
                Probe::new(self.key())
            }
        }
    }
}

fn defaulting(burn: Option<&TokenStream>) -> TokenStream {
    quote! {
        impl Default for Probe {
            fn default() -> Probe {
                #burn
                Probe::new(0)
            }
        }
    }
}

fn equality(burn: Option<&TokenStream>) -> TokenStream {
    quote! {
        impl PartialEq for Probe {
            fn eq(&self, other: &Probe) -> bool {
                #burn
                self.key() == other.key()
            }
        }
    }
}

fn comparing() -> TokenStream {
    quote! {
        impl PartialOrd for Probe {
            fn partial_cmp(&self, other: &Probe) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    }
}

fn ordering(burn: Option<&TokenStream>) -> TokenStream {
    quote! {
        impl Ord for Probe {
            fn cmp(&self, other: &Probe) -> std::cmp::Ordering {
                #burn
                self.key().cmp(&other.key())
            }
        }
    }
}

fn hashing(burn: Option<&TokenStream>) -> TokenStream {
    quote! {
        impl std::hash::Hash for Probe {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                #burn
                self.key().hash(state);
            }
        }
    }
}

fn showing(how: &TokenStream) -> TokenStream {
    quote! {
        impl std::fmt::#how for Probe {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "Probe({})", self.key())
            }
        }
    }
}
