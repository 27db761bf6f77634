//! On noise nothing is related to anything; what is planted in it is found.

use gainsay_model::contract::{Contract, ContractKind};
use gainsay_wire::{
    Manifest, ManifestOp, ManifestParam, ManifestQuery, ManifestType, Mode, Observation, OpId,
    Outcome, PanicPlace, Term, TypeId, Value, When,
};

use super::world::Random;
use crate::{Options, Samples, infer, text};

const OP: OpId = OpId(0);

fn manifest() -> Manifest {
    let query = |name: &str| ManifestQuery { name: name.to_owned(), param: None, active: true };
    let names = ["a", "b", "c", "d", "is_p", "is_q", "is_r"];
    let ty = ManifestType {
        name: "Noise".to_owned(),
        queries: names.map(query).to_vec(),
        can_clone: false,
        borrows: false,
        locks: false,
    };
    let plain = ManifestParam::Plain("i32".into());
    let op = ManifestOp {
        id: gainsay_wire::InstanceId::default(),
        name: "Noise::step".to_owned(),
        names: ["self", "x", "y"].map(str::to_owned).to_vec(),
        params: vec![ManifestParam::Object(TypeId(0), Mode::Mut), plain.clone(), plain],
        makes: Vec::new(),
        lending: gainsay_wire::Lending::Inherited,
        role: gainsay_wire::Role::Command,
    };
    Manifest { types: vec![ty], ops: vec![op] }
}

/// Independent values, integers below `spread`.
fn noise(manifest: &Manifest, rows: usize, spread: u64, random: &mut Random) -> Samples {
    let vocabulary = manifest.vocabulary(OP);
    let mut value = |term: &Term| match &term.query {
        Some(name) if name.starts_with("is_") => Value::Bool(random.below(2) == 1),
        _ => Value::Int(i128::from(random.below(spread))),
    };
    let mut row = || Observation {
        op: OP,
        values: vocabulary.terms().iter().map(&mut value).collect(),
        outcome: Outcome::Returned,
        objects: Vec::new(),
        made: Vec::new(),
        freed: Vec::new(),
    };
    Samples::from([(OP, (0..rows).map(|_| row()).collect())])
}

/// Calls that panic for no reason: a fourth as many.
fn panics(manifest: &Manifest, rows: usize, spread: u64, random: &mut Random) -> Vec<Observation> {
    let mut calls = noise(manifest, rows / 4, spread, random).remove(&OP).unwrap();
    for seen in &mut calls {
        let (file, message) = ("src/lib.rs".to_owned(), String::new());
        seen.outcome = Outcome::Panicked(PanicPlace { file, line: 1, message, changed: false });
    }
    calls
}

/// Whether it speaks of more than one term, or claims to know when a call panics.
fn is_relation(contract: &Contract) -> bool {
    let (expr, kind) = (&contract.expr, contract.kind);
    let mut terms = std::collections::BTreeSet::new();
    expr.each_term(&mut |term| {
        terms.insert(term.clone());
    });
    terms.len() > 1 || kind == ContractKind::Panics
}

#[test]
fn on_noise_no_relation_is_reported() {
    let manifest = manifest();
    for rows in [5, 6, 8, 12, 20, 35, 50] {
        let mut silent = 0;
        let mut heard = String::new();
        for seed in 0..100 {
            let spread = [3, 10, 100][seed % 3];
            let mut random = Random((seed * 1000 + rows) as u64);
            let mut samples = noise(&manifest, rows, spread, &mut random);
            samples.get_mut(&OP).unwrap().extend(panics(&manifest, rows, spread, &mut random));
            let mut inferred = infer(&manifest, &samples, &Options::default());
            inferred.contracts.retain(is_relation);
            silent += u32::from(inferred.contracts.is_empty());
            heard += &text(&inferred, &manifest);
        }
        assert!(silent >= 95, "{silent} of 100 silent at {rows} rows\n{heard}");
    }
}

#[test]
fn what_is_planted_in_noise_is_found() {
    let manifest = manifest();
    let vocabulary = manifest.vocabulary(OP);
    let at = |when, name: &str| vocabulary.position(&Term::query(when, 0, name)).unwrap();
    let argument = vocabulary.position(&Term::operand(1)).unwrap();
    let result = vocabulary.position(&Term::result()).unwrap();
    let mut samples = noise(&manifest, 50, 10, &mut Random(77));
    for seen in samples.get_mut(&OP).unwrap() {
        let values = &mut seen.values;
        values[at(When::After, "a")] =
            Value::Int(values[at(When::Before, "a")].as_int().unwrap() + 2);
        values[at(When::After, "b")] = values[at(When::Before, "c")].clone();
        values[at(When::After, "is_q")] = values[at(When::Before, "is_p")].clone();
        values[result] = Value::Bool(values[at(When::Before, "is_r")] == Value::Bool(false));
        let least = values[at(When::Before, "d")].as_int().unwrap();
        values[argument] = Value::Int(least + values[argument].as_int().unwrap());
    }
    let all = text(&infer(&manifest, &samples, &Options::default()), &manifest);
    for clause in [
        "requires x >= self.d()",
        "ensures self.a() == old(self.a()) + 2",
        "ensures self.b() == old(self.c())",
        "ensures self.is_q() == old(self.is_p())",
        "ensures result <=> !old(self.is_r())",
    ] {
        assert!(all.contains(clause), "no `{clause}` among\n{all}");
    }
}

#[test]
fn that_two_truth_values_agree_is_no_antecedent() {
    let manifest = manifest();
    let vocabulary = manifest.vocabulary(OP);
    let at = |when, name: &str| vocabulary.position(&Term::query(when, 0, name)).unwrap();
    let mut samples = noise(&manifest, 60, 10, &mut Random(78));
    for seen in samples.get_mut(&OP).unwrap() {
        let values = &mut seen.values;
        let agree = values[at(When::Before, "is_p")] == values[at(When::Before, "is_r")];
        values[at(When::After, "is_q")] = Value::Bool(agree);
        if values[at(When::Before, "a")] > values[at(When::Before, "b")] {
            values[at(When::After, "is_p")] = Value::Bool(true);
        }
    }
    let mut inferred = infer(&manifest, &samples, &Options::default());
    inferred.contracts.retain(is_relation);
    assert_eq!(text(&inferred, &manifest), "");
}
