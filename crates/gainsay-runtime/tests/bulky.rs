//! Objects that take much memory: they do not pile up over an epoch.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use gainsay_runtime as rt;
use gainsay_wire::{EpochTask, Lending, Request, Response, Role, Settings};

const BULK: rt::TypeId = rt::TypeId(0);
const MEGABYTE: usize = 1 << 20;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST_HELD: AtomicUsize = AtomicUsize::new(0);

/// Grows by a few megabytes with every call.
#[derive(Default)]
struct Bulk(Vec<u8>);

impl Bulk {
    fn grow(&mut self) {
        self.0 = vec![0; self.0.len() + 4 * MEGABYTE];
        let held = HELD.fetch_add(4 * MEGABYTE, SeqCst) + 4 * MEGABYTE;
        MOST_HELD.fetch_max(held, SeqCst);
    }
}

impl Drop for Bulk {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0.len(), SeqCst);
    }
}

fn tables() -> rt::Tables {
    let op = |name: &'static str, params, makes, role, call| rt::OpEntry {
        id: rt::InstanceEntry::method("Bulk", name),
        name,
        names: &["self"],
        params,
        makes,
        lending: Lending::default(),
        role,
        call,
    };
    let on = |mode| vec![rt::ParamEntry::Object { ty: BULK, mode }];
    let ops = vec![
        op("Bulk::new", vec![], vec![BULK], Role::Command, |f| {
            f.keep(0, Bulk::default());
            rt::Value::Object
        }),
        op("Bulk::grow", on(rt::Mode::Mut), vec![], Role::Command, |f| {
            f.by_mut::<Bulk>(0).grow();
            rt::Value::Unit
        }),
        op("drop", on(rt::Mode::Own), vec![], Role::Drop, |f| {
            drop(f.own::<Bulk>(0));
            rt::Value::Unit
        }),
    ];
    let len = rt::QueryEntry {
        name: "len",
        param: None,
        eval: |object, _| rt::value!(&rt::object::<Bulk>(object).0.len()),
    };
    let ty = rt::TypeEntry {
        name: "Bulk",
        borrows: false,
        clone: None,
        eq: None,
        cmp: None,
        hash: None,
        debug: None,
        lawful: rt::Lawful::default(),
        queries: vec![len],
    };
    rt::Tables { types: vec![ty], ops }
}

#[test]
fn objects_that_took_much_memory_are_dropped_before_there_are_many() {
    let mut worker = rt::Worker::new(tables());
    worker.handle(Request::Configure(Settings::default()));
    for seed in 0..4 {
        let task = EpochTask { seed, calls: 600, ..EpochTask::default() };
        let Some(Response::Epoch(report)) = worker.handle(Request::Epoch(task)) else {
            panic!("an epoch is answered by its report");
        };
        assert!(report.ops[1].returned > 100, "{:?}", report.ops);
    }
    // One object may take some 80 MB until it is let go, and several grow side by side.
    let most = MOST_HELD.load(SeqCst) / MEGABYTE;
    assert!(most > 20, "{most} MB: hardly anything grew");
    assert!(most < 300, "{most} MB");
    assert_eq!(HELD.load(SeqCst), 0);
}
