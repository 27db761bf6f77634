//! The worker: answers requests until it is told to stop or the driver goes away.

use std::{
    fs::File,
    os::fd::AsRawFd as _,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use gainsay_wire::{
    CAREFUL_ENV, EXIT_CANNOT_BEGIN, EXIT_PIPES_LOST, EXIT_WORN_OUT, FrameError, JOURNAL_ENV,
    JournalPhase, Manifest, Request, Response, Settings, read_message, write_message,
};

use crate::{
    entropy, explore::explore, guard, journal, memory::Memory, panics, probe, replay::replay,
    system, table::Tables, world, world::World,
};

/// What an epoch or run may use: deep recursion of the subject is not a fault by itself.
const STACK_BYTES: usize = 16 << 20;

/// Answers requests on one harness.
pub struct Worker {
    world: World,
    memory: Memory,
}

impl Worker {
    /// A worker with nothing configured.
    pub fn new(tables: Tables) -> Worker {
        Worker { world: World::new(tables, Settings::default()), memory: Memory::default() }
    }

    /// What the harness offers.
    pub fn manifest(&self) -> Manifest {
        world::manifest(&self.world.tables, &[])
    }

    /// Answers a request; `None` for the one to stop.
    pub fn handle(&mut self, request: Request) -> Option<Response> {
        let _alone = alone();
        match request {
            Request::Configure(settings) => {
                guard::limit_memory(settings.memory_bytes);
                guard::limit_step(settings.step_millis);
                self.configure(settings);
                Some(Response::Configured)
            }
            Request::Epoch(task) => {
                let work = |world: &World, memory: &mut Memory| explore(world, memory, &task);
                Some(Response::Epoch(self.afresh(work)))
            }
            Request::Run(task) => Some(Response::Run(self.afresh(|world, _| replay(world, &task)))),
            Request::Stop => None,
        }
    }

    fn configure(&mut self, settings: Settings) {
        let tables = std::mem::replace(
            &mut self.world.tables,
            Tables { types: Vec::new(), ops: Vec::new() },
        );
        let (old, new) = (&self.world.settings, &settings);
        let same = (&old.demoted, &old.sharing, &old.locking)
            == (&new.demoted, &new.sharing, &new.locking);
        if !same {
            // Objects are looked at in another way now: nothing seen before means anything.
            self.memory = Memory::default();
        }
        self.memory.begin_coverage(&settings.counters);
        self.world = World::new(tables, settings);
    }

    /// Works in a thread of its own, so that nothing depends on what the process did before:
    /// thread-local state of the subject, and std's hash seeds, begin anew.
    fn afresh<T: Send>(&mut self, work: impl FnOnce(&World, &mut Memory) -> T + Send) -> T {
        probe::begin_epoch();
        journal::clear();
        let (world, memory) = (&self.world, &mut self.memory);
        let result = thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let thread = builder.spawn_scoped(scope, move || {
                panics::watch_this_thread();
                let done = work(world, memory);
                guard::settle_memory();
                done
            });
            match thread {
                Ok(thread) => thread.join(),
                // Threads that calls left behind are too many. Nothing has been done yet.
                Err(_) => system::exit_now(EXIT_WORN_OUT),
            }
        });
        journal::enter(JournalPhase::Idle);
        result.expect("panics of the subject are caught")
    }
}

/// Probes, journal and coverage belong to the whole process: one request at a time, also in tests.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the pipes and, where one is named, the journal. Without its journal a worker could not
/// say what it died of, so it does not begin.
fn begin() -> Result<(File, File), String> {
    let streams = system::take_standard_streams()
        .map_err(|error| format!("cannot take the standard streams: {error}"))?;
    if let Some(path) = std::env::var_os(JOURNAL_ENV).map(PathBuf::from) {
        journal::open(&path)
            .map_err(|error| format!("cannot map the journal {}: {error}", path.display()))?;
    }
    Ok(streams)
}

#[allow(clippy::print_stderr)] // The only way to tell the driver before the protocol begins.
fn refuse(why: &str) -> ! {
    eprintln!("{why}");
    system::exit_now(EXIT_CANNOT_BEGIN)
}

/// The main function of every harness.
pub fn run(tables: Tables) {
    entropy::settle();
    system::keep_memory();
    let (mut input, mut output) = match begin() {
        Ok(streams) => streams,
        Err(why) => refuse(&why),
    };
    if std::env::var_os(CAREFUL_ENV).is_some() {
        guard::look_after(output.as_raw_fd());
    }
    let mut worker = Worker::new(tables);
    let hello = Response::Hello(worker.manifest());
    if write_message(&mut output, &hello).is_err() {
        return;
    }
    loop {
        let request = match read_message::<Request>(&mut input) {
            Ok(request) => request,
            Err(FrameError::Closed) => return,
            Err(_) => system::exit_now(EXIT_PIPES_LOST),
        };
        let Some(response) = worker.handle(request) else { return };
        if write_message(&mut output, &response).is_err() {
            system::exit_now(EXIT_PIPES_LOST);
        }
        // What a call left running would take time from all that follows, and what it left in
        // memory takes room; both end with this process.
        if system::has_children() || guard::is_half_full() {
            system::exit_now(EXIT_WORN_OUT);
        }
    }
}
