//! How worker processes are started: directly, or by a launcher that confines them.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Confinement, Network, Protection, Sight, WorkerError,
    sandbox::{LAUNCH_ENV, Orders, Purpose},
    sys,
};

/// What every worker of a fleet is put into.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// Nothing but a few limits.
    Open,
    /// A sandbox with all that this system can do.
    Closed { launcher: PathBuf, network: Network, sight: Sight, protection: Protection },
}

/// How a process is made to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayToEnd {
    /// It and its group are killed.
    Kill,
    /// It is asked first, because it has others to end.
    Ask,
}

impl Cell {
    /// Finds out what can be in force; what is found then holds for every worker.
    pub(crate) fn build(
        confinement: &Confinement,
        scratch: &Path,
        program: &Path,
    ) -> Result<Cell, WorkerError> {
        let Confinement::Sandbox { launcher, network, sight } = confinement else {
            return Ok(Cell::Open);
        };
        let protection = probe(launcher, *network, scratch, program)?;
        if !protection.guards_files() {
            return Err(WorkerError::NoSandbox);
        }
        let (launcher, network, sight) = (launcher.clone(), *network, *sight);
        Ok(Cell::Closed { launcher, network, sight, protection })
    }

    /// What is in force.
    pub(crate) fn protection(&self) -> Protection {
        match self {
            Cell::Open => Protection::default(),
            Cell::Closed { protection, .. } => protection.clone(),
        }
    }

    pub(crate) fn way_to_end(&self) -> WayToEnd {
        match self {
            Cell::Open => WayToEnd::Kill,
            Cell::Closed { .. } => WayToEnd::Ask,
        }
    }

    /// Starts the program with nothing in its environment.
    pub(crate) fn command(&self, program: &Path, scratch: &Path, journal: &Path) -> Command {
        match self {
            Cell::Open => {
                let mut command = Command::new(program);
                command.env_clear();
                sys::restrict(&mut command);
                command
            }
            Cell::Closed { launcher, network, sight, protection } => {
                let orders = Orders {
                    purpose: Purpose::Work,
                    network: *network,
                    sight: *sight,
                    needed: protection.clone(),
                    scratch: scratch.to_owned(),
                    journal: journal.to_owned(),
                    program: program.to_owned(),
                };
                launch(launcher, &orders)
            }
        }
    }
}

fn launch(launcher: &Path, orders: &Orders) -> Command {
    let mut command = Command::new(launcher);
    command
        .env_clear()
        .env(LAUNCH_ENV, orders.purpose.name())
        .args(orders.arguments())
        .process_group(0);
    command
}

/// Has a launcher do everything but start a worker.
fn probe(
    launcher: &Path,
    network: Network,
    scratch: &Path,
    program: &Path,
) -> Result<Protection, WorkerError> {
    let (place, journal) = (scratch.join("probe"), scratch.join("probe.journal"));
    fs::create_dir_all(&place)
        .and_then(|()| File::create(&journal))
        .map_err(|source| WorkerError::Scratch { path: place.clone(), source })?;
    let orders = Orders {
        purpose: Purpose::Probe,
        network,
        sight: Sight::Nothing,
        needed: Protection::default(),
        scratch: place.clone(),
        journal: journal.clone(),
        program: program.to_owned(),
    };
    let output = launch(launcher, &orders).output();
    fs::remove_dir_all(&place).ok();
    fs::remove_file(&journal).ok();
    let failed = |how: String| WorkerError::Launcher { path: launcher.to_owned(), how };
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(Protection::parse(String::from_utf8_lossy(&output.stdout).trim()))
}
