//! What a fault needs of its caller's code, in words.

use gainsay_wire::{Callback, Sequence, Twist};

/// The misbehaviour in a sequence, if there is any.
pub(crate) fn twist_of(sequence: &Sequence) -> Option<Twist> {
    sequence.steps.iter().rev().map(|step| step.twist).find(|twist| *twist != Twist::None)
}

/// `a Drop that panics`
pub(crate) fn needs(twist: Twist) -> String {
    match twist {
        Twist::None => "nothing".to_owned(),
        Twist::Fuse(callback, _) => format!("{} that panics", culprit(callback)),
        Twist::Shy => "an iterator that under-reports its length (which is allowed)".to_owned(),
        Twist::Lie(_) => "an iterator that lies about its length".to_owned(),
        Twist::Forget => "a guard that is forgotten".to_owned(),
    }
}

fn culprit(callback: Callback) -> &'static str {
    match callback {
        Callback::Clone => "a `Clone`",
        Callback::Drop => "a `Drop`",
        Callback::Eq => "a `PartialEq`",
        Callback::Ord => "an `Ord`",
        Callback::Hash => "a `Hash`",
        Callback::Default => "a `Default`",
        Callback::Closure => "a closure",
        Callback::Next => "an iterator",
        Callback::Any => "a callback",
    }
}
