//! All patches of a file in one source, switched at run time: a piece `e` with the patch `p` becomes
//! `(if crate::__gainsay_patches::p17() { p } else { e })`. One with a guard is looked up where the
//! function begins: `let __p17 = crate::__gainsay_patches::p17() && guard;`. Lines stay where they
//! are.

use std::{fmt::Write as _, ops::Range};

use proc_macro2::Literal;
use quote::{format_ident, quote};

use super::{Patch, PatchNumber, Place};
use crate::code::text;

/// The variable of the environment that says which patches are on: their numbers with commas
/// between.
pub const SWITCHED_ON: &str = "GAINSAY_PATCHES";

/// What is put at the end of the crate's root. The rest is in another file that is no `.rs`:
/// sources are searched for values to test with, and these are none.
pub(super) const ROOT: &str = "#[doc(hidden)] mod __gainsay_patches \
    { include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/patches.in\")); }";

/// The file that [`ROOT`] includes.
pub(super) const SWITCHES_FILE: &str = "patches.in";

/// A source with all its patches, and where each is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The source.
    pub text: String,
    /// Each piece that is only run when its patch is on.
    arms: Vec<(Range<usize>, PatchNumber)>,
    /// Each place with all that stands there, the original included.
    sites: Vec<(Range<usize>, Vec<PatchNumber>)>,
}

/// What stands at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The look-up of guards, where a function begins.
    Lookup,
    /// Patches of one form.
    Patched(Place),
}

struct Site<'a> {
    at: Range<usize>,
    kind: Kind,
    patches: Vec<(PatchNumber, &'a Patch)>,
}

impl Site<'_> {
    /// Between two pieces: it has nothing of the original in it.
    fn is_between(&self) -> bool {
        matches!(self.kind, Kind::Lookup | Kind::Patched(Place::Gap | Place::Insertion))
    }
}

impl Schema {
    /// The source with these patches.
    pub fn new(source: &str, patches: &[(PatchNumber, &Patch)]) -> Schema {
        let mut schema = Schema::default();
        schema.render(source, 0..source.len(), &collect_sites(patches));
        schema
    }

    fn render(&mut self, source: &str, range: Range<usize>, sites: &[Site<'_>]) {
        let (mut at, mut i) = (range.start, 0);
        while let Some(site) = sites.get(i) {
            self.text.push_str(&source[at..site.at.start]);
            let inside = sites[i + 1..].iter().take_while(|it| it.at.end <= site.at.end);
            let count = if site.is_between() { 0 } else { inside.count() };
            let inner = &sites[i + 1..i + 1 + count];
            match site.kind {
                Kind::Lookup => self.render_guards(site),
                Kind::Patched(Place::Insertion) => self.render_insertions(site),
                Kind::Patched(_) => self.render_switches(source, site, inner),
            }
            at = site.at.end;
            i += 1 + count;
        }
        self.text.push_str(&source[at..range.end]);
    }

    /// Looks up, where a function begins, which of its patches are on.
    fn render_guards(&mut self, site: &Site<'_>) {
        for (number, patch) in &site.patches {
            let guard = patch.guard.as_ref().map_or("true", |guard| guard.text.as_str());
            let from = self.text.len();
            write!(
                self.text,
                " let __p{number} = crate::__gainsay_patches::p{number}() && {guard}; "
            )
            .expect("writing to a string");
            self.arms.push((from..self.text.len(), *number));
        }
    }

    fn render_insertions(&mut self, site: &Site<'_>) {
        for (number, patch) in &site.patches {
            let from = self.text.len();
            self.text.push_str(&patch.text);
            self.arms.push((from..self.text.len(), *number));
            self.sites.push((from..self.text.len(), vec![*number]));
        }
    }

    fn render_switches(&mut self, source: &str, site: &Site<'_>, inner: &[Site<'_>]) {
        let is_expression = site.kind == Kind::Patched(Place::Expression);
        let is_gap = site.kind == Kind::Patched(Place::Gap);
        let from = self.text.len();
        self.text.push_str(if is_expression { "(" } else { "" });
        for (number, patch) in &site.patches {
            let switch = match &patch.guard {
                Some(_) => format!("__p{number}"),
                None => format!("crate::__gainsay_patches::p{number}()"),
            };
            write!(self.text, "if {switch} {{ ").expect("writing to a string");
            let arm = self.text.len();
            self.text.push_str(&patch.text);
            self.arms.push((arm..self.text.len(), *number));
            self.text.push_str(if is_gap { " } " } else { " } else " });
        }
        if !is_gap {
            self.text.push_str("{ ");
            self.render(source, site.at.clone(), inner);
            self.text.push_str(" }");
        }
        self.text.push_str(if is_expression { ")" } else { "" });
        let numbers = site.patches.iter().map(|(number, _)| *number).collect();
        self.sites.push((from..self.text.len(), numbers));
    }

    /// The patches that an error at this place is about: the one in whose piece it is, else those of
    /// the smallest site around it.
    pub fn blame_enclosing(&self, at: &Range<usize>) -> Vec<PatchNumber> {
        let holds = |range: &Range<usize>| range.start <= at.start && at.end <= range.end;
        let arm = self.arms.iter().find(|(range, _)| holds(range));
        let touched = |range: &Range<usize>| range.start < at.end && at.start < range.end;
        if let Some((_, number)) = arm {
            return vec![*number];
        }
        let around = self.sites.iter().filter(|(range, _)| holds(range));
        if let Some((_, numbers)) = around.min_by_key(|(range, _)| range.len()) {
            return numbers.clone();
        }
        let inside = self.sites.iter().filter(|(range, _)| touched(range));
        inside.flat_map(|(_, numbers)| numbers.iter().copied()).collect()
    }

    /// The patches of the site that is nearest to a place: a borrow that lasts too long is reported
    /// where it begins.
    pub fn blame_nearest(&self, at: &Range<usize>) -> Vec<PatchNumber> {
        let far = |range: &Range<usize>| {
            range.start.saturating_sub(at.end).max(at.start.saturating_sub(range.end))
        };
        let nearest = self.sites.iter().min_by_key(|(range, _)| far(range));
        nearest.map(|(_, numbers)| numbers.clone()).unwrap_or_default()
    }
}

/// The sites of patches, in the order in which they are written.
fn collect_sites<'a>(patches: &[(PatchNumber, &'a Patch)]) -> Vec<Site<'a>> {
    let mut sites: Vec<Site<'_>> = Vec::new();
    for (number, patch) in patches {
        let guard = patch.guard.iter().map(|guard| (guard.at..guard.at, Kind::Lookup));
        for (at, kind) in guard.chain([(patch.at.clone(), Kind::Patched(patch.place))]) {
            match sites.iter_mut().find(|it| it.at == at && it.kind == kind) {
                Some(site) => site.patches.push((*number, patch)),
                None => sites.push(Site { at, kind, patches: vec![(*number, patch)] }),
            }
        }
    }
    // What contains others comes first, gaps before what begins there, statements before the
    // expressions that they are.
    sites.sort_by_key(|site| {
        (
            site.at.start,
            site.kind != Kind::Lookup,
            !site.is_between(),
            usize::MAX - site.at.end,
            site.kind == Kind::Patched(Place::Expression),
        )
    });
    sites
}

/// The switches, for a file of their own: a function for each patch, and other items that guards
/// and patches may call.
pub(super) fn write_switches(numbers: impl Iterator<Item = PatchNumber>, items: &str) -> String {
    let numbers: Vec<PatchNumber> = numbers.collect();
    let words = numbers.iter().max().map_or(1, |most| most / 64 + 1);
    let words = Literal::u32_unsuffixed(words);
    let functions = numbers.into_iter().map(|number| {
        let (name, number) = (format_ident!("p{number}"), Literal::u32_unsuffixed(number));
        quote! {
            #[inline(always)]
            pub(crate) fn #name() -> bool {
                is_on(#number)
            }
        }
    });
    // The crate may have no `std` in scope, or another thing of that name.
    let switches = text(quote! {
        extern crate std as patches_std;
        use self::patches_std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
        static ON: [AtomicU64; #words] = [const { AtomicU64::new(0) }; #words];
        static LOOKED: AtomicBool = AtomicBool::new(false);
        #[inline(always)]
        fn is_on(number: usize) -> bool {
            if !LOOKED.load(Ordering::Acquire) {
                look_up();
            }
            ON[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
        }
        #[cold]
        fn look_up() {
            let list = self::patches_std::env::var(#SWITCHED_ON).unwrap_or_default();
            for number in list.split(',').filter_map(|number| number.parse::<usize>().ok()) {
                if let Some(word) = ON.get(number / 64) {
                    word.fetch_or(1 << (number % 64), Ordering::Relaxed);
                }
            }
            LOOKED.store(true, Ordering::Release);
        }
        #(#functions)*
    });
    switches + items
}

#[cfg(test)]
mod tests;
