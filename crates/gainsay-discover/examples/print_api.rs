//! Prints the Api of a published crate or of the package in the current directory:
//! `cargo run -p gainsay-discover --example print_api -- NAME@VERSION`.
#![allow(clippy::print_stdout)]

use gainsay_discover::{Request, Unasked, discover, resolve, text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request = Request {
        manifest_path: None,
        package: None,
        published: std::env::args().nth(1).map(|spec| spec.parse()).transpose()?,
        features: gainsay_model::features::Features::default(),
        unasked: Unasked::Additive,
        current_dir: std::env::current_dir()?,
        target_dir: None,
    };
    let api = resolve(&request).and_then(|subject| discover(&subject)).map_err(|error| {
        let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        format!("{error}{hint}")
    })?;
    println!("{}", text(&api));
    Ok(())
}
