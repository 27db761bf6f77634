//! Exit codes: a small stable list that scripts may rely on.

/// The end of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing wrong was found, or the command did what it should.
    NothingFound = 0,
    /// The request makes no sense here, or the machine does not allow it.
    Usage = 1,
    /// Faults were found.
    FaultsFound = 2,
    /// The subject does not build.
    DoesNotBuild = 3,
    /// The subject offers nothing that can be called.
    NothingToTest = 4,
    /// A bug of gainsay itself.
    OurBug = 70,
    /// Ctrl-C came before a fault was found; the code that shells give to it.
    Interrupted = 130,
}

impl Exit {
    /// The code.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_help() {
        let codes = [
            Exit::NothingFound,
            Exit::Usage,
            Exit::FaultsFound,
            Exit::DoesNotBuild,
            Exit::NothingToTest,
            Exit::OurBug,
            Exit::Interrupted,
        ]
        .map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3, 4, 70, 130]);
    }
}
