//! The words of a text, as search sees them.
//!
//! A word is a run of letters, digits and their combining marks, in folded form. Han and kana
//! characters, which are not separated by spaces, are words of their own.

use unicode_normalization::char::is_combining_mark;

use crate::path::fold;

/// Longer words are cut to this many bytes; they are data.
const WORD_LIMIT: usize = 64;

/// The shortest requested word, in bytes, that finds longer words by their start.
const PREFIX_LENGTH: usize = 3;

/// Whether a requested folded word finds this word: it is equal, or its start.
pub(crate) fn matches_word(asked: &str, word: &str) -> bool {
    word.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || asked.len() >= PREFIX_LENGTH)
}

/// Whether a word may have been cut.
pub(super) fn is_cut(word: &str) -> bool {
    word.len() > WORD_LIMIT - 4
}

/// Kinds of bytes: part of a lower-case word or number; an upper-case letter; a separator; part of
/// a character beyond ASCII.
const LOWER: u8 = 0;
const UPPER: u8 = 1;
const BETWEEN: u8 = 2;
const WIDE: u8 = 4;

/// The kind of each byte.
const KINDS: [u8; 256] = {
    let mut kinds = [BETWEEN; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => LOWER,
            b'A'..=b'Z' => UPPER,
            0x80.. => WIDE,
            _ => BETWEEN,
        };
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

/// Calls `each` with every word and the byte offset of its start.
pub(crate) fn for_each_word(text: &str, mut each: impl FnMut(&str, usize)) {
    let bytes = text.as_bytes();
    let mut buffer = String::new();
    let mut start = 0;
    while start < bytes.len() {
        let mut kinds = LOWER;
        let run = bytes[start..].iter().position(|&byte| {
            kinds |= KINDS[usize::from(byte)];
            kinds > UPPER
        });
        let end = run.map_or(bytes.len(), |length| start + length);
        if kinds & WIDE > 0 {
            start = scan_non_ascii(text, start, &mut each);
            continue;
        }
        let word = &text[start..end.min(start + WORD_LIMIT)];
        if kinds & UPPER > 0 {
            buffer.clear();
            buffer.push_str(word);
            buffer.make_ascii_lowercase();
            each(&buffer, start);
        } else if !word.is_empty() {
            each(word, start);
        }
        start = end + 1;
    }
}

/// Reads a run of words that are not all ASCII, and returns its end.
fn scan_non_ascii(text: &str, start: usize, each: &mut impl FnMut(&str, usize)) -> usize {
    let mut word = start;
    let mut end_word = |from: usize, to: usize| {
        if from < to {
            let word = fold(&text[from..to]);
            each(&word[..word.floor_char_boundary(WORD_LIMIT)], from);
        }
    };
    for (at, c) in text[start..].char_indices() {
        let at = start + at;
        if is_single_word(c) {
            end_word(word, at);
            word = at + c.len_utf8();
            end_word(at, word);
        } else if !is_in_word(c) {
            end_word(word, at);
            return at + c.len_utf8();
        }
    }
    end_word(word, text.len());
    text.len()
}

/// Whether a character is part of a longer word.
fn is_in_word(c: char) -> bool {
    !is_single_word(c) && (c.is_alphanumeric() || is_combining_mark(c))
}

/// Whether a character is a word by itself.
fn is_single_word(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}
