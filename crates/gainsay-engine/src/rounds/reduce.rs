//! Infer and attack, and nothing else: no random calls between the rounds.

use gainsay_model::event::Stage;
use gainsay_workers::Cancel;

use super::{Ledger, Model, Reduction, Settled, Siege, learn, options};
use crate::{clock::Clock, error::Result, session::Session, settings::RunSettings};

/// Rounds until nothing more falls, or it is cancelled.
pub(crate) fn reduce(
    session: &mut Session<'_>,
    settings: &RunSettings,
    cancel: &Cancel,
    clock: &mut Clock<'_>,
) -> Result<Settled> {
    let options = options(settings);
    let (mut ledger, mut reduction) = (Ledger::default(), Reduction::default());
    clock.stage(Stage::Refute, "relations".to_owned(), |events| session.relate(cancel, events))?;
    for round in 0..settings.rounds {
        if cancel.is_cancelled() {
            break;
        }
        let (samples, contracts) = learn(session, round, &options, (&mut ledger, clock))?;
        let known = ledger.refuted.len();
        let mut model = Model::new(settings.mode, contracts);
        ledger.restrict(&model.attacked);
        ledger.put_new_first(&mut model.attacked);
        let mut siege = Siege { session, settings, samples: &samples, options: &options };
        siege.lay(model, cancel, clock, (&mut ledger, &mut reduction))?;
        if ledger.refuted.len() == known {
            break;
        }
    }
    Ok(Settled { reduction, ..ledger.close(session, &std::collections::BTreeMap::new()) })
}
