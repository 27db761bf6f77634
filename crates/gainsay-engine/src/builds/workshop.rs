//! Makes builds in the background, one after the other.

use std::{
    collections::BTreeMap,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use gainsay_harness::{Background, BuildOptions, Harness, HarnessError, Manners};
use gainsay_model::{api::Api, build::Build};
use gainsay_workers::Cancel;

use crate::settings::Others;

type Made = Result<Harness, HarnessError>;

/// Time between two looks at whether somebody interrupted: short enough to seem at once.
const LOOK: Duration = Duration::from_millis(50);

/// Builds that are being made.
pub(crate) struct Workshop {
    background: Background,
    made: Receiver<(Build, Made)>,
    early: BTreeMap<Build, Made>,
    thread: Option<JoinHandle<()>>,
}

impl Workshop {
    /// Begins to make builds.
    // One after the other: compilers of several builds at once would take the processors from the
    // workers of the ordinary build.
    pub(crate) fn open(api: &Api, others: &Others) -> Workshop {
        let (send, made) = mpsc::channel();
        let manners = if others.asked { Manners::Pressing } else { Manners::Polite };
        let background = Background::new(manners);
        let (api, builds) = (api.clone(), others.builds.clone());
        let wrapper = std::env::current_exe().ok();
        let options = BuildOptions { wrapper, background: Some(background.clone()) };
        let work = move || {
            for build in builds {
                let made = gainsay_harness::build_as(&api, build, &options);
                if send.send((build, made)).is_err() {
                    return;
                }
            }
        };
        Workshop { background, made, early: BTreeMap::new(), thread: Some(thread::spawn(work)) }
    }

    /// Waits for a build, unless it takes too long.
    pub(crate) fn wait_for_build(
        &mut self,
        wanted: Build,
        patience: Option<Instant>,
        cancel: &Cancel,
    ) -> Option<Made> {
        loop {
            if let Some(made) = self.early.remove(&wanted) {
                return Some(made);
            }
            match self.made.recv_timeout(LOOK) {
                Ok((build, made)) => _ = self.early.insert(build, made),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = patience.is_some_and(|until| Instant::now() >= until);
                    if is_over || cancel.is_cancelled() {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // Compilers of a build that nobody waits for must not outlive the run.
        self.background.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
