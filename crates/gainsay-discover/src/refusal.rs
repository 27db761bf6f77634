//! Subjects that do not build with the features that nobody asked for: they are tested without
//! them, and that is remembered beside the results as long as nothing changes.

use std::{fs, path::PathBuf};

use gainsay_model::{
    api::{Source, Subject},
    features::Extra,
};
use serde::{Deserialize, Serialize};

use crate::{cache, error::DiscoverError, published};

#[derive(Serialize, Deserialize)]
struct Kept {
    fingerprint: String,
    why: String,
}

/// The subject with its default features alone.
pub(crate) fn without_extra(subject: &Subject, why: &str) -> Result<Subject, DiscoverError> {
    let bare = refused(subject, why);
    if bare.source == Source::Registry {
        published::fetch_again(&bare)?;
    }
    Ok(bare)
}

/// Keeps in mind why a subject has no extra features.
pub(crate) fn remember(bare: &Subject) -> Result<(), DiscoverError> {
    let Some(why) = bare.features.extra.refused.clone() else { return Ok(()) };
    let extra = Extra { on: bare.features.extra.not_building(), ..Extra::default() };
    let tried = with_extra(bare, extra);
    let kept = Kept { fingerprint: cache::fingerprint(&tried, None)?, why };
    let text = serde_json::to_string(&kept).expect("two texts");
    let path = file(bare);
    fs::create_dir_all(path.parent().expect("the file lies in a directory"))
        .and_then(|()| fs::write(&path, text))
        .map_err(|source| DiscoverError::File { path, source })
}

/// The subject as it is known to build.
pub(crate) fn recall(subject: Subject) -> Result<Subject, DiscoverError> {
    let kept = fs::read_to_string(file(&subject)).ok();
    let kept: Option<Kept> = kept.and_then(|text| serde_json::from_str(&text).ok());
    match kept.filter(|_| !subject.features.extra.on.is_empty()) {
        Some(kept) if cache::fingerprint(&subject, None)? == kept.fingerprint => {
            Ok(refused(&subject, &kept.why))
        }
        _ => Ok(subject),
    }
}

/// All extra features off.
pub(crate) fn refused(subject: &Subject, why: &str) -> Subject {
    with_extra(subject, subject.features.extra.with_extra_off(why))
}

fn with_extra(subject: &Subject, extra: Extra) -> Subject {
    let mut changed = subject.clone();
    changed.features.extra = extra;
    changed
}

fn file(subject: &Subject) -> PathBuf {
    let name = format!("{}-{}.json", subject.name, subject.version);
    subject.out_dir.join("features").join(name)
}
