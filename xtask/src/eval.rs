//! `cargo xtask eval`: how the product fares on published crates.

mod attributes;
mod audit;
mod contracts;
mod copy;
mod crates;
mod explore;
mod faults;
mod kills;
mod options;
mod product;
mod reach;
mod recording;
mod run;
mod silence;
mod speed;
mod stateful;
mod store;
mod subject;
mod table;
mod traces;

use std::process::ExitCode;

use anyhow::bail;

/// What can be evaluated.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    match args.split_first() {
        Some((what, rest)) if what == "reach" => reach::run(rest),
        Some((what, rest)) if what == "explore" => explore::run(rest),
        Some((what, rest)) if what == "speed" => speed::run(rest),
        Some((what, rest)) if what == "recording" => recording::run(rest),
        Some((what, rest)) if what == "contracts" => contracts::run(rest),
        Some((what, rest)) if what == "faults" => faults::run(rest),
        Some((what, rest)) if what == "silence" => silence::run(rest),
        Some((what, rest)) if what == "attributes" => attributes::run(rest),
        Some((what, rest)) if what == "audit" => audit::run(rest),
        Some((what, rest)) if what == "traces" => traces::run(rest),
        Some((what, rest)) if what == "kills" => kills::run(rest),
        Some((what, rest)) if what == "store" => store::run(rest),
        Some((what, rest)) if what == "stateful" => stateful::run(rest),
        Some((what, rest)) if what == "noise" => traces::noise::run(rest),
        _ => {
            let usages = [
                reach::USAGE,
                explore::USAGE,
                speed::USAGE,
                recording::USAGE,
                contracts::USAGE,
                faults::USAGE,
                silence::USAGE,
                attributes::USAGE,
                audit::USAGE,
                traces::USAGE,
                traces::noise::USAGE,
                store::USAGE,
                kills::USAGE,
                stateful::USAGE,
            ];
            let lines = usages.map(|usage| format!("cargo xtask eval {usage}"));
            bail!("usage: {}", lines.join("\n       "))
        }
    }
}
