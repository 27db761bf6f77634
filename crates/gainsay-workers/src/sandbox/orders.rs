//! What the driver tells the launcher, as its arguments.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{Network, Protection, Sight};

/// Set when a program is to act as the launcher.
pub(crate) const LAUNCH_ENV: &str = "GAINSAY_LAUNCH";

/// What a launcher is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Becomes a worker.
    Work,
    /// Does everything but that, and prints what is in force.
    Probe,
}

/// Where a worker lives and what it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) purpose: Purpose,
    pub(crate) network: Network,
    pub(crate) sight: Sight,
    /// Without these it does not begin.
    pub(crate) needed: Protection,
    /// Exists; the only directory it can write to.
    pub(crate) scratch: PathBuf,
    /// Exists; the only other file it can write to.
    pub(crate) journal: PathBuf,
    pub(crate) program: PathBuf,
}

impl Purpose {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Purpose::Work => "work",
            Purpose::Probe => "probe",
        }
    }
}

impl Orders {
    pub(crate) fn arguments(&self) -> [OsString; 7] {
        let network = match self.network {
            Network::Nothing => "nothing",
            Network::Loopback => "loopback",
        };
        let sight = match self.sight {
            Sight::Nothing => "nothing",
            Sight::Itself => "itself",
        };
        let owned = |path: &Path| path.as_os_str().to_owned();
        [
            self.purpose.name().into(),
            network.into(),
            sight.into(),
            self.needed.to_string().into(),
            owned(&self.scratch),
            owned(&self.journal),
            owned(&self.program),
        ]
    }

    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Option<Orders> {
        let arguments: Vec<OsString> = arguments.collect();
        let [purpose, network, sight, needed, scratch, journal, program] =
            <[OsString; 7]>::try_from(arguments).ok()?;
        Some(Orders {
            purpose: if purpose == "probe" { Purpose::Probe } else { Purpose::Work },
            network: if network == "loopback" { Network::Loopback } else { Network::Nothing },
            sight: if sight == "itself" { Sight::Itself } else { Sight::Nothing },
            needed: Protection::parse(needed.to_str()?),
            scratch: scratch.into(),
            journal: journal.into(),
            program: program.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        for network in [Network::Nothing, Network::Loopback] {
            for (purpose, sight) in
                [(Purpose::Work, Sight::Itself), (Purpose::Probe, Sight::Nothing)]
            {
                let orders = Orders {
                    purpose,
                    network,
                    sight,
                    needed: Protection::parse("user,landlock"),
                    scratch: "/some where".into(),
                    journal: "/j".into(),
                    program: "/p".into(),
                };
                assert_eq!(Orders::read(orders.arguments().into_iter()), Some(orders));
            }
        }
        assert_eq!(Orders::read(["work".into()].into_iter()), None);
    }
}
