//! All mutants of a file in one source, switched at run time: a piece `e` with the mutant `m`
//! becomes `(if crate::__mutants::m17() { m } else { e })`. One with a guard is looked up where the
//! function begins: `let __m17 = crate::__mutants::m17() && guard;`. Lines stay where they are.

use std::{fmt::Write as _, ops::Range};

use super::{
    guards::conditions,
    mutants::{Mutant, Place},
};

/// The variable that says which mutants are on: their numbers with commas between.
pub(super) const VARIABLE: &str = "GAINSAY_MUTANT";

/// What is put at the end of the crate's root: the rest is in another file, where nobody looks for
/// values to test with.
pub(super) const ROOT: &str = "#[doc(hidden)] mod __mutants \
    { include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/mutants.in\")); }";

/// A source with all mutants, and where each is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Schema {
    pub(super) text: String,
    /// The piece that is only run when the mutant is on.
    arms: Vec<(Range<usize>, u32)>,
    /// All of it, the original included.
    sites: Vec<(Range<usize>, Vec<u32>)>,
}

impl Schema {
    /// The source with these mutants, which have numbers.
    pub(super) fn new(source: &str, mutants: &[(u32, &Mutant)]) -> Schema {
        let mut schema = Schema::default();
        let mut sites: Vec<Site<'_>> = Vec::new();
        for (number, mutant) in mutants {
            let guard = mutant.guard.iter().map(|guard| (guard.at..guard.at, Place::Entry));
            for (at, place) in guard.chain([(mutant.at.clone(), mutant.place)]) {
                match sites.iter_mut().find(|it| it.at == at && it.place == place) {
                    Some(site) => site.mutants.push((*number, mutant)),
                    None => sites.push(Site { at, place, mutants: vec![(*number, mutant)] }),
                }
            }
        }
        // What contains others comes first, gaps before what begins there, statements before the
        // expressions that they are.
        sites.sort_by_key(|site| {
            (
                site.at.start,
                site.place != Place::Entry,
                site.place != Place::Gap,
                usize::MAX - site.at.end,
                site.place == Place::Expression,
            )
        });
        schema.render(source, 0..source.len(), &sites);
        schema
    }

    fn render(&mut self, source: &str, range: Range<usize>, sites: &[Site<'_>]) {
        let (mut at, mut i) = (range.start, 0);
        while let Some(site) = sites.get(i) {
            self.text.push_str(&source[at..site.at.start]);
            let inside = sites[i + 1..].iter().take_while(|it| it.at.end <= site.at.end);
            let is_between = matches!(site.place, Place::Gap | Place::Entry);
            let count = if is_between { 0 } else { inside.count() };
            let inner = &sites[i + 1..i + 1 + count];
            match site.place {
                Place::Entry => self.render_guards(site),
                _ => self.render_site(source, site, inner),
            }
            at = site.at.end;
            i += 1 + count;
        }
        self.text.push_str(&source[at..range.end]);
    }

    /// Looks up, where a function begins, which of its mutants are on.
    fn render_guards(&mut self, site: &Site<'_>) {
        for (number, mutant) in &site.mutants {
            let guard = mutant.guard.as_ref().map_or("true", |guard| guard.text.as_str());
            let from = self.text.len();
            write!(self.text, " let __m{number} = crate::__mutants::m{number}() && {guard}; ")
                .expect("writing to a string");
            self.arms.push((from..self.text.len(), *number));
        }
    }

    fn render_site(&mut self, source: &str, site: &Site<'_>, inner: &[Site<'_>]) {
        let from = self.text.len();
        self.text.push_str(if site.place == Place::Expression { "(" } else { "" });
        for (number, mutant) in &site.mutants {
            let switch = match &mutant.guard {
                Some(_) => format!("__m{number}"),
                None => format!("crate::__mutants::m{number}()"),
            };
            write!(self.text, "if {switch} {{ ").expect("writing to a string");
            let arm = self.text.len();
            self.text.push_str(&mutant.text);
            self.arms.push((arm..self.text.len(), *number));
            self.text.push_str(if site.place == Place::Gap { " } " } else { " } else " });
        }
        if site.place != Place::Gap {
            self.text.push_str("{ ");
            self.render(source, site.at.clone(), inner);
            self.text.push_str(" }");
        }
        self.text.push_str(if site.place == Place::Expression { ")" } else { "" });
        let numbers = site.mutants.iter().map(|(number, _)| *number).collect();
        self.sites.push((from..self.text.len(), numbers));
    }

    /// The mutants that an error at this place is about: the one in whose piece it is, else those of
    /// the smallest site around it.
    pub(super) fn blamed(&self, at: &Range<usize>) -> Vec<u32> {
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

    /// The mutants of the site that is nearest to a place: a borrow that lasts too long is told where
    /// it begins.
    pub(super) fn nearest(&self, at: &Range<usize>) -> Vec<u32> {
        let far = |range: &Range<usize>| {
            range.start.saturating_sub(at.end).max(at.start.saturating_sub(range.end))
        };
        let nearest = self.sites.iter().min_by_key(|(range, _)| far(range));
        nearest.map(|(_, numbers)| numbers.clone()).unwrap_or_default()
    }
}

struct Site<'a> {
    at: Range<usize>,
    place: Place,
    mutants: Vec<(u32, &'a Mutant)>,
}

/// There is room for the switches of 64 times so many mutants.
const WORDS: usize = 8;

/// The switches, for a file of their own.
pub(super) fn switches(numbers: impl Iterator<Item = u32>) -> String {
    let mut text = format!(
        "extern crate std as mutants_std;
use self::mutants_std::sync::atomic::{{AtomicBool, AtomicU64, Ordering}};
static ON: [AtomicU64; {WORDS}] = [const {{ AtomicU64::new(0) }}; {WORDS}];
static LOOKED: AtomicBool = AtomicBool::new(false);
#[inline(always)]
fn on(number: usize) -> bool {{
    if !LOOKED.load(Ordering::Acquire) {{
        look();
    }}
    ON[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
}}
#[cold]
fn look() {{
    let list = self::mutants_std::env::var(\"{VARIABLE}\").unwrap_or_default();
    for number in list.split(',').filter_map(|number| number.parse::<usize>().ok()) {{
        if let Some(word) = ON.get(number / 64) {{
            word.fetch_or(1 << (number % 64), Ordering::Relaxed);
        }}
    }}
    LOOKED.store(true, Ordering::Release);
}}
"
    );
    for number in numbers {
        writeln!(text, "#[inline(always)] pub(crate) fn m{number}() -> bool {{ on({number}) }}")
            .expect("writing to a string");
    }
    text + &conditions()
}

#[cfg(test)]
#[path = "schemata/tests.rs"]
mod tests;
