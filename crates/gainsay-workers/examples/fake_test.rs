//! A program that ends as its environment says, for the tests of this crate.
#![allow(
    clippy::exit,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "speaking is what it is for"
)]

use std::{env, fs, process, thread, time::Duration};

fn main() {
    let order = env::var("FAKE").unwrap_or_default();
    let (what, about) = order.split_once(' ').unwrap_or((&order, ""));
    println!("told to {order}");
    eprintln!("on standard error");
    match what {
        "exit" => process::exit(about.parse().unwrap_or(1)),
        "abort" => process::abort(),
        "sleep" => thread::sleep(Duration::from_mins(10)),
        "read" => process::exit(i32::from(fs::read(about).is_err())),
        "take" => drop(vec![1u8; about.parse().unwrap_or(0)]),
        "chatter" => (0..100_000).for_each(|line| println!("line {line}")),
        _ => {}
    }
}
