//! Blobs in the store: the bytes of `gainsay-wire`, with runs of zeros and of ones counted. Its
//! numbers have fixed widths, so that most bytes of a recipe are such.

use gainsay_wire::{Corrupt, Wire, from_bytes, to_bytes};

/// The bytes that are followed by how often they repeat.
const RUNS: [u8; 2] = [0x00, 0xff];

/// A value as a blob.
pub(crate) fn pack<T: Wire>(value: &T) -> Vec<u8> {
    pack_bytes(&to_bytes(value))
}

/// The value of a blob.
pub(crate) fn unpack<T: Wire>(blob: &[u8]) -> Result<T, Corrupt> {
    from_bytes(&unpack_bytes(blob)?)
}

/// Bytes as a blob.
pub(crate) fn pack_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut blob = Vec::new();
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        if RUNS.contains(&first) {
            // The length of a run is one byte.
            let most = &rest[..rest.len().min(usize::from(u8::MAX))];
            let run = most.iter().take_while(|byte| **byte == first).count();
            blob.extend([first, u8::try_from(run).unwrap_or(u8::MAX)]);
            rest = &rest[run..];
        } else {
            blob.push(first);
            rest = &rest[1..];
        }
    }
    blob
}

fn unpack_bytes(blob: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let mut bytes = Vec::with_capacity(blob.len() * 4);
    let mut rest = blob.iter();
    while let Some(&byte) = rest.next() {
        let run = if RUNS.contains(&byte) { *rest.next().ok_or(Corrupt::Truncated)? } else { 1 };
        bytes.extend(std::iter::repeat_n(byte, usize::from(run)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_wire::Value;

    #[test]
    fn whatever_is_packed_comes_out_again() {
        let check = |bytes: &[u8]| assert_eq!(unpack_bytes(&pack_bytes(bytes)).unwrap(), bytes);
        check(&[]);
        check(&[0]);
        check(&[1, 0, 0, 2, 0xff, 3, 0xff, 0xff, 0]);
        check(&[0; 1_000]);
        check(&[[0; 255].as_slice(), &[0xff; 256], &[7; 300]].concat());
        let all: Vec<u8> = (0..=255).collect();
        check(&all);
    }

    #[test]
    fn numbers_take_little_room() {
        for number in [5, -5, 300] {
            let value = Value::Int(number);
            let blob = pack(&value);
            assert!(blob.len() <= 6, "{number}: {blob:?}");
            assert_eq!(unpack::<Value>(&blob).unwrap(), value);
        }
    }

    #[test]
    fn a_blob_that_ends_in_a_run_without_its_length_is_corrupt() {
        assert_eq!(unpack::<Value>(&[3, 0]), Err(Corrupt::Truncated));
    }
}
