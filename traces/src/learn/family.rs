//! Families of facts. Each looks at the first samples and gives what holds on all of them, with
//! the chance that it would; later samples can only take facts away or weaken their constants.

mod array;
mod arrays;
mod equality;
mod linear;
mod numbers;
mod single;
mod text;
mod truth;

use crate::learn::scene::{Candidate, Scene};

pub(crate) use linear::Spaces;
pub(crate) use single::ends;

/// What all families find, apart from linear relations, which need all samples.
pub(crate) fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let mut found = equality::candidates(scene);
    found.extend(single::candidates(scene));
    found.extend(numbers::candidates(scene));
    found.extend(truth::candidates(scene));
    found.extend(text::candidates(scene));
    found.extend(array::candidates(scene));
    found.extend(arrays::candidates(scene));
    found
}
