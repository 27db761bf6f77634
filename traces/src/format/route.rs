//! Where samples of a point count: at the point itself, at the end of the call as a whole, at its
//! object and class, and apart for calls that returned true or false.

use crate::{
    format::declare::{Declarations, Point, PointKind, Variable},
    learn::terms::{Term, terms},
};

/// No value of the sample.
pub(crate) const NONE: usize = usize::MAX;

/// Where the samples of one point go.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The point where calls begin that end here.
    pub(crate) enter: Option<usize>,
    pub(crate) targets: Vec<Target>,
}

/// One table that the samples are for.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) table: Heading,
    /// Which values of the sample (those of the beginning first) fill the columns; none: all.
    pub(crate) picks: Option<Vec<usize>>,
    /// Only samples where this value is this truth.
    pub(crate) only_if: Option<(usize, i64)>,
}

/// What a table is about.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) terms: Vec<Term>,
    /// How many of the terms are variables.
    pub(crate) given: usize,
    pub(crate) sources: Vec<Known>,
    /// The term that has one truth on all its samples.
    pub(crate) only_if: Option<(usize, i64)>,
}

/// Another table whose facts hold here, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) title: String,
    pub(crate) when: When,
}

/// About which values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Those of the same names.
    Now,
    /// Those at the beginning of the call.
    Before,
}

/// Where the samples of a declared point go.
pub(crate) fn plan(declarations: &Declarations, point: usize) -> Plan {
    let maker = Maker { declarations, point: &declarations.points[point] };
    match maker.point.kind {
        PointKind::Subexit | PointKind::Exit => maker.exit(),
        _ => maker.plain(),
    }
}

struct Maker<'a> {
    declarations: &'a Declarations,
    point: &'a Point,
}

impl Maker<'_> {
    fn plain(&self) -> Plan {
        let sources = parents(self.point, When::Now).collect();
        let heading = self.heading(&self.point.name, &[], &self.point.variables, sources);
        let mut targets = vec![Target { table: heading, picks: None, only_if: None }];
        self.above(self.point, &identity(self.point.variables.len()), &mut targets);
        Plan { enter: None, targets }
    }

    fn exit(&self) -> Plan {
        let base = base(&self.point.name);
        let enter_name = format!("{base}:::ENTER");
        let enter = self.declarations.points.iter().position(|point| point.name == enter_name);
        let enter_point = enter.map(|enter| &self.declarations.points[enter]);
        let before = enter_point.map_or(&[][..], |point| &point.variables);
        let exits: Vec<&Point> = self
            .declarations
            .points
            .iter()
            .filter(|point| point.kind == PointKind::Subexit && self::base(&point.name) == base)
            .collect();
        let mut sources: Vec<Known> = parents(self.point, When::Now).collect();
        if let Some(enter) = enter_point {
            sources.extend(parents(enter, When::Before));
            sources.push(Known { title: enter_name, when: When::Before });
        }
        let title = format!("{base}:::EXIT");
        let whole = exits.first().map_or(&self.point.variables, |first| &first.variables);
        let picks = picks(before.len(), whole, &self.point.variables);
        let mut targets = Vec::new();
        let heading = self.heading(&title, before, whole, sources.clone());
        let all = (picks != identity(picks.len())).then(|| picks.clone());
        targets.push(Target { table: heading, picks: all, only_if: None });
        let known = Known { title: title.clone(), when: When::Now };
        sources.push(known);
        if exits.len() > 1 {
            let heading =
                self.heading(&self.point.name, before, &self.point.variables, sources.clone());
            targets.push(Target { table: heading, picks: None, only_if: None });
        }
        for (value, word) in [(1, "return"), (0, "!return")] {
            if let Some(place) = returned_truth(whole) {
                let title = format!("{title} if {word}");
                let mut heading = self.heading(&title, before, whole, sources.clone());
                heading.only_if = Some((before.len() + place, value));
                let only_if = Some((picks[before.len() + place], value));
                targets.push(Target { table: heading, picks: Some(picks.clone()), only_if });
            }
        }
        let own: Vec<usize> = (before.len()..before.len() + self.point.variables.len()).collect();
        self.above(self.point, &own, &mut targets);
        Plan { enter, targets }
    }

    /// The objects and classes above a point; `own` tells where its variables are in the sample.
    fn above(&self, point: &Point, own: &[usize], targets: &mut Vec<Target>) {
        for name in &point.parents {
            let known = self.declarations.points.iter().find(|point| point.name == *name);
            let Some(parent) = known else { continue };
            if targets.iter().any(|target| target.table.title == *name) {
                continue;
            }
            let pick = |variable: &Variable| {
                let named = |child: &Variable| {
                    let alias = child.at_parent.iter().find(|(at, _)| at == name);
                    alias.map_or(child.name == variable.name, |(_, alias)| *alias == variable.name)
                };
                point.variables.iter().position(named).map_or(NONE, |place| own[place])
            };
            let picks: Vec<usize> = parent.variables.iter().map(pick).collect();
            let sources = parents(parent, When::Now).collect();
            let table = self.heading(name, &[], &parent.variables, sources);
            targets.push(Target { table, picks: Some(picks.clone()), only_if: None });
            self.above(parent, &picks, targets);
        }
    }

    fn heading(
        &self,
        title: &str,
        before: &[Variable],
        now: &[Variable],
        sources: Vec<Known>,
    ) -> Heading {
        let terms = terms(before, now, self.declarations.has_keys);
        let given = before.len() + now.len();
        Heading { title: title.to_owned(), terms, given, sources, only_if: None }
    }
}

fn parents(point: &Point, when: When) -> impl Iterator<Item = Known> + '_ {
    point.parents.iter().map(move |title| Known { title: title.clone(), when })
}

fn identity(count: usize) -> Vec<usize> {
    (0..count).collect()
}

/// Where the variables of the whole are in a sample: those of the beginning, then by name.
fn picks(before: usize, whole: &[Variable], part: &[Variable]) -> Vec<usize> {
    let place = |variable: &Variable| {
        let found = part.iter().position(|other| other.name == variable.name);
        found.map_or(NONE, |place| before + place)
    };
    (0..before).chain(whole.iter().map(place)).collect()
}

fn returned_truth(variables: &[Variable]) -> Option<usize> {
    let truth = crate::format::kind::Kind::one(crate::format::kind::Scalar::Bool);
    variables.iter().position(|variable| variable.name == "return" && variable.kind == truth)
}

/// The name without what comes after `:::`.
fn base(name: &str) -> &str {
    name.rsplit_once(":::").map_or(name, |(base, _)| base)
}
