//! Just enough of the format of programs on Linux: sections, functions by address, and the words
//! that the loader fills in. Of anything else it says that there is nothing.

/// Section names are kept here.
const NAMES_INDEX: usize = 62;
const SECTION_LEN: usize = 64;
const SYMBOL_LEN: usize = 24;
const RELOCATION_LEN: usize = 24;
/// Symbols of this type are functions.
const FUNCTION: u8 = 2;

/// A program for 64-bit little-endian machines.
pub(crate) struct Elf<'a> {
    bytes: &'a [u8],
    sections: Vec<Section>,
}

/// A part of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    name: usize,
    /// Where it will be in memory, from the start of the program.
    pub(crate) address: u64,
    /// In bytes.
    pub(crate) len: usize,
    offset: usize,
    /// The section that belongs to it: of symbols, that of their names.
    link: usize,
}

/// A function and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Function<'a> {
    /// From the start of the program.
    pub(crate) address: u64,
    /// In bytes.
    pub(crate) len: u64,
    /// As the linker sees it.
    pub(crate) name: &'a str,
}

impl<'a> Elf<'a> {
    /// Reads the table of sections.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Elf<'a>> {
        const WIDE_AND_LITTLE: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
        if !bytes.starts_with(&WIDE_AND_LITTLE) {
            return None;
        }
        let (start, count) = (place(bytes, 40)?, usize::from(half(bytes, 60)?));
        let section = |number: usize| section(bytes.get(start..)?.get(number * SECTION_LEN..)?);
        let sections = (0..count).map(section).collect::<Option<Vec<Section>>>()?;
        Some(Elf { bytes, sections })
    }

    /// The section of this name.
    pub(crate) fn section(&self, name: &str) -> Option<Section> {
        let names = self.sections.get(usize::from(half(self.bytes, NAMES_INDEX)?))?;
        let called = |section: &&Section| self.text(names, section.name) == Some(name);
        self.sections.iter().find(called).copied()
    }

    /// All functions, by address.
    pub(crate) fn functions(&self) -> Option<Vec<Function<'a>>> {
        let symbols = self.section(".symtab")?;
        let names = self.sections.get(symbols.link)?;
        let entries = self.content(symbols)?.chunks_exact(SYMBOL_LEN);
        let mut functions: Vec<Function<'a>> = entries
            .filter(|entry| entry[4] & 0xf == FUNCTION)
            .filter_map(|entry| {
                let name = self.text(names, word(entry, 0)? as usize)?;
                Some(Function { address: long(entry, 8)?, len: long(entry, 16)?, name })
            })
            .filter(|function| function.len > 0)
            .collect();
        functions.sort_unstable();
        Some(functions)
    }

    /// The 64-bit words of a section as they will be in memory, from the start of the program:
    /// what the loader adds is written elsewhere.
    pub(crate) fn words(&self, section: Section) -> Option<Vec<u64>> {
        let content = self.content(section)?.chunks_exact(8);
        let mut words: Vec<u64> = content.filter_map(|bytes| long(bytes, 0)).collect();
        let relocations = self.section(".rela.dyn").and_then(|found| self.content(found));
        for entry in relocations.unwrap_or_default().chunks_exact(RELOCATION_LEN) {
            let (target, value) = (long(entry, 0)?, long(entry, 16)?);
            let offset = target.checked_sub(section.address).map(usize::try_from);
            if let Some(Ok(offset)) = offset
                && let Some(word) = words.get_mut(offset / 8)
            {
                *word = value;
            }
        }
        Some(words)
    }

    fn content(&self, section: Section) -> Option<&'a [u8]> {
        self.bytes.get(section.offset..)?.get(..section.len)
    }

    fn text(&self, names: &Section, at: usize) -> Option<&'a str> {
        let rest = self.content(*names)?.get(at..)?;
        std::str::from_utf8(rest.split(|byte| *byte == 0).next()?).ok()
    }
}

fn section(header: &[u8]) -> Option<Section> {
    Some(Section {
        name: word(header, 0)? as usize,
        address: long(header, 16)?,
        offset: place(header, 24)?,
        len: place(header, 32)?,
        link: word(header, 40)? as usize,
    })
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn place(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(long(bytes, at)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_such_program_has_nothing() {
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x02\x01", b"\x7fELF\x01\x01\x01\x00"] {
            assert!(Elf::new(bytes).is_none(), "{bytes:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_very_program_has_the_functions_that_are_in_it() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let elf = Elf::new(&bytes).unwrap();
        let functions = elf.functions().unwrap();
        assert!(functions.is_sorted() && functions.iter().any(|f| f.name == "main"));
        assert!(functions.iter().any(|f| f.name.contains("this_very_program_has")));
        let code = elf.section(".text").unwrap();
        let main = functions.iter().find(|f| f.name == "main").unwrap();
        assert!((code.address..code.address + code.len as u64).contains(&main.address));
        assert!(elf.section(".no_such_section").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn words_that_the_loader_fills_in_are_read() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let elf = Elf::new(&bytes).unwrap();
        let starts = elf.words(elf.section(".init_array").unwrap()).unwrap();
        let functions = elf.functions().unwrap();
        let known = |start: &u64| functions.iter().any(|function| function.address == *start);
        assert!(!starts.is_empty() && starts.iter().any(known), "{starts:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_ends_early_does_no_harm() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for len in [16, 63, 64, 4096, bytes.len() / 2] {
            let functions = Elf::new(&bytes[..len]).and_then(|elf| elf.functions());
            assert!(functions.is_none(), "{len}");
        }
    }
}
