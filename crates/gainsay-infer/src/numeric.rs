//! Facts about columns of integers, without any idea of where the columns come from.
//!
//! The pieces are plain: they take columns of the same length and say what holds. The families of
//! this crate use them, and so does the reader of foreign traces (`traces/`), a program of its own.
//! They keep no values of their own but the few rows that they need.

pub mod combinatorics;
pub mod modular;
pub mod null_space;
pub mod relation;
