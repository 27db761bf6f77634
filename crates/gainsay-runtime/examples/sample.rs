//! A harness as a program: the subprocess tests start it as a worker, `tame` without operations
//! that end the process. With other arguments it prints the iteration order of a hash set, or
//! measures the exploration loop.

#[path = "../tests/harness/mod.rs"]
mod harness;

use gainsay_wire::{EpochTask, Request, Response, Settings};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("order") => print_order(),
        Some("measure") => measure(),
        Some("tame") => gainsay_runtime::run(harness::tables()),
        _ => gainsay_runtime::run(harness::deadly_tables()),
    }
}

#[allow(clippy::print_stdout)]
fn print_order() {
    let set: std::collections::HashSet<u32> = (0..100).collect();
    println!("{:?}", set.iter().collect::<Vec<_>>());
}

#[allow(clippy::print_stdout)]
fn measure() {
    let mut worker = gainsay_runtime::Worker::new(harness::honest_tables());
    worker.handle(Request::Configure(Settings::default()));
    let begun = std::time::Instant::now();
    let (mut calls, mut kept, mut states) = (0, 0, 0);
    for seed in 0..100 {
        let task = EpochTask { seed, calls: 2000, ..EpochTask::default() };
        if let Some(Response::Epoch(report)) = worker.handle(Request::Epoch(task)) {
            calls += report.calls;
            kept += report.kept.len();
            states += report.states.len();
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{calls} calls in {seconds:.2} s: {:.0}/s, {kept} kept, {states} states",
        calls as f64 / seconds
    );
}
