//! A list that is pushed to, and what is found of what is true of it.

use gainsay_wire::{
    Lending, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, OpId, PanicPlace, Role,
};

use super::*;

const LIST: TypeId = TypeId(0);

fn manifest() -> Manifest {
    let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
    let queries = vec![query("len"), query("seq")];
    let list = ManifestType {
        name: "List".into(),
        queries,
        can_clone: true,
        borrows: false,
        locks: false,
    };
    let params = vec![ManifestParam::Object(LIST, Mode::Mut), ManifestParam::Plain("usize".into())];
    let push = ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: "List::push".into(),
        names: vec!["self".into(), "value".into()],
        params,
        makes: vec![],
        lending: Lending::Inherited,
        role: Role::Command,
    };
    Manifest { types: vec![list], ops: vec![push] }
}

fn list(items: &[i128]) -> [Value; 2] {
    let len = i128::try_from(items.len()).unwrap();
    [Value::Int(len), Value::Seq(items.iter().copied().map(Value::Int).collect())]
}

/// Pushes to lists of up to three; a list of four is full, and then it panics.
fn calls() -> Vec<Observation> {
    let lists: [&[i128]; 9] =
        [&[], &[1], &[2], &[3, 1], &[1, 2], &[2, 2, 1], &[5, 1, 2], &[1, 2, 3, 4], &[4, 3, 2, 1]];
    let call = |(value, before): (i128, &&[i128])| {
        let is_full = before.len() == 4;
        let after = [*before, &[value]].concat();
        let [len, seq] = list(&after);
        let after = if is_full { [Value::Undefined, Value::Undefined] } else { [len, seq] };
        let [len, seq] = list(before);
        let values = [vec![Value::Int(value), len, seq], after.to_vec(), vec![Value::Unit]];
        let place =
            PanicPlace { file: "f".into(), line: 1, message: "full".into(), changed: false };
        let outcome = if is_full { Outcome::Panicked(place) } else { Outcome::Returned };
        let (objects, made) = (vec![], vec![]);
        Observation {
            op: OpId(0),
            outcome,
            values: values.concat(),
            objects,
            made,
            freed: Vec::new(),
        }
    };
    (6..).zip(&lists).map(call).collect()
}

fn fates(shown: &[(ContractKind, &str)], ensures: &[&str], panics: Option<&str>) -> Vec<Fate> {
    fates_given(&[], shown, ensures, panics)
}

fn fates_given(
    invariants: &[&str],
    shown: &[(ContractKind, &str)],
    ensures: &[&str],
    panics: Option<&str>,
) -> Vec<Fate> {
    let (manifest, calls) = (manifest(), calls());
    let names = manifest.ops[0].operand_names();
    let shown = shown.iter().map(|(kind, text)| Shown {
        kind: *kind,
        text: (*text).to_owned(),
        expr: parse_expr(text, &names, kind.point()).unwrap(),
        is_real: false,
    });
    let case = Case {
        op: OpId(0),
        vocabulary: manifest.vocabulary(OpId(0)),
        seen: &calls,
        shown: shown.collect(),
        invariants: invariants
            .iter()
            .map(|text| parse_expr(text, &names, gainsay_wire::Point::Exit).unwrap())
            .collect(),
        names,
    };
    let states = [&[][..], &[1], &[7], &[1, 2], &[2, 1], &[3, 1, 8], &[9, 9, 9], &[1, 2, 3, 9]];
    let states = states.iter().map(|items| list(items).to_vec()).collect();
    let kinds = BTreeMap::from([(LIST, Kind::new(&["len", "seq"], states))]);
    let operation = Operation {
        path: "List::push".into(),
        panics: panics.map(str::to_owned),
        ensures: ensures.iter().map(|text| (*text).to_owned()).collect(),
    };
    let verdict = judge((&manifest, &kinds), &operation, Some(&case));
    verdict.clauses.iter().map(|clause| clause.fate).collect()
}

const POST: ContractKind = ContractKind::Postcondition;
const APPENDED: &str = "self.seq() == old(self.seq()) ++ [value]";

#[test]
fn a_clause_is_found_as_it_stands_or_because_it_follows() {
    let truths = [APPENDED, "self.len() == old(self.len()) + 1", "last(self.seq()) == Some(value)"];
    let found = fates(&[(POST, APPENDED)], &truths, None);
    assert_eq!(found, [Fate::Inferred, Fate::Implied, Fate::Implied]);
}

#[test]
fn what_does_not_follow_is_missing() {
    let shown =
        [(POST, "self.len() == old(self.len()) + 1"), (POST, "last(self.seq()) == Some(value)")];
    assert_eq!(fates(&shown, &[APPENDED], None), [Fate::Missing]);
    assert_eq!(fates(&[], &[APPENDED], None), [Fate::Missing]);
    // Two that say it together.
    let shown = [shown[0], shown[1], (POST, "prefix(old(self.seq()), self.seq())")];
    assert_eq!(fates(&shown, &[APPENDED], None), [Fate::Implied]);
}

#[test]
fn what_is_shown_of_the_type_counts() {
    let same = ["self.len() == len(self.seq())"];
    assert_eq!(fates(&[], &same, None), [Fate::Undecided]);
    assert_eq!(fates_given(&same, &[], &same, None), [Fate::Inferred]);
    let inside = ["contains(self.seq(), value)"];
    assert_eq!(fates(&[], &inside, None), [Fate::Missing]);
    assert_eq!(
        fates_given(&["last(self.seq()) == Some(value)"], &[], &inside, None),
        [Fate::Implied]
    );
}

#[test]
fn what_cannot_be_said_what_nothing_violates_and_what_is_wrong_is_told_apart() {
    let truths = ["self.weight() == 1", "f(value)", "len(self.seq()) >= 0", "self.len() == 1"];
    let expected = [Fate::NoWords, Fate::NoWords, Fate::Undecided, Fate::Wrong];
    assert_eq!(fates(&[(POST, APPENDED)], &truths, None), expected);
}

#[test]
fn a_condition_of_panics_is_found_when_it_says_the_same_of_all_calls() {
    let of = |shown: &str, truth: &str| fates(&[(ContractKind::Panics, shown)], &[], Some(truth));
    assert_eq!(of("self.len() == 4", "4 == self.len()"), [Fate::Inferred]);
    assert_eq!(of("self.len() > 3", "self.len() == 4"), [Fate::Implied]);
    assert_eq!(of("self.len() > 2", "self.len() == 4"), [Fate::Missing]);
    assert_eq!(of("self.len() == 4", "self.len() > 2"), [Fate::Wrong]);
}
