//! Tuples on which a claim about the state before the call is nearest to being false. The call has
//! the least to do there to make it false.

use std::{sync::Arc, time::Instant};

use gainsay_store::{Operand, StoreError, Tuple, Views};
use gainsay_wire::{Expr, Root, Scope, Term, Truth, Value, truth};

use crate::{SearchContext, distance::measure_margin, search::Tools};

/// The tuples on which a claim comes nearest to being false, at most `most`; none where no number
/// tells, or where it tells the same of many.
pub(crate) fn choose_nearest<'t>(
    context: &SearchContext<'_>,
    tools: &mut Tools,
    claim: &Expr,
    tuples: &'t [Tuple],
    most: usize,
) -> Result<Vec<&'t Tuple>, StoreError> {
    let began = Instant::now();
    let mut measured = Vec::new();
    for tuple in tuples {
        let views = TupleViews::load(context, tuple)?;
        measured.extend(measure_tuple(claim, &views).map(|distance| Measured { distance, tuple }));
    }
    tools.cache.add_time(began.elapsed());
    // A stable sort: among equals the shorter recipes stay first.
    measured.sort_by_key(|it| it.distance);
    let first_and_last = [measured.first(), measured.last()].map(|it| it.map(|it| it.distance));
    if first_and_last[0] == first_and_last[1] && measured.len() > most {
        return Ok(Vec::new());
    }
    Ok(measured.into_iter().take(most).map(|it| it.tuple).collect())
}

struct Measured<'t> {
    distance: u64,
    tuple: &'t Tuple,
}

/// Zero where the claim is false already.
fn measure_tuple(claim: &Expr, views: &TupleViews<'_>) -> Option<u64> {
    match truth(claim, views) {
        Truth::False => Some(0),
        Truth::True => measure_margin(claim, views),
        Truth::Undefined => None,
    }
}

/// The views of a tuple before its call, operand by operand.
struct TupleViews<'t> {
    operands: Vec<OperandViews<'t>>,
}

enum OperandViews<'t> {
    Value(&'t Value),
    Views(Arc<Views>),
}

impl<'t> TupleViews<'t> {
    fn load(context: &SearchContext<'_>, tuple: &'t Tuple) -> Result<TupleViews<'t>, StoreError> {
        let load_operand = |operand: &'t Operand| match operand {
            Operand::Plain(value) => Ok(OperandViews::Value(value)),
            Operand::Object(object) => context.store.read_views(object).map(OperandViews::Views),
        };
        let operands = tuple.operands.iter().map(load_operand).collect::<Result<_, _>>()?;
        Ok(TupleViews { operands })
    }
}

impl Scope for TupleViews<'_> {
    fn value(&self, term: &Term) -> &Value {
        let Root::Operand(at) = term.root else { return &Value::Undefined };
        let value = match (self.operands.get(at as usize), &term.query) {
            (Some(OperandViews::Value(value)), None) => Some(*value),
            (Some(OperandViews::Views(views)), Some(query)) => {
                views.iter().find(|(name, _)| name == query).map(|(_, value)| value)
            }
            _ => None,
        };
        value.unwrap_or(&Value::Undefined)
    }
}
