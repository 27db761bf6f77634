//! A whole test of a published crate from another program: `embed NAME@VERSION DIRECTORY`.

use std::{env, io::Write as _, path::PathBuf, time::Duration};

use gainsay_engine::{
    Budget, Cancel, Ctx, Network, Request, RunSettings, Sandbox, Target, Unasked, find_subject,
};
use gainsay_model::{event::Event, features::Features};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Calls are made by workers, which are this program, started again.
    gainsay_engine::become_worker_if_asked();

    let args: Vec<String> = env::args().collect();
    let [_, name, directory] = &args[..] else { return Err("embed NAME@VERSION DIRECTORY".into()) };
    let subject = find_subject(&Request {
        manifest_path: None,
        package: None,
        published: Some(name.parse()?),
        features: Features::default(),
        unasked: Unasked::Additive,
        current_dir: env::current_dir()?,
        target_dir: Some(PathBuf::from(directory)),
    })?;
    let target = Target { subject, providers: None, sandbox: Sandbox::On(Network::Nothing) };
    let budget = Budget { time: Some(Duration::from_secs(5)), calls: None };
    let settings = RunSettings { budget, ..RunSettings::default() };

    let mut out = std::io::stdout();
    let mut listen = |event| {
        if let Event::StageBegan(stage, about) = event {
            let _ = writeln!(out, "{}: {about}", stage.name());
        }
    };
    let mut ctx = Ctx::new(&Cancel::new(), &mut listen);
    let record = gainsay_engine::run(&target, &settings, &mut ctx)?;
    writeln!(out, "{} calls", record.summary.calls)?;
    for contract in &record.contracts {
        writeln!(out, "{} {} {}", contract.operation, contract.kind.keyword(), contract.text)?;
    }
    for fault in &record.faults {
        writeln!(out, "fault: {}: {}", fault.operation, fault.message)?;
    }
    Ok(())
}
