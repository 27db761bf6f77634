//! Operands of a call: objects of the pool, clones, new ones, and literals that fit them.

use gainsay_wire::{Arg, Mode, OpId, Step, Strategy, TypeId, Value};

use super::Explorer;
use crate::{Gen, generate::Hints, pool::Fate, table::ParamEntry};

/// Makers within makers.
const MOST_DEPTH: u32 = 4;
/// One operand in so many has nothing to do with the first, where it could.
const STRANGERS_EVERY: usize = 4;
/// So often an object of the pool is drawn before a new one is made.
const DRAWS: usize = 6;
/// One call in so many has extreme numbers.
const BOLD_EVERY: usize = 10;

impl Explorer<'_> {
    /// Operands for an operation, `forced` for the first parameter that can take it. What is
    /// chosen is held, so that nothing that has to be made for the others changes it.
    pub(super) fn args(&mut self, op: OpId, depth: u32, forced: Option<u32>) -> Option<Vec<Arg>> {
        let mark = self.held.len();
        self.held.extend(forced);
        let mut chosen = self.spare.pop().unwrap_or_default();
        let complete = self.choose_objects(op, depth, forced, &mut chosen);
        self.held.truncate(mark);
        // Making one operand may have cost another.
        let gone = |object: &u32| self.machine.pool.get(*object).fate != Fate::Live;
        let ready = complete && !chosen.iter().flatten().any(gone);
        let args = ready.then(|| self.fitting(op, &chosen)).flatten();
        chosen.clear();
        self.spare.push(chosen);
        args
    }

    /// Fills in one entry per parameter; tells whether all objects that are needed are there.
    fn choose_objects(
        &mut self,
        op: OpId,
        depth: u32,
        mut forced: Option<u32>,
        chosen: &mut Vec<Option<u32>>,
    ) -> bool {
        let world = self.world;
        for param in &world.op(op).params {
            let ParamEntry::Object { ty, mode } = *param else {
                chosen.push(None);
                continue;
            };
            let fits = forced.is_some_and(|object| self.machine.pool.get(object).ty == ty);
            let object = if fits {
                forced.take()
            } else if mode.is_optional() {
                if self.random.one_in(4) { None } else { self.pick(ty) }
            } else {
                match self.operand(op, (ty, mode), depth) {
                    None => return false,
                    found => found,
                }
            };
            self.held.extend(object);
            chosen.push(object);
        }
        true
    }

    /// Some object of the pool.
    fn pick(&mut self, ty: TypeId) -> Option<u32> {
        match self.world.settings.strategy {
            Strategy::Guided => self.shelves.pick(ty, &mut self.random),
            Strategy::Uniform => self.shelves.pick_any(ty, &mut self.random),
        }
    }

    pub(super) fn literals(&mut self, op: OpId, chosen: &[Option<u32>]) -> Vec<Arg> {
        let pool = &self.machine.pool;
        let guided = self.world.settings.strategy == Strategy::Guided;
        if guided {
            let known = chosen.iter().flatten();
            self.states.extend(known.filter_map(|object| pool.get(*object).state.clone()));
        }
        let settings = Some(&self.world.settings);
        let recent = if guided { &self.recent[..] } else { &[] };
        let finds = &self.harvest.experience().finds;
        let model = if guided { finds.draw(op, &mut self.random) } else { None };
        let (finds, sizes) = (finds.texts(), self.sizes);
        let bold = guided && self.random.one_in(BOLD_EVERY);
        let hints = Hints { states: &self.states, recent, finds, settings, sizes, bold };
        let params = &self.world.op(op).params;
        // One argument differs from the model's, and sometimes another.
        let differs = self.random.below(params.len().max(1));
        let mut source = Gen::new(&mut self.random, hints);
        let params = params.iter().zip(chosen).enumerate();
        let args = params
            .map(|(i, (param, object))| match (param, object) {
                (_, Some(object)) => Arg::Object(pool.get(*object).origin),
                (ParamEntry::Plain { generate, key }, None) => {
                    let known = model.and_then(|model| model.get(i)?.as_ref());
                    Arg::Plain(match known {
                        Some(known) if i != differs && !source.random().one_in(8) => known.clone(),
                        Some(known) => source.near(known, *key, *generate),
                        None => generate(&mut source),
                    })
                }
                (ParamEntry::Object { .. }, None) => Arg::Plain(Value::none()),
            })
            .collect();
        self.states.clear();
        args
    }

    /// An object to pass: one that is there, or a clone of it before it is consumed, or a new one.
    fn operand(&mut self, op: OpId, (ty, mode): (TypeId, Mode), depth: u32) -> Option<u32> {
        if let Some(relative) = self.relative(op, (ty, mode), depth) {
            return Some(relative);
        }
        let found = (0..DRAWS).find_map(|_| {
            let object = self.pick(ty)?;
            self.is_free(object, mode).then_some(object)
        });
        let clone = self.world.type_plan(ty).clone_op;
        match (found, clone) {
            (Some(object), Some(clone)) if mode == Mode::Own && self.random.one_in(2) => {
                let origin = self.machine.pool.get(object).origin;
                self.make(Step::new(clone, vec![Arg::Object(origin)]));
                self.made_live(ty)
            }
            (Some(object), _) => Some(object),
            (None, _) => self.fresh(ty, depth),
        }
    }

    /// Whether an object can be passed without harm to what is chosen already.
    fn is_free(&self, object: u32, mode: Mode) -> bool {
        let loans = &self.machine.pool.loans;
        if mode.is_exclusive() && self.held.contains(&object) {
            return false;
        }
        loans.is_empty()
            || !loans.in_the_way(object, mode).any(|borrower| self.held.contains(&borrower))
    }

    /// Mostly, an object out of which the one came that was chosen first, or that came out of it, or
    /// that is made to do so.
    fn relative(&mut self, op: OpId, (ty, mode): (TypeId, Mode), depth: u32) -> Option<u32> {
        let &first = self.held.first()?;
        let of = self.machine.pool.get(first).ty;
        // Two of one type are compared, joined, swapped: any other will do, unless both are handles
        // of something that is passed, too.
        let any_will_do = of == ty && !self.gives_out(op, ty);
        if self.is_uniform() || any_will_do || self.random.one_in(STRANGERS_EVERY) {
            return None;
        }
        let above = self.kin.forebears(first).find(|object| self.is_at_hand(*object, ty, mode));
        if above.is_some() {
            return above;
        }
        let found = (0..DRAWS).find_map(|_| {
            let object = self.kin.relative(first, &mut self.random)?;
            self.is_at_hand(object, ty, mode).then_some(object)
        });
        if found.is_some() || depth >= MOST_DEPTH || !self.random.one_in(2) {
            return found;
        }
        let world = self.world;
        let op = *self.random.pick(world.routes.makers_out_of(ty, of))?;
        self.perform(op, depth + 1, Some(first));
        self.made_live(ty)
    }

    /// Whether an operation takes something out of which objects of the type come.
    fn gives_out(&self, op: OpId, ty: TypeId) -> bool {
        self.world.op(op).params.iter().any(|param| match param {
            ParamEntry::Object { ty: of, .. } if *of != ty => {
                !self.world.routes.makers_out_of(ty, *of).is_empty()
            }
            _ => false,
        })
    }

    /// Whether a relative can be passed as it is.
    fn is_at_hand(&self, object: u32, ty: TypeId, mode: Mode) -> bool {
        let entry = self.machine.pool.get(object);
        let in_the_way = || self.machine.pool.loans.in_the_way(object, mode).next().is_some();
        entry.ty == ty && entry.fate == Fate::Live && !self.held.contains(&object) && !in_the_way()
    }

    /// A new object of a type, by an operation that makes it.
    fn fresh(&mut self, ty: TypeId, depth: u32) -> Option<u32> {
        if depth >= MOST_DEPTH {
            return None;
        }
        let routes = &self.world.routes;
        let (all, simple) = (routes.makers(ty), routes.simple_makers(ty));
        (0..3).find_map(|_| {
            let any = self.random.one_in(4) || simple.is_empty();
            let op = *self.random.pick(if any { all } else { simple })?;
            self.perform(op, depth + 1, None);
            self.made_live(ty)
        })
    }

    /// What the last step made of a type, if it may be chosen.
    fn made_live(&self, ty: TypeId) -> Option<u32> {
        self.made.iter().copied().find(|object| {
            let object = self.machine.pool.get(*object);
            object.ty == ty && object.fate == Fate::Live
        })
    }
}
