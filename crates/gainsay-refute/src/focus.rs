//! Epochs of exploration that are aimed at one operation, from objects that searches found.

pub(crate) mod focused_epochs;
pub(crate) mod idle_work;
