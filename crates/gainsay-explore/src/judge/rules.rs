//! Rules that say why an outcome is no fault, or which of several faults is told.

pub(crate) mod law_court;
pub(crate) mod panic_class;
pub(crate) mod part_and_room_excuses;
pub(crate) mod resource_limits;
pub(crate) mod varied_arguments;
