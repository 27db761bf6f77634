//! All laws, each once: its tag on the wire, its parts, its name, its meaning.

use std::{fmt, str::FromStr};

use super::{
    law_parts::{
        AddOne, Careful, Extreme, FloatForm, ForeignText, ItemCount, Kept, ListCall, ListCommand,
        Listing, LookUp, Operator, PairComparison, SeqEnd, Sought,
    },
    law_words::{Captured, TypeWord, UnknownLaw},
};

/// A row of the catalogue: laws that differ in the names that they speak of, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawKind {
    /// The family, as `docs/laws.md` calls it.
    pub family: &'static str,
    /// The name, with braces around what differs from law to law.
    pub words: &'static str,
    /// The meaning, in a sentence.
    pub statement: &'static str,
}

/// The statement of a law, whichever operation it asks: of laws with one statement one is broken
/// where the other is. There is nothing to read in it; it can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LawStatement(String);

// One table for names, tags, meanings and parts: a law is checked in the worker, ruled about in the
// driver and written down in a test, and each of them once had its own list.
// Tags are written out and never used again: findings with them are stored.
law_catalogue! {
    "equality" {
        0 = EqReflexive "eq" "reflexive" "A value equals itself.";
        1 = EqSymmetric "eq" "symmetric" "`==` goes both ways.";
        2 = EqTransitive "eq" "transitive" "Of three values not two pairs alone are equal.";
        3 = HashAgreesWithEq "hash" "agrees-with-eq" "Equal values have equal hashes.";
    }
    "order" {
        4 = PartialCmpBothWays "partial_cmp" "both-ways" "`partial_cmp` goes both ways.";
        5 = PartialCmpTransitive "partial_cmp" "transitive" "Order carries over to a third value.";
        6 = CmpBothWays "cmp" "both-ways" "`cmp` goes both ways.";
        7 = CmpReflexive "cmp" "reflexive" "A value is as great as itself.";
        8 = CmpAgreesWithEq "cmp" "agrees-with-eq" "What is equal compares as equal, and only that.";
        9 = PartialCmpAgreesWithCmp "partial_cmp" "agrees-with-cmp" "Both orders are one.";
    }
    "other types" {
        10 = EqBothWaysWith { text: ForeignText } "eq" "both-ways-with-{text}"
            "`==` with texts and bytes of std goes both ways.";
        11 = PartialCmpBothWaysWith { text: ForeignText } "partial_cmp" "both-ways-with-{text}"
            "`partial_cmp` with texts and bytes of std goes both ways.";
        12 = CmpAgreesWithEqOf { text: ForeignText } "cmp" "agrees-with-eq-of-{text}"
            "Texts and bytes of std that are equal compare as equal, and only those.";
    }
    "copies" {
        13 = CloneEquals "clone" "equals" "A copy equals its original.";
        14 = CloneFromEquals "clone_from" "equals" "`clone_from` makes an object equal to another.";
        15 = CloneHoldsTheSame "clone" "holds-the-same" "A copy holds what its original holds.";
        16 = LeavesTheOriginal { change: String } "{change}" "of-a-clone-leaves-the-original"
            "The change of a copy is none of its original.";
    }
    "counts" {
        17 = IsEmptyAgreesWithLen "is_empty" "agrees-with-len" "Only what is empty has no length.";
        18 = LenAgreesWithSeq "len" "agrees-with-seq" "`len` counts the items.";
        19 = CountAgreesWith { count: String, listing: String } "{count}" "agrees-with-{listing}"
            "A query that counts what another lists counts it right.";
    }
    "ends" {
        20 = ShowsEnd { query: String, end: SeqEnd } "{query}" "is-the-{end}-of-seq"
            "A query for an end shows the item at that end.";
    }
    "look-ups" {
        21 = FindsEvery { query: LookUp, what: Sought } "{query}" "finds-every-{what}"
            "Each key or item that iterating shows is found by asking for it.";
        22 = ShowsSeqByPosition { query: LookUp } "{query}" "shows-seq-by-position"
            "Asked for each position it shows the sequence.";
    }
    "order of items" {
        23 = SeqIsSorted "seq" "is-sorted" "Items stay in order.";
    }
    "iterators" {
        24 = SizeHintAgreesWithItems "size_hint" "agrees-with-items"
            "As many items follow as `size_hint` says.";
        25 = LenAgreesWithItems "len" "agrees-with-items" "As many items follow as `len` says.";
        26 = BothEndsMeet "both" "ends-meet" "Each item comes once, whichever end it is taken from.";
        27 = RevIsReverse "rev" "is-reverse" "From the back come the same items the other way.";
        28 = StaysAtItsEnd "stays" "at-its-end" "After its end an iterator gives nothing.";
        29 = CloneGivesTheSameItems "clone" "gives-the-same-items"
            "Copies of an iterator give the same items.";
        30 = CountOf { count: ItemCount, listing: String } "{count}" "of-{listing}"
            "An iterator that an operation makes says at each step how many items follow.";
        31 = BothEndsOf { listing: String } "both" "ends-of-{listing}"
            "An iterator that an operation makes gives each item once, from whichever end.";
        32 = ComesToAnEnd { listing: String } "{listing}" "comes-to-an-end"
            "A listing does not give one item for ever.";
    }
    "listings" {
        33 = GivesEveryItem { listing: Listing } "{listing}" "gives-every-item"
            "A listing shows all items.";
        34 = KeepsTheOrder { listing: Listing } "{listing}" "keeps-the-order"
            "A listing shows items in their order.";
        35 = MutAgreesWith { shared: String } "{shared}_mut" "agrees-with-{shared}"
            "A query for `&mut` shows what its twin shows.";
    }
    "queues" {
        36 = ShowsExtreme { query: String, extreme: Extreme } "{query}" "shows-the-{extreme}"
            "A queue shows an extreme of its items.";
        37 = TakesWhatIsShown { pop: String, peek: String } "{pop}" "takes-what-{peek}-shows"
            "A queue gives what it showed as the next item.";
        38 = TakesEveryItem { pop: String } "{pop}" "takes-every-item"
            "Again and again it gives all items.";
        39 = TakesExtreme { pop: String, extreme: Extreme } "{pop}" "takes-the-{extreme}"
            "A queue gives its items in order.";
    }
    "lists" {
        40 = IsAsOnAList { command: ListCommand } "{command}" "is-as-on-a-list"
            "A command does what it does on a `Vec`.";
        41 = TakesNothingBeyondTheEnd { command: ListCommand }
            "{command}" "takes-nothing-beyond-the-end"
            "A removal makes up no item for a position beyond the end.";
        42 = DrainTakesTheRange "drain" "takes-the-range" "`drain` takes the range, no more, no less.";
        43 = DrainCutsTheText "drain" "cuts-the-text" "`drain` of a text cuts the range out of it.";
    }
    "ranges" {
        44 = ShowsBetween { query: String } "{query}" "shows-what-lies-between"
            "A range of keys shows the entries between them.";
    }
    "many at once" {
        45 = FromIterAgreesWithExtend "from_iter" "agrees-with-extend"
            "`from_iter` makes what `extend` makes of nothing.";
        46 = ExtendAgreesWith { one: AddOne } "extend" "agrees-with-{one}"
            "Many items at once are as one after another.";
        47 = AppendJoinsBoth "append" "joins-both" "What is appended stands after what was there.";
        48 = AppendEmptiesTheOther "append" "empties-the-other"
            "What was appended is no more where it was.";
    }
    "debug texts" {
        49 = DebugIsAsOfASlice "debug" "is-as-of-a-slice" "`{:?}` shows it as the slice behind it.";
        50 = PrettyDebugIsAsOfASlice "pretty" "debug-is-as-of-a-slice"
            "`{:#?}` shows it as the slice behind it.";
        51 = DebugIsAsOfAText "debug" "is-as-of-a-text" "`{:?}` shows it as the text of its bytes.";
    }
    "conversions" {
        52 = ConversionKeeps { conversion: String, what: Kept } "{conversion}" "keeps-the-{what}"
            "A conversion keeps what is there.";
        53 = IntoKeeps { target: TypeWord, what: Kept } "into" "{target}-keeps-the-{what}"
            "`From` between types of the crate keeps what is there.";
    }
    "round trips" {
        54 = ReadEquals { read: String, tell: String } "{read}" "of-{tell}-equals"
            "What is read of what an object told equals it.";
        55 = ReadIsPrintedAlike { read: String } "{read}" "of-to_string-is-printed-alike"
            "What is read of a printed text is printed alike.";
        56 = FromAndBackEquals { other: TypeWord } "from" "{other}-and-back-equals"
            "There and back again is where it began.";
    }
    "arithmetic" {
        57 = AddCommutes "add" "commutes" "Sums have no order.";
        58 = MulCommutes "mul" "commutes" "Products have no order.";
        59 = SubTakesWhatAddGave "sub" "takes-what-add-gave" "What was added can be taken away.";
        60 = AddGivesWhatSubTook "add" "gives-what-sub-took" "What was taken away can be added.";
        61 = SubOfItself "sub" "of-itself-is-always-the-same" "There is one zero.";
        62 = AddOfNegIsSub "add" "of-neg-is-sub" "Adding the negative is taking away.";
        63 = SubHasTheSignOfTheOrder "sub" "has-the-sign-of-the-order"
            "The difference is negative where the first number is less.";
        64 = NegOfNeg "neg" "of-neg-is-the-same" "The negative of the negative is the same.";
        65 = CarefulAgreesWith { careful: Careful, operator: Operator }
            "{careful}_{operator}" "agrees-with-{operator}"
            "Where a careful operation has a result, it is that of the operator.";
        66 = ZerosAreEqual "zeros" "are-equal" "All for which `is_zero` holds are equal.";
        67 = OnesAreEqual "ones" "are-equal" "All for which `is_one` holds are equal.";
        68 = AbsSubIsSubOrZero "abs_sub" "is-sub-or-zero"
            "`abs_sub` is the difference where it is positive, else zero.";
    }
    "rounding" {
        69 = TwiceIsOnce { method: String } "{method}" "twice-is-{method}-once"
            "A second time changes nothing.";
        70 = LeavesWhatIsRound { method: String } "{method}" "leaves-what-is-round"
            "What has no more digits stays as it is.";
        71 = TruncAndFractAreTheWhole "trunc" "and-fract-are-the-whole" "Parts make up the whole.";
        72 = IsIntegerAgreesWithFract "is_integer" "agrees-with-fract" "An integer has no fraction.";
        73 = AbsIsNotNegative "abs" "is-not-negative" "`abs` is not negative.";
        74 = FloatAgreesWithText { form: FloatForm } "{form}" "agrees-with-to_string"
            "As a number of the language it is about what its text says.";
    }
    "stores" {
        75 = GivesWhatWasTaken { get: String, put: String } "{get}" "gives-what-{put}-took"
            "What is put in comes out.";
    }
    "resets" {
        76 = IsAsOfNew { query: String, reset: String } "{query}" "after-{reset}-is-as-of-new"
            "After a reset it answers as a fresh object does.";
    }
    "calls" {
        77 = DoesAsOnAList { call: ListCall } "{call}" "does-as-on-a-list"
            "A call leaves what it leaves of any list.";
        78 = MakesRoom { method: String } "{method}" "makes-room"
            "There is room for what was asked for, or it was refused.";
        79 = FindsWhatInsertTook { query: LookUp } "{query}" "finds-what-insert-took"
            "What was put in is found by asking for it.";
        80 = InsertGivesWhatWasInserted "insert" "gives-what-was-inserted"
            "The reference that `insert` gives shows what was inserted.";
    }
    "two types" {
        81 = GoesBothWaysWith { comparison: PairComparison, other: TypeWord }
            "{comparison}" "goes-both-ways-with-{other}"
            "Comparing two types of the crate goes both ways.";
    }
}

impl LawId {
    /// The statement, apart from the operation that it asks.
    pub fn statement(&self) -> LawStatement {
        let mut words = String::new();
        self.write_predicate(&mut words).expect("writing to a string");
        LawStatement(words)
    }
}

/// The law's name: part of faults' identities, so no word of it may change.
impl fmt::Display for LawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_subject(f)?;
        f.write_str("-")?;
        self.write_predicate(f)
    }
}

impl FromStr for LawId {
    type Err = UnknownLaw;

    fn from_str(words: &str) -> Result<LawId, UnknownLaw> {
        LawId::read(words)
    }
}

#[cfg(test)]
mod tests;
