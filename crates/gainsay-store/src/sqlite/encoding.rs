//! Values and predicates in the forms that the database engine can store and compare.

pub(crate) mod blob;
pub(crate) mod predicate_sql;
pub(crate) mod value_columns;
