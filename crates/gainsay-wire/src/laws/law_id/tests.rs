//! Each law has its name, and is found again by it; other words are no laws.

use std::collections::BTreeSet;

use super::*;
use crate::{from_bytes, to_bytes};

fn word(name: &str) -> String {
    name.to_owned()
}

fn ty(name: &str) -> TypeWord {
    TypeWord(name.to_owned())
}

/// A law of each kind, and of some kinds more, with the names that files of earlier versions hold.
fn samples() -> Vec<(LawId, &'static str)> {
    let mut all = std_traits();
    all.extend(collections());
    all.extend(commands());
    all.extend(numbers());
    all
}

fn std_traits() -> Vec<(LawId, &'static str)> {
    vec![
        (LawId::EqReflexive, "eq-reflexive"),
        (LawId::EqSymmetric, "eq-symmetric"),
        (LawId::EqTransitive, "eq-transitive"),
        (LawId::HashAgreesWithEq, "hash-agrees-with-eq"),
        (LawId::PartialCmpBothWays, "partial_cmp-both-ways"),
        (LawId::PartialCmpTransitive, "partial_cmp-transitive"),
        (LawId::CmpBothWays, "cmp-both-ways"),
        (LawId::CmpReflexive, "cmp-reflexive"),
        (LawId::CmpAgreesWithEq, "cmp-agrees-with-eq"),
        (LawId::PartialCmpAgreesWithCmp, "partial_cmp-agrees-with-cmp"),
        (LawId::EqBothWaysWith { text: ForeignText::Str }, "eq-both-ways-with-str"),
        (
            LawId::PartialCmpBothWaysWith { text: ForeignText::Bytes },
            "partial_cmp-both-ways-with-[u8]",
        ),
        (LawId::CmpAgreesWithEqOf { text: ForeignText::ByteVec }, "cmp-agrees-with-eq-of-Vec<u8>"),
        (LawId::CloneEquals, "clone-equals"),
        (LawId::CloneFromEquals, "clone_from-equals"),
        (LawId::CloneHoldsTheSame, "clone-holds-the-same"),
        (
            LawId::LeavesTheOriginal { change: word("clear") },
            "clear-of-a-clone-leaves-the-original",
        ),
        (LawId::SizeHintAgreesWithItems, "size_hint-agrees-with-items"),
        (LawId::LenAgreesWithItems, "len-agrees-with-items"),
        (LawId::BothEndsMeet, "both-ends-meet"),
        (LawId::RevIsReverse, "rev-is-reverse"),
        (LawId::StaysAtItsEnd, "stays-at-its-end"),
        (LawId::CloneGivesTheSameItems, "clone-gives-the-same-items"),
        (LawId::CountOf { count: ItemCount::Len, listing: word("iter") }, "len-of-iter"),
        (
            LawId::CountOf { count: ItemCount::SizeHint, listing: word("into_iter") },
            "size_hint-of-into_iter",
        ),
        (LawId::BothEndsOf { listing: word("drain") }, "both-ends-of-drain"),
        (LawId::ComesToAnEnd { listing: word("lines") }, "lines-comes-to-an-end"),
        (
            LawId::GoesBothWaysWith { comparison: PairComparison::PartialCmp, other: ty("Bytes") },
            "partial_cmp-goes-both-ways-with-Bytes",
        ),
    ]
}

fn collections() -> Vec<(LawId, &'static str)> {
    let (query, extreme) = (word("peek_max"), Extreme::GreatestBySecond);
    vec![
        (LawId::IsEmptyAgreesWithLen, "is_empty-agrees-with-len"),
        (LawId::LenAgreesWithSeq, "len-agrees-with-seq"),
        (
            LawId::CountAgreesWith { count: word("keys_len"), listing: word("keys") },
            "keys_len-agrees-with-keys",
        ),
        (LawId::ShowsEnd { query: word("front"), end: SeqEnd::First }, "front-is-the-first-of-seq"),
        (LawId::ShowsEnd { query: word("last"), end: SeqEnd::Last }, "last-is-the-last-of-seq"),
        (LawId::FindsEvery { query: LookUp::Get, what: Sought::Key }, "get-finds-every-key"),
        (
            LawId::FindsEvery { query: LookUp::Contains, what: Sought::Item },
            "contains-finds-every-item",
        ),
        (LawId::ShowsSeqByPosition { query: LookUp::Index }, "index-shows-seq-by-position"),
        (LawId::SeqIsSorted, "seq-is-sorted"),
        (LawId::GivesEveryItem { listing: Listing::IntoIter }, "into_iter-gives-every-item"),
        (LawId::KeepsTheOrder { listing: Listing::Keys }, "keys-keeps-the-order"),
        (LawId::MutAgreesWith { shared: word("iter") }, "iter_mut-agrees-with-iter"),
        (LawId::ShowsExtreme { query, extreme }, "peek_max-shows-the-greatest-by-second"),
        (
            LawId::TakesWhatIsShown { pop: word("pop_min"), peek: word("peek_min") },
            "pop_min-takes-what-peek_min-shows",
        ),
        (LawId::TakesEveryItem { pop: word("pop") }, "pop-takes-every-item"),
        (LawId::TakesExtreme { pop: word("pop"), extreme: Extreme::Least }, "pop-takes-the-least"),
        (LawId::ShowsBetween { query: word("range") }, "range-shows-what-lies-between"),
        (LawId::FromIterAgreesWithExtend, "from_iter-agrees-with-extend"),
        (LawId::ExtendAgreesWith { one: AddOne::PushBack }, "extend-agrees-with-push_back"),
        (LawId::AppendJoinsBoth, "append-joins-both"),
        (LawId::AppendEmptiesTheOther, "append-empties-the-other"),
        (LawId::DebugIsAsOfASlice, "debug-is-as-of-a-slice"),
        (LawId::PrettyDebugIsAsOfASlice, "pretty-debug-is-as-of-a-slice"),
        (LawId::DebugIsAsOfAText, "debug-is-as-of-a-text"),
    ]
}

fn commands() -> Vec<(LawId, &'static str)> {
    vec![
        (LawId::IsAsOnAList { command: ListCommand::SplitOff }, "split_off-is-as-on-a-list"),
        (
            LawId::TakesNothingBeyondTheEnd { command: ListCommand::SwapRemove },
            "swap_remove-takes-nothing-beyond-the-end",
        ),
        (LawId::DrainTakesTheRange, "drain-takes-the-range"),
        (LawId::DrainCutsTheText, "drain-cuts-the-text"),
        (
            LawId::ConversionKeeps { conversion: word("into_vec"), what: Kept::Items },
            "into_vec-keeps-the-items",
        ),
        (LawId::IntoKeeps { target: ty("Vec"), what: Kept::Text }, "into-Vec-keeps-the-text"),
        (
            LawId::ReadEquals { read: word("from_str"), tell: word("to_string") },
            "from_str-of-to_string-equals",
        ),
        (LawId::ReadIsPrintedAlike { read: word("parse") }, "parse-of-to_string-is-printed-alike"),
        (LawId::FromAndBackEquals { other: ty("(A, B)") }, "from-(A, B)-and-back-equals"),
        (
            LawId::GivesWhatWasTaken { get: word("get_u8"), put: word("put_u8") },
            "get_u8-gives-what-put_u8-took",
        ),
        (
            LawId::IsAsOfNew { query: word("next"), reset: word("rewind") },
            "next-after-rewind-is-as-of-new",
        ),
        (LawId::DoesAsOnAList { call: ListCall::PushFront }, "push_front-does-as-on-a-list"),
        (LawId::MakesRoom { method: word("reserve") }, "reserve-makes-room"),
        (
            LawId::FindsWhatInsertTook { query: LookUp::ContainsKey },
            "contains_key-finds-what-insert-took",
        ),
        (LawId::InsertGivesWhatWasInserted, "insert-gives-what-was-inserted"),
    ]
}

fn numbers() -> Vec<(LawId, &'static str)> {
    vec![
        (LawId::AddCommutes, "add-commutes"),
        (LawId::MulCommutes, "mul-commutes"),
        (LawId::SubTakesWhatAddGave, "sub-takes-what-add-gave"),
        (LawId::AddGivesWhatSubTook, "add-gives-what-sub-took"),
        (LawId::SubOfItself, "sub-of-itself-is-always-the-same"),
        (LawId::AddOfNegIsSub, "add-of-neg-is-sub"),
        (LawId::SubHasTheSignOfTheOrder, "sub-has-the-sign-of-the-order"),
        (LawId::NegOfNeg, "neg-of-neg-is-the-same"),
        (
            LawId::CarefulAgreesWith { careful: Careful::Saturating, operator: Operator::Mul },
            "saturating_mul-agrees-with-mul",
        ),
        (LawId::ZerosAreEqual, "zeros-are-equal"),
        (LawId::OnesAreEqual, "ones-are-equal"),
        (LawId::AbsSubIsSubOrZero, "abs_sub-is-sub-or-zero"),
        (LawId::TwiceIsOnce { method: word("trunc") }, "trunc-twice-is-trunc-once"),
        (LawId::LeavesWhatIsRound { method: word("round_dp") }, "round_dp-leaves-what-is-round"),
        (LawId::TruncAndFractAreTheWhole, "trunc-and-fract-are-the-whole"),
        (LawId::IsIntegerAgreesWithFract, "is_integer-agrees-with-fract"),
        (LawId::AbsIsNotNegative, "abs-is-not-negative"),
        (
            LawId::FloatAgreesWithText { form: FloatForm::TryFrom },
            "f64_try_from-agrees-with-to_string",
        ),
    ]
}

#[test]
fn every_law_has_its_name_and_is_read_back_from_it_and_from_bytes() {
    let mut kinds = BTreeSet::new();
    for (law, name) in samples() {
        assert_eq!(law.to_string(), name);
        assert_eq!(LawId::read(name), Ok(law.clone()));
        let bytes = to_bytes(&law);
        assert_eq!(from_bytes::<LawId>(&bytes), Ok(law));
        for end in 0..bytes.len() {
            assert!(from_bytes::<LawId>(&bytes[..end]).is_err(), "{name} cut at {end}");
        }
        kinds.insert(bytes[0]);
    }
    let all = 0..u8::try_from(LawId::CATALOGUE.len()).unwrap();
    assert!(kinds.into_iter().eq(all), "each kind has a sample, and tags have no gaps");
}

#[test]
fn each_word_that_laws_choose_from_is_read_back_in_its_law() {
    let check = |law: LawId| assert_eq!(LawId::read(&law.to_string()), Ok(law));
    for query in LookUp::ALL {
        check(LawId::FindsEvery { query: *query, what: Sought::Key });
    }
    for listing in Listing::ALL {
        check(LawId::KeepsTheOrder { listing: *listing });
    }
    for extreme in Extreme::ALL {
        check(LawId::TakesExtreme { pop: word("pop"), extreme: *extreme });
        check(LawId::ShowsExtreme { query: word("min"), extreme: *extreme });
    }
    for command in ListCommand::ALL {
        check(LawId::IsAsOnAList { command: *command });
    }
    for call in ListCall::ALL {
        check(LawId::DoesAsOnAList { call: *call });
    }
    for one in AddOne::ALL {
        check(LawId::ExtendAgreesWith { one: *one });
    }
    for form in FloatForm::ALL {
        check(LawId::FloatAgreesWithText { form: *form });
    }
    for text in ForeignText::ALL {
        check(LawId::CmpAgreesWithEqOf { text: *text });
    }
    for careful in Careful::ALL {
        for operator in Operator::ALL {
            check(LawId::CarefulAgreesWith { careful: *careful, operator: *operator });
        }
    }
}

#[test]
fn words_that_fit_two_laws_are_read_as_the_one_that_leaves_less_open() {
    let check = |name: &str, law: LawId| assert_eq!(LawId::read(name), Ok(law));
    check("len-agrees-with-seq", LawId::LenAgreesWithSeq);
    let (count, listing) = (word("len_seq"), word("seq"));
    check("len_seq-agrees-with-seq", LawId::CountAgreesWith { count, listing });
    check("get_mut_mut-agrees-with-get_mut", LawId::MutAgreesWith { shared: word("get_mut") });
}

#[test]
fn what_no_law_is_called_is_told_so() {
    for words in [
        "",
        "-",
        "gravity",
        "eq",
        "eq-",
        "eq-reflexive ",
        "eq-reflexive-of-iter",
        "get-finds-every-thing",
        "get-finds-every-",
        "-finds-every-key",
        "trunc-twice-is-round-once",
        "keys_mut-agrees-with-",
        "into--keeps-the-items",
        "checked_add-agrees-with-sub-or-so",
        "pop-takes-the-greatest-by-third",
        "a b-comes-to-an-end",
        "{listing}-comes-to-an-end",
    ] {
        assert_eq!(LawId::read(words), Err(UnknownLaw(words.to_owned())), "{words}");
    }
}

#[test]
fn laws_that_ask_other_operations_for_the_same_have_one_statement() {
    let finds = |query| LawId::FindsEvery { query, what: Sought::Key }.statement();
    assert_eq!(finds(LookUp::Get), finds(LookUp::ContainsKey));
    assert_eq!(LawId::CmpAgreesWithEq.statement(), LawId::HashAgreesWithEq.statement());
    assert_ne!(LawId::EqSymmetric.statement(), LawId::EqReflexive.statement());
}
