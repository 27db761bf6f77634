//! Messages on a stream: a magic number, the version, the length, the bytes, their digest.

use std::{
    fmt,
    io::{self, Read, Write},
};

use crate::{Corrupt, Mix, Wire, from_bytes, to_bytes};

/// Version of everything in this crate that crosses a process border.
pub const VERSION: u16 = 5;

// A subject that prints to the pipe is told at once by these two bytes, not by a wrong length.
const MAGIC: [u8; 2] = *b"gs";
/// No honest message is larger.
// A subject may write into the pipe: a length that it made up must not be allocated.
const MAX_LEN: u64 = 1 << 30;

/// Why a message could not be read.
#[derive(Debug)]
pub enum FrameError {
    /// The other side closed the stream between two messages.
    Closed,
    /// The stream failed, or ended inside a message.
    Io(io::Error),
    /// The other side is not one of ours, or the stream is out of step.
    NotAFrame,
    /// The other side speaks another version.
    Version {
        /// Its version.
        theirs: u16,
    },
    /// The bytes do not have the digest that was sent with them.
    Damaged,
    /// The bytes are no message.
    Corrupt(Corrupt),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Closed => f.write_str("the other side closed the stream"),
            FrameError::Io(error) => write!(f, "stream failed: {error}"),
            FrameError::NotAFrame => f.write_str("what arrived is not a message"),
            FrameError::Version { theirs } => {
                write!(f, "the other side speaks version {theirs}, this one {VERSION}")
            }
            FrameError::Damaged => f.write_str("message damaged on the way"),
            FrameError::Corrupt(corrupt) => write!(f, "message cannot be read: {corrupt}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// Writes one message and flushes.
pub fn write_message<T: Wire>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let body = to_bytes(message);
    // One write for head and body: a death in between would look like a torn message.
    let mut bytes = Vec::with_capacity(body.len() + 20);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    // Word by word: a digest byte by byte took as long as decoding.
    bytes.extend_from_slice(&Mix::of_bytes(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads one message.
pub fn read_message<T: Wire>(from: &mut impl Read) -> Result<T, FrameError> {
    let mut head = [0; 20];
    read_head(from, &mut head)?;
    if head[..2] != MAGIC {
        return Err(FrameError::NotAFrame);
    }
    let theirs = u16::from_le_bytes([head[2], head[3]]);
    // Driver and worker are built together. Another version means that a harness of another gainsay
    // was taken up, and there is nothing to negotiate.
    if theirs != VERSION {
        return Err(FrameError::Version { theirs });
    }
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&head[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let (len, digest) = (number(4), number(12));
    if len > MAX_LEN {
        return Err(FrameError::NotAFrame);
    }
    let mut body = Vec::new();
    // Grows with what arrives; `len` bytes at once would trust the length.
    from.take(len).read_to_end(&mut body).map_err(FrameError::Io)?;
    if body.len() as u64 != len {
        return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into()));
    }
    // Before it is decoded: damage is told as damage, not as some corrupt value.
    if Mix::of_bytes(&body) != digest {
        return Err(FrameError::Damaged);
    }
    from_bytes(&body).map_err(FrameError::Corrupt)
}

fn read_head(from: &mut impl Read, head: &mut [u8; 20]) -> Result<(), FrameError> {
    let mut filled = 0;
    while filled < head.len() {
        match from.read(&mut head[filled..]) {
            // Between two messages an end is how a worker leaves; inside one it is a fault.
            Ok(0) if filled == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FrameError::Io(error)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn framed() -> Vec<u8> {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &Value::Str("hello".into())).unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Value, FrameError> {
        read_message(&mut &bytes[..])
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(read(&framed()).unwrap(), Value::Str("hello".into()));
    }

    #[test]
    fn a_closed_stream_is_told_from_a_torn_one() {
        assert!(matches!(read(&[]), Err(FrameError::Closed)));
        let bytes = framed();
        for end in 1..bytes.len() {
            assert!(matches!(read(&bytes[..end]), Err(FrameError::Io(_))), "cut at {end}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = framed();
        bytes[2] = 99;
        assert!(matches!(read(&bytes), Err(FrameError::Version { theirs: 99 })));
    }

    #[test]
    fn a_flipped_bit_in_the_body_is_noticed() {
        let mut bytes = framed();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(matches!(read(&bytes), Err(FrameError::Damaged)));
    }

    #[test]
    fn rubbish_is_not_a_frame() {
        assert!(matches!(read(b"Hello, world! Hello, world!"), Err(FrameError::NotAFrame)));
    }
}
