//! From a plan to Rust source: tokens by `quote`, text by `prettyplease`. Each unit stands in a
//! known range of lines, so that a complaint of rustc leads back to it.

mod args;
mod closure;
mod lend;
mod result;
mod types;
mod units;
mod views;

use std::{collections::BTreeMap, fmt::Write as _};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::live::{Live, Unit};
use types::TypeWriter;

/// Units in one file; rustc's front end and a reader both prefer several files.
const UNITS_PER_FILE: usize = 100;

/// The module of aliases, which all others import.
const TYPES: &str = "types";

/// The generated sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Text by file name below `src/`.
    pub(crate) files: BTreeMap<String, String>,
    /// Units by file name, each with its first and last line.
    ranges: BTreeMap<String, Vec<(usize, usize, Unit)>>,
}

impl Sources {
    /// Generates the sources of what lives.
    pub(crate) fn new(live: &Live<'_>) -> Sources {
        let types = TypeWriter::new(live);
        let mut sources = Sources::default();
        let mut places = BTreeMap::new();
        for (module, units) in modules(live) {
            sources.add_module(live, &types, &module, &units);
            places.extend(units.into_iter().map(|unit| (unit, module.clone())));
        }
        let main = main(live, &places);
        sources.files.insert("main.rs".into(), text(main));
        sources
    }

    /// The unit at a line of a file, named by any path that ends in `src/<file>`.
    pub(crate) fn unit_at(&self, file: &str, line: usize) -> Option<Unit> {
        let name = file.rsplit(['/', '\\']).next()?;
        let ranges = self.ranges.get(name)?;
        ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&line)).map(|found| found.2)
    }

    fn add_module(&mut self, live: &Live<'_>, types: &TypeWriter, module: &str, units: &[Unit]) {
        let aliases = (module != TYPES).then(|| {
            quote!(
                use crate::types::*;
            )
        });
        let imports = quote! {
            use gainsay_own_runtime as rt;
            #aliases
        };
        let mut source = text(imports);
        let mut ranges = Vec::new();
        for &unit in units {
            source.push('\n');
            let first = source.lines().count() + 1;
            source.push_str(&text(units::unit(live, types, unit)));
            ranges.push((first, source.lines().count(), unit));
        }
        let file = [module, ".rs"].concat();
        self.files.insert(file.clone(), source);
        self.ranges.insert(file, ranges);
    }
}

/// The modules with their units.
fn modules(live: &Live<'_>) -> Vec<(String, Vec<Unit>)> {
    let of_kind = |wanted: fn(&Unit) -> bool| live.units().into_iter().filter(wanted).collect();
    let kinds: [(&str, Vec<Unit>); 3] = [
        ("able", of_kind(|unit| matches!(unit, Unit::Abilities(_)))),
        ("ops", of_kind(|unit| matches!(unit, Unit::Op(_)))),
        ("queries", of_kind(|unit| matches!(unit, Unit::Query(..)))),
    ];
    let mut modules = vec![(TYPES.to_owned(), of_kind(|unit| matches!(unit, Unit::Type(_))))];
    for (name, units) in kinds {
        for (number, units) in units.chunks(UNITS_PER_FILE).enumerate() {
            let mut module = name.to_owned();
            write!(module, "_{number}").expect("writing to a string succeeds");
            modules.push((module, units.to_vec()));
        }
    }
    modules
}

fn main(live: &Live<'_>, places: &BTreeMap<Unit, String>) -> TokenStream {
    let path = |unit: Unit| {
        let module = format_ident!("{}", places[&unit]);
        let name = units::unit_name(unit);
        quote!(#module::#name)
    };
    let mut modules: Vec<&String> = places.values().collect();
    modules.sort();
    modules.dedup();
    let modules =
        modules.iter().filter(|name| name.as_str() != TYPES).map(|name| format_ident!("{name}"));
    let types = live.types.iter().map(|&ty| {
        let entry = if live.able.contains(&ty) {
            let path = path(Unit::Abilities(ty));
            quote!(#path())
        } else {
            units::no_abilities(live, ty)
        };
        let queries = live.queries[&ty].iter().map(|&query| path(Unit::Query(ty, query)));
        quote!(rt::TypeEntry { queries: ::std::vec::Vec::from([#(#queries()),*]), ..#entry })
    });
    let ops = live.ops.iter().map(|&op| path(Unit::Op(op)));
    quote! {
        #![allow(warnings)]
        use gainsay_own_runtime as rt;
        mod types;
        #(mod #modules;)*
        fn main() {
            rt::run(rt::Tables { types: ::std::vec::Vec::from([#(#types),*]), ops: ::std::vec::Vec::from([#(#ops()),*]) })
        }
    }
}

/// Tokens as text. Tokens that are no syntax stay as they are: rustc will point at them.
pub(crate) fn text(tokens: TokenStream) -> String {
    let unformatted = tokens.to_string();
    match syn::parse2(tokens) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => [&unformatted, "\n"].concat(),
    }
}
