//! Values that hold objects, put together from several operands.

use gainsay_model::{
    spelling::Form,
    ty::{GenericArg, Ty},
};
use gainsay_wire::Mode;

use super::{
    PoolTypes,
    params::{self, Pass, PlannedParam},
};

/// How many items a list of objects has at most.
const ITEMS: usize = 3;
/// Longer arrays of objects are not put together.
const LONGEST_ARRAY: u64 = 8;

/// Types with one argument that a function wraps around a value.
const WRAPPERS: [(&str, &str); 16] = [
    ("option::Option", "std::option::Option::Some"),
    ("boxed::Box", "std::boxed::Box::new"),
    ("rc::Rc", "std::rc::Rc::new"),
    ("sync::Arc", "std::sync::Arc::new"),
    ("cell::Cell", "std::cell::Cell::new"),
    ("cell::RefCell", "std::cell::RefCell::new"),
    ("sync::Mutex", "std::sync::Mutex::new"),
    ("sync::RwLock", "std::sync::RwLock::new"),
    ("pin::Pin", "std::pin::Pin::new"),
    ("cmp::Reverse", "std::cmp::Reverse"),
    ("num::Wrapping", "std::num::Wrapping"),
    ("mem::ManuallyDrop", "std::mem::ManuallyDrop::new"),
    ("mem::MaybeUninit", "std::mem::MaybeUninit::new"),
    ("ops::Bound", "std::ops::Bound::Included"),
    ("task::Poll", "std::task::Poll::Ready"),
    ("io::Cursor", "std::io::Cursor::new"),
];

/// Collections that can be collected into.
const COLLECTIONS: [&str; 7] = [
    "collections::VecDeque",
    "collections::LinkedList",
    "collections::BinaryHeap",
    "collections::BTreeSet",
    "collections::HashSet",
    "collections::BTreeMap",
    "collections::HashMap",
];

/// A value of this type from its parts, if there is a way.
pub(crate) fn composite(ty: &Ty, pool: &PoolTypes) -> Option<Pass> {
    match ty {
        Ty::Ref { access, to } => match &**to {
            Ty::Slice(item) => items(Form::Slice(*access), item, pool),
            to => together(Form::Reference(*access), &[to], pool),
        },
        Ty::Tuple(members) => together(Form::Tuple, &members.iter().collect::<Vec<_>>(), pool),
        Ty::Array(item, len) if *len <= LONGEST_ARRAY => {
            let items: Vec<&Ty> = (0..*len).map(|_| &**item).collect();
            together(Form::Array, &items, pool)
        }
        Ty::Path { path, args } => named(path.strip_prefix("std::")?, args, pool),
        _ => None,
    }
}

/// A list of up to a few items. Where one can be left out, it is optional.
pub(crate) fn items(form: Form, item: &Ty, pool: &PoolTypes) -> Option<Pass> {
    let part = PlannedParam::part(item, params::pass(item, pool)?);
    let parts = match optional(&part) {
        Some(part) => vec![part; ITEMS],
        None => vec![part],
    };
    Some(Pass::Composite(form, parts))
}

fn named(path: &str, args: &[GenericArg], pool: &PoolTypes) -> Option<Pass> {
    let types: Vec<&Ty> = args
        .iter()
        .filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(ty),
            GenericArg::Lifetime | GenericArg::Const(_) => None,
        })
        .collect();
    let call = |function: &str, parts: &[&Ty]| together(Form::Call(function.into()), parts, pool);
    let fields = |names: &[&str], parts: &[&Ty]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        together(Form::Fields(["std::", path].concat(), names), parts, pool)
    };
    match (path, types.as_slice()) {
        ("vec::Vec", [item, ..]) => items(Form::Vector, item, pool),
        ("boxed::Box" | "rc::Rc" | "sync::Arc", [Ty::Slice(item)]) => {
            let vector = items(Form::Vector, item, pool)?;
            let ty = super::plain::vec((**item).clone());
            let parts = vec![PlannedParam::part(&ty, vector)];
            Some(Pass::Composite(Form::Call("std::convert::From::from".into()), parts))
        }
        ("result::Result", [ok, err]) => call("std::result::Result::Ok", &[ok])
            .or_else(|| call("std::result::Result::Err", &[err])),
        ("borrow::Cow", [inner]) => {
            call("std::borrow::Cow::Borrowed", &[&(*inner).clone().shared()])
        }
        ("ops::Range", [index]) => fields(&["start", "end"], &[index, index]),
        ("ops::RangeFrom", [index]) => fields(&["start"], &[index]),
        ("ops::RangeTo" | "ops::RangeToInclusive", [index]) => fields(&["end"], &[index]),
        ("ops::RangeInclusive", [index]) => call("std::ops::RangeInclusive::new", &[index, index]),
        (_, [key, value, ..]) if path.ends_with("Map") && COLLECTIONS.contains(&path) => {
            let pair = Ty::Tuple(vec![(*key).clone(), (*value).clone()]);
            items(Form::Collection, &pair, pool)
        }
        (_, [item, ..]) if COLLECTIONS.contains(&path) => items(Form::Collection, item, pool),
        (_, [inner, ..]) => {
            let (_, function) = WRAPPERS.iter().find(|(known, _)| *known == path)?;
            call(function, &[inner])
        }
        _ => None,
    }
}

fn together(form: Form, types: &[&Ty], pool: &PoolTypes) -> Option<Pass> {
    let parts = types.iter().map(|ty| Some(PlannedParam::part(ty, params::pass(ty, pool)?)));
    Some(Pass::Composite(form, parts.collect::<Option<_>>()?))
}

/// The same as an item that may be missing: its objects are optional. `None` where that cannot
/// be told from a value that is there.
fn optional(part: &PlannedParam) -> Option<PlannedParam> {
    let pass = match &part.pass {
        Pass::Object { ty, mode, carrier } => {
            let mode = match mode {
                Mode::Ref => Mode::OptRef,
                Mode::Own => Mode::OptOwn,
                Mode::Mut => return None,
                Mode::OptRef | Mode::OptOwn => return Some(part.clone()),
            };
            let leaf = Pass::Object { ty: *ty, mode, carrier: *carrier };
            Pass::Composite(Form::Present, vec![PlannedParam::part(&part.ty, leaf)])
        }
        Pass::Composite(Form::Reference(_) | Form::Slice(_), _) | Pass::Closure(_) => return None,
        Pass::Composite(
            form @ (Form::Tuple | Form::Call(_) | Form::Array | Form::Fields(..)),
            parts,
        ) => {
            let parts = parts.iter().map(optional).collect::<Option<_>>()?;
            Pass::Composite(form.clone(), parts)
        }
        Pass::Plain(plain) if plain.lend.is_exclusive() => return None,
        other => other.clone(),
    };
    Some(PlannedParam { pass, ..part.clone() })
}
