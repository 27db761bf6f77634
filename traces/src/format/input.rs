//! A file read in pieces, plain or compressed. Nothing is kept but the piece at hand.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;

use crate::format::error::{Problem, TraceError};

/// How much is read at once.
const PIECE: usize = 1 << 18;
/// The largest record.
const MOST: usize = 32 << 20;

/// A file at some place.
pub(crate) struct Input {
    path: PathBuf,
    reader: Box<dyn Read>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// How many bytes came before `start`.
    passed: u64,
    has_ended: bool,
}

impl Input {
    /// Opens a file; whether it is compressed is seen from its first bytes.
    pub(crate) fn open(path: &Path) -> Result<Input, TraceError> {
        let reader = reader(path).map_err(|source| file_error(path, source))?;
        let (buffer, path) = (vec![0; 2 * PIECE], path.to_owned());
        Ok(Input { path, reader, buffer, start: 0, end: 0, passed: 0, has_ended: false })
    }

    /// What is at hand.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Passes over bytes.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.start += bytes;
        self.passed += bytes as u64;
    }

    /// Reads on; false when the file had already ended. The end looks like two empty lines.
    pub(crate) fn more(&mut self) -> Result<bool, TraceError> {
        if self.has_ended {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + PIECE {
            if self.buffer.len() >= MOST {
                return Err(self.wrong(0, Problem::TooLarge(MOST >> 20)));
            }
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let read = self.fill().map_err(|source| file_error(&self.path, source))?;
        if read == 0 {
            self.has_ended = true;
            self.buffer[self.end..self.end + 2].copy_from_slice(b"\n\n");
            self.end += 2;
        }
        Ok(true)
    }

    fn fill(&mut self) -> io::Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer[self.end..self.end + PIECE]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Something is wrong at a distance from here. Lines are only counted now, by reading again.
    pub(crate) fn wrong(&self, distance: usize, problem: Problem) -> TraceError {
        let place = self.passed + distance as u64;
        let line = lines_before(&self.path, place).unwrap_or(0) + 1;
        TraceError::Malformed { path: self.path.clone(), line, problem }
    }
}

fn reader(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut first = [0; 2];
    let is_compressed = File::open(path)?.read_exact(&mut first).is_ok() && first == [0x1f, 0x8b];
    let file = File::open(path)?;
    Ok(if is_compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

fn lines_before(path: &Path, place: u64) -> io::Result<u64> {
    let mut reader = reader(path)?.take(place);
    let (mut buffer, mut lines) = (vec![0; PIECE], 0);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(lines),
            read => lines += buffer[..read].split(|byte| *byte == b'\n').count() as u64 - 1,
        }
    }
}

fn file_error(path: &Path, source: io::Error) -> TraceError {
    TraceError::File { path: path.to_owned(), source }
}
