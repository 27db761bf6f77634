//! A digest that means the same in every process and on every run.

use std::hash::Hasher;

// Not std's hasher: its keys differ from process to process and its algorithm from release to release.
/// FNV-1a with a finishing mix. Fixed for ever: digests are stored.
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    /// An empty digest.
    pub fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// The digest of some bytes.
    pub fn of_bytes(bytes: &[u8]) -> u64 {
        let mut digest = Digest::new();
        digest.write(bytes);
        digest.finish()
    }
}

impl Default for Digest {
    fn default() -> Self {
        Digest::new()
    }
}

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        let mut x = self.0;
        // FNV alone leaves the high bits of short inputs nearly equal.
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 33)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A digest for what is looked at all the time, word by word. Like [`Digest`] it means the same in
/// every process, but only for the same sequence of writes.
#[derive(Clone, Debug)]
pub struct Mix(u64);

impl Mix {
    /// An empty digest.
    pub fn new() -> Mix {
        // Digits of pi here and below: numbers with nothing up their sleeve.
        Mix(0x243f_6a88_85a3_08d3)
    }

    /// Adds a word.
    pub fn mix_word(&mut self, word: u64) {
        let (low, high) = (self.0 ^ word).carrying_mul(0x9e37_79b9_7f4a_7c15, 0);
        // The high half carries what the low half lost; the turn keeps zero from swallowing words.
        self.0 = (high ^ low).rotate_left(23) ^ 0x1319_8a2e_0370_7344;
    }

    /// The digest of some bytes.
    pub fn of_bytes(bytes: &[u8]) -> u64 {
        let mut mix = Mix::new();
        mix.write(bytes);
        mix.finish()
    }
}

impl Default for Mix {
    fn default() -> Self {
        Mix::new()
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        let mut x = self.0;
        x ^= x >> 32;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix_word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length, so that trailing zeros count.
        self.mix_word(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, word: u8) {
        self.mix_word(u64::from(word));
    }

    fn write_u16(&mut self, word: u16) {
        self.mix_word(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix_word(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix_word(word);
    }

    fn write_u128(&mut self, word: u128) {
        self.write(&word.to_le_bytes());
    }

    fn write_usize(&mut self, word: usize) {
        self.mix_word(word as u64);
    }
}

// Maps of states have digests as keys: hashing them again would be work for nothing.
/// Hashes numbers that are digests already.
#[derive(Clone, Debug, Default)]
pub struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = Mix::of_bytes(bytes);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_in_another_order_or_number_give_another_digest() {
        let mix = |words: &[u64]| {
            let mut mix = Mix::new();
            for word in words {
                mix.mix_word(*word);
            }
            mix.finish()
        };
        let all: [&[u64]; 7] = [&[], &[0], &[0, 0], &[1], &[1, 0], &[0, 1], &[u64::MAX]];
        let seen: HashSet<u64> = all.into_iter().map(mix).collect();
        assert_eq!(seen.len(), all.len());
    }

    #[test]
    fn small_numbers_do_not_collide_and_spread_over_all_bits() {
        let mut seen = HashSet::new();
        let (mut any, mut every) = (0, u64::MAX);
        for a in 0..300_u64 {
            for b in 0..300_u64 {
                let mut mix = Mix::new();
                mix.mix_word(a);
                mix.mix_word(b);
                seen.insert(mix.finish());
                (any, every) = (any | mix.finish(), every & mix.finish());
            }
        }
        assert_eq!((seen.len(), any, every), (90_000, u64::MAX, 0));
    }

    #[test]
    fn bytes_of_another_length_give_another_digest() {
        let texts = ["", "\0", "\0\0", "a", "abcdefgh", "abcdefgh\0", "abcdefghi"];
        let seen: HashSet<u64> = texts.iter().map(|text| Mix::of_bytes(text.as_bytes())).collect();
        assert_eq!(seen.len(), texts.len());
    }
}
