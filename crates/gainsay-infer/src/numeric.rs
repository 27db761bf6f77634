//! Facts about columns of integers, without any idea of where the columns come from.
//!
//! The pieces are plain: they take columns of the same length and say what holds, or how likely
//! it is that it holds by chance. Traces use them, and so can any engine that has its values in
//! columns. They keep no values of their own but the few rows that they need.

pub mod closure;
pub mod difference;
pub mod modular;
pub mod null_space;
pub mod odds;
pub mod relation;
pub mod tail;
pub mod threshold;
