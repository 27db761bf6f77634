//! How a campaign chooses its calls, and how much it sees of them.

/// The rule that chooses operations, objects and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// By what was tried and what it brought, objects by state, values related to each other.
    #[default]
    Guided,
    /// Uniformly at random: the baseline to measure the other one against.
    Uniform,
}
wire_enum!(Strategy { 0 = Guided, 1 = Uniform });

/// The amount of views taken around a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Observing {
    /// Views before and after, states, transitions.
    #[default]
    Full,
    /// Its outcome only: to measure what observing costs.
    Bare,
}
wire_enum!(Observing { 0 = Full, 1 = Bare });

/// The share of large sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breadth {
    /// In some epochs.
    #[default]
    Usual,
    /// In every other epoch.
    Wide,
}
wire_enum!(Breadth { 0 = Usual, 1 = Wide });
