//! `cargo evaluation attributes`: whether the attributes that `cargo gainsay contracts` offers
//! compile where they belong, on copies of published crates.

mod insert;

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use anyhow::Context as _;
use gainsay_harness::patch::{copy_directory, list_sources};
use gainsay_report::{Dialect, RunRecord, contracts_attributes};

use self::insert::{Attributes, Inserted};
use super::{contracts, options::Options, product};

/// For the usage line.
pub(super) const USAGE: &str = "attributes [--time 20s] [--seed 0] [--reuse] [NAME@VERSION..]";

/// Containers whose editions know attributes by path.
const DEFAULT: [&str; 4] =
    ["slab@0.4.12", "min-max-heap@1.3.0", "circular-buffer@1.1.1", "bit-set@0.11.1"];

const HEAD: &str = "\
| crate                        | attributes of | functions | const | not said | compiles |\n\
|------------------------------|---------------|----------:|------:|---------:|----------|\n";

/// Tests one crate after the other and prints as it goes.
pub(super) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let options = Options::parse(args, 1, USAGE)?;
    let root = crate::root();
    let program = if options.reuse { None } else { Some(product::build(root)?) };
    let mut out = std::io::stdout();
    out.write_all(HEAD.as_bytes())?;
    let mut complaints = String::new();
    for spec in options.specs(&DEFAULT.map(str::to_owned))? {
        let target = contracts::place(&spec);
        if let Some(program) = &program {
            product::test(program, (&spec, &target), (&options.time, options.seed), &[])?;
        }
        let record = RunRecord::load(&target.join("gainsay"))?;
        for (dialect, name, version) in
            [(Dialect::Contracts, "contracts", "0.6"), (Dialect::Anodized, "anodized", "0.8")]
        {
            let copy = Copy::of(&record, (name, version), &spec)?;
            let all: Vec<_> = record.contracts.iter().collect();
            let text = contracts_attributes(&record, &all, dialect);
            let attributes = Attributes::read(&text, name);
            let inserted = copy.insert(&attributes)?;
            let (functions, constant) = (inserted.functions, inserted.constant);
            let (answer, said) = copy.check()?;
            writeln!(
                out,
                "| {spec:<28} | {name:<13} | {functions:>9} | {constant:>5} | {:>8} | {:<8} |",
                attributes.unsaid,
                if answer { "yes" } else { "NO" },
            )?;
            complaints.push_str(if answer { "" } else { &said });
        }
    }
    out.write_all(complaints.as_bytes())?;
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A copy of a crate that depends on a crate with attributes.
struct Copy {
    dir: PathBuf,
}

impl Copy {
    fn of(record: &RunRecord, (name, version): (&str, &str), spec: &str) -> anyhow::Result<Copy> {
        let place = product::target(crate::root()).join("evaluation/attributes");
        let dir = place.join(format!("{}-{name}", spec.replace('@', "-")));
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        copy_directory(&record.root, &dir)
            .with_context(|| format!("cannot copy `{}`", record.root.display()))?;
        let manifest = dir.join("Cargo.toml");
        let more = format!("[dependencies.{name}]\nversion = \"{version}\"\n\n[workspace]\n");
        let text = fs::read_to_string(&manifest)? + "\n" + &more;
        fs::write(&manifest, text)?;
        Ok(Copy { dir })
    }

    fn insert(&self, attributes: &Attributes) -> anyhow::Result<Inserted> {
        let mut sum = Inserted::default();
        for path in list_sources(&self.dir.join("src"))? {
            let (text, inserted) = attributes
                .insert(&fs::read_to_string(&path)?)
                .with_context(|| format!("in `{}`", path.display()))?;
            fs::write(&path, text)?;
            sum.functions += inserted.functions;
            sum.constant += inserted.constant;
        }
        Ok(sum)
    }

    /// Whether it compiles, and what rustc says.
    fn check(&self) -> anyhow::Result<(bool, String)> {
        let target = product::target(crate::root()).join("evaluation/attributes/target");
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--lib"])
            .current_dir(&self.dir)
            .env("CARGO_TARGET_DIR", target)
            // Without these anodized leaves conditions unchecked.
            .env("RUSTFLAGS", "--cfg anodized_panic --cap-lints allow")
            .stdin(Stdio::null())
            .output()
            .context("cannot run cargo")?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
