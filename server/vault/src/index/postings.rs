//! The list of notes that hold one word.

use serde::{Deserialize, Serialize};

/// Entries in ascending order, each as the distance from the one before and a weight.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Postings {
    #[serde(with = "super::bytes")]
    bytes: Vec<u8>,
    last: u32,
}

impl Postings {
    /// Appends an entry, greater than all that are here.
    pub(super) fn push(&mut self, entry: u32, weight: u32) {
        write_number(entry - self.last, &mut self.bytes);
        write_number(weight, &mut self.bytes);
        self.last = entry;
    }

    /// Appends entries, each greater than the one before.
    pub(super) fn extend(&mut self, entries: impl ExactSizeIterator<Item = (u32, u32)>) {
        // Most distances and weights take a byte.
        self.bytes.reserve(2 * entries.len());
        for (entry, weight) in entries {
            self.push(entry, weight);
        }
    }

    /// Appends what stands in another list, moved by `offset`; only the first distance changes.
    pub(super) fn append(&mut self, other: &Self, offset: u32) {
        let mut rest = other.bytes.as_slice();
        let Some(first) = read_number(&mut rest) else { return };
        write_number(first + offset - self.last, &mut self.bytes);
        self.bytes.extend_from_slice(rest);
        self.last = other.last + offset;
    }

    /// In bytes, which says about how many entries there are.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Whether these are entries that there are, the last of which is the last.
    pub(super) fn is_sound(&self, entries: usize) -> bool {
        let mut rest = self.bytes.as_slice();
        let mut last = 0_u32;
        while !rest.is_empty() {
            let next = read_number(&mut rest).and_then(|distance| last.checked_add(distance));
            let (Some(next), Some(_)) = (next, read_number(&mut rest)) else { return false };
            last = next;
        }
        last == self.last && (self.bytes.is_empty() || (last as usize) < entries)
    }

    /// Entries and weights.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut rest = self.bytes.as_slice();
        let mut entry = 0;
        std::iter::from_fn(move || {
            entry += read_number(&mut rest)?;
            Some((entry, read_number(&mut rest)?))
        })
    }
}

/// LEB128: seven bits a byte, the low ones first.
fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

#[inline]
fn read_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}
