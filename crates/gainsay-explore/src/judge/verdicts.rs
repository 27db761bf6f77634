//! What a decided finding is written down as.

use gainsay_model::{
    event::Event,
    fault::{Confirmation, Fault, IllegalUse, PanicClass},
};
use gainsay_wire::Oracle;

use crate::{findings::Raw, judge::shrink::Shown, subject_model::SubjectModel};

pub(super) fn illegal_panic(subject: &SubjectModel, raw: &Raw, class: PanicClass) -> IllegalUse {
    let op = raw.sighting.op;
    let place = match &raw.sighting.oracle {
        Oracle::Panic(place) => Some(place.clone()),
        _ => None,
    };
    IllegalUse {
        op,
        operation: subject.path(op),
        class,
        place,
        message: raw.sighting.message.clone(),
        count: raw.count,
        sequence: raw.recipes.first().cloned().unwrap_or_default(),
    }
}

pub(crate) fn fault(
    subject: &SubjectModel,
    (sequence, seen): Shown,
    confirmation: Confirmation,
) -> Fault {
    Fault {
        id: seen.identity.id(),
        operation: subject.path(seen.op),
        op: seen.op,
        oracle: seen.oracle,
        message: seen.message,
        moment: seen.moment,
        parties: seen.about.map(|breach| breach.parties).unwrap_or_default(),
        sequence,
        confirmation,
        seen: None,
        build: subject.build(),
    }
}

pub(super) fn resource_limit(
    subject: &SubjectModel,
    (sequence, seen): Shown,
    count: u64,
) -> IllegalUse {
    IllegalUse {
        op: seen.op,
        operation: subject.path(seen.op),
        class: PanicClass::ResourceLimit,
        place: None,
        message: seen.message,
        count,
        sequence,
    }
}

pub(crate) fn announce(fault: &Fault, event: &mut dyn FnMut(Event)) {
    if fault.confirmation == Confirmation::Confirmed {
        let (operation, message) = (fault.operation.clone(), fault.message.clone());
        event(Event::FaultFound { operation, message });
    }
}
