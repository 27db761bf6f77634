//! Literals that make a call keep what is known to be required: calls that are bound to be refused
//! show little. A share of calls is made in spite of it, since what is known may be wrong.

use gainsay_wire::{Arg, OpId, Value};

use super::Explorer;
use crate::{
    pool::Pool,
    watch::{Sighted, Verdict},
    world::{OpPlan, Source},
};

/// One call in so many is made whatever is required.
const DEFIANT_EVERY: usize = 8;
/// So often literals are drawn until they fit.
const DRAWS: usize = 4;

/// A call that is about to be made, as far as contracts about its beginning can see it. How its
/// objects relate to each other is not looked at: that takes longer than a call that is refused.
struct Prospect<'a> {
    plan: &'a OpPlan,
    pool: &'a Pool,
    chosen: &'a [Option<u32>],
    args: &'a [Arg],
}

static UNDEFINED: Value = Value::Undefined;

impl Sighted for Prospect<'_> {
    fn at(&self, position: usize) -> &Value {
        let found = match self.plan.terms.get(position) {
            Some(Source::Plain(i)) => match self.args.get(*i) {
                Some(Arg::Plain(value)) => Some(value),
                _ => None,
            },
            Some(Source::Before(i, at)) => {
                let object = self.chosen.get(*i).copied().flatten();
                let state = object.and_then(|object| self.pool.get(object).state.as_ref());
                state.and_then(|state| state.values.get(*at))
            }
            _ => None,
        };
        found.unwrap_or(&UNDEFINED)
    }
}

impl Explorer<'_> {
    /// The operands of a call on chosen objects, with literals that keep what is required, mostly;
    /// `None` when there seem to be none.
    pub(super) fn fitting(&mut self, op: OpId, chosen: &[Option<u32>]) -> Option<Vec<Arg>> {
        let plan = self.world.plan(op);
        let mut args = self.literals(op, chosen);
        if plan.required.is_empty() || self.is_uniform() || self.random.one_in(DEFIANT_EVERY) {
            return Some(args);
        }
        for _ in 1..DRAWS {
            if self.keeps(plan, chosen, &args) {
                return Some(args);
            }
            args = self.literals(op, chosen);
        }
        self.keeps(plan, chosen, &args).then_some(args)
    }

    fn keeps(&self, plan: &OpPlan, chosen: &[Option<u32>], args: &[Arg]) -> bool {
        let prospect = Prospect { plan, pool: &self.machine.pool, chosen, args };
        plan.required.iter().all(|required| required.judge(&prospect) != Verdict::Violated)
    }
}
