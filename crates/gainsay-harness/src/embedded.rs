//! The sources that every harness is built with, as they were when this program was built.

use gainsay_wire::Digest;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Digest of all embedded files with their names.
pub(crate) fn digest() -> u64 {
    let mut text = String::new();
    for (path, content) in FILES {
        for part in [path, content] {
            text.push_str(part);
            text.push('\0');
        }
    }
    Digest::of_bytes(text.as_bytes())
}
