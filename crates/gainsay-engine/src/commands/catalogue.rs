//! The list of what a crate offers, without calling any of it.

use gainsay_report::Catalogue;

use crate::{
    ctx::Ctx,
    error::Result,
    settings::ListDepth,
    stages::{
        feature_fallback::with_or_without_features,
        prepared::{Target, build_harness, discover_crate},
    },
    summarize::built_operations,
};

/// Lists what the subject offers.
pub fn list_operations(target: &Target, depth: ListDepth, ctx: &mut Ctx<'_>) -> Result<Catalogue> {
    with_or_without_features(target, ctx, |target, ctx| {
        let api = discover_crate(target, ctx)?;
        if depth == ListDepth::Discovered || api.operations.is_empty() {
            return Ok(Catalogue::new(&api, None));
        }
        let harness = build_harness(&api, ctx)?;
        Ok(Catalogue::new(&api, Some(&built_operations(&harness))))
    })
}
