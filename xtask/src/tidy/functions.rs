//! Length of functions. A longer one is allowed with a `// long: reason` line above it.

use syn::{spanned::Spanned as _, visit::Visit};

use super::{Complaint, File};

/// Longest function, from `fn` to its closing brace.
const MOST_LINES: usize = 60;

/// How far above `fn` the reason may stand: attributes come in between.
const ABOVE: usize = 6;

pub(super) fn check(file: &File<'_>) -> Vec<Complaint> {
    // Tests are lists of cases.
    if super::text::is_test(file.path) {
        return Vec::new();
    }
    let parsed = match syn::parse_file(file.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let line = error.span().start().line;
            return vec![file.complaint(line, format!("is no Rust: {error}"))];
        }
    };
    let mut functions = Functions::default();
    functions.visit_file(&parsed);
    let lines: Vec<&str> = file.text.lines().collect();
    let too_long = functions.found.into_iter().filter(|function| {
        let first = function.first.saturating_sub(1);
        let above = &lines[first.saturating_sub(ABOVE)..first.min(lines.len())];
        let has_reason = above.iter().any(|line| line.trim_start().starts_with("// long: "));
        function.lines() > MOST_LINES && !has_reason
    });
    too_long
        .map(|function| {
            let what = format!("`{}` has {} lines", function.name, function.lines());
            file.complaint(function.first, what)
        })
        .collect()
}

struct Function {
    name: String,
    first: usize,
    last: usize,
}

impl Function {
    fn lines(&self) -> usize {
        self.last + 1 - self.first
    }
}

#[derive(Default)]
struct Functions {
    found: Vec<Function>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        self.found.push(Function {
            name: signature.ident.to_string(),
            first: signature.fn_token.span().start().line,
            last: block.span().end().line,
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        // So are test modules.
        if item.ident != "tests" {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        check(&File { path: "a.rs", text }).into_iter().map(|c| c.what).collect()
    }

    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_may_have_sixty_lines() {
        assert_eq!(complaints(&function(60)), Vec::<String>::new());
        assert_eq!(complaints(&function(61)), ["`f` has 61 lines"]);
    }

    #[test]
    fn a_reason_allows_more() {
        let allowed = format!("// long: one flat match\n#[cold]\n{}", function(80));
        assert_eq!(complaints(&allowed), Vec::<String>::new());
    }

    #[test]
    fn methods_and_nested_functions_count_and_tests_do_not() {
        assert_eq!(complaints(&format!("impl A {{\n{}}}", function(61))).len(), 1);
        assert_eq!(complaints(&format!("trait A {{\n{}}}", function(61))).len(), 1);
        assert_eq!(complaints(&format!("mod tests {{\n{}}}", function(61))).len(), 0);
    }

    #[test]
    fn what_is_no_rust_is_said_to_be_none() {
        assert_eq!(complaints("fn (").len(), 1);
    }
}
