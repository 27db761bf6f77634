//! A launcher for the tests of this crate; in earnest the command line tool launches itself.

fn main() {
    gainsay_workers::launch_if_asked();
}
