//! Measures how long it takes to start a worker, with and without the sandbox:
//!
//! ```text
//! cargo run --release -p gainsay-workers --example starting -- HARNESS [LAUNCHER]
//! ```
//!
//! The harness is a worker program, such as a run leaves in its build directory.
#![allow(clippy::print_stdout, reason = "prints what it measures")]

use std::{env, path::PathBuf, time::Instant};

use gainsay_wire::{RunTask, Sequence, Settings};
use gainsay_workers::{
    Cancel, Confinement, Fleet, Network, Program, Runner as _, Sight, WorkerError, launch_if_asked,
};

const TIMES: u32 = 100;

fn main() -> Result<(), WorkerError> {
    launch_if_asked();
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let path = args.next().expect("the path of a worker program");
    let launcher = args.next().or_else(|| env::current_exe().ok()).expect("a launcher");
    let sandbox =
        Confinement::Sandbox { launcher, network: Network::Nothing, sight: Sight::Nothing };
    for (name, confinement) in [("without", Confinement::Off), ("with", sandbox)] {
        let scratch = env::temp_dir().join(format!("starting-{}", std::process::id()));
        let program = Program {
            path: path.clone(),
            scratch: scratch.clone(),
            confinement,
            environment: vec![],
        };
        let mut fleet = Fleet::start(&program, 1, Settings::default())?;
        let task =
            RunTask { sequence: Sequence::default(), views: false, laws: false, asks: Vec::new() };
        let began = Instant::now();
        for _ in 0..TIMES {
            fleet.run_fresh(std::slice::from_ref(&task), &Cancel::new())?;
        }
        let millis = began.elapsed().as_secs_f64() * 1e3 / f64::from(TIMES);
        println!("{name} the sandbox: {millis:.2} ms to end one worker and start the next");
        drop(fleet);
        std::fs::remove_dir_all(scratch).ok();
    }
    Ok(())
}
