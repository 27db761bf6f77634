//! One thread that starts all worker processes and lives as long as its fleet.
//!
//! The death signal of a child is tied to the *thread* that started it. Threads that feed workers
//! come and go with each batch of tasks, so none of them may start a process.

use std::{
    io,
    process::{Child, Command},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

type Birth = (Command, Sender<io::Result<Child>>);

/// Starts processes on request. Ends when the last clone is gone.
#[derive(Clone, Debug)]
pub(crate) struct Nursery {
    requests: Sender<Birth>,
}

impl Nursery {
    pub(crate) fn open() -> io::Result<Nursery> {
        let (requests, births) = channel();
        thread::Builder::new().name("nursery".to_owned()).spawn(move || serve(&births))?;
        Ok(Nursery { requests })
    }

    pub(crate) fn start(&self, command: Command) -> io::Result<Child> {
        let gone = || io::Error::other("the thread that starts processes is gone");
        let (reply, born) = channel();
        self.requests.send((command, reply)).map_err(|_| gone())?;
        born.recv().map_err(|_| gone())?
    }
}

fn serve(births: &Receiver<Birth>) {
    for (mut command, reply) in births {
        if let Err(unwanted) = reply.send(command.spawn())
            && let Ok(mut child) = unwanted.0
        {
            // Nobody waits for it any more; it must not outlive the request.
            child.kill().ok();
            child.wait().ok();
        }
    }
}
