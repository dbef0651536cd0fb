//! From bytes to text.
//!
//! The encoding is, in this order, the one of a byte order mark, the declared ones (of the server, then of
//! the document) in which the bytes are valid, UTF-8 if they are valid, and the most likely one.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// How far into a document its encoding may be declared, in bytes.
const DECLARATION_LIMIT: usize = 1024;

/// Decodes a document. `declared` is the encoding that the server declared for it.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    let by_server = declared.and_then(|label| Encoding::for_label(label.as_bytes()));
    let candidates = [by_server, find_declared(bytes), Some(UTF_8)].into_iter().flatten();
    let valid = candidates
        .filter_map(|encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes));
    valid.map(std::borrow::Cow::into_owned).next().unwrap_or_else(|| {
        let encoding = guess(bytes);
        encoding.decode_without_bom_handling(bytes).0.into_owned()
    })
}

/// The encoding that a document of HTML or XML declares: `charset=` in its first `meta`, or `encoding=`.
fn find_declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARATION_LIMIT)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let after = |start: &str, key: &str| {
        let (_, rest) = head.split_once(start)?;
        let (_, value) = rest.split_once(key)?;
        let value = value.trim_start_matches([' ', '"', '\'']);
        let end = value.find(['"', '\'', ' ', ';', '>', '/', '?']).unwrap_or(value.len());
        Encoding::for_label(&value.as_bytes()[..end])
    };
    let found = after("<meta", "charset=").or_else(|| after("<?xml", "encoding="));
    // A document in which this could be read is not in UTF-16.
    found.map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn a_declared_encoding_is_used_where_the_bytes_are_valid_in_it() {
        assert_eq!(decode(b"caf\xe9", Some("iso-8859-1")), "café");
        assert_eq!(decode("café".as_bytes(), Some("utf-8")), "café");
        assert_eq!(decode("日本".as_bytes(), None), "日本");
        assert_eq!(decode(b"\x93\xfa\x96\x7b", Some("Shift_JIS")), "日本");
        assert_eq!(decode(b"\xff\xfeh\0i\0", Some("utf-8")), "hi");
        assert_eq!(decode("\u{feff}é".as_bytes(), Some("iso-8859-1")), "é");
        assert_eq!(decode(b"plain", Some("no-such-charset")), "plain");
    }

    #[test]
    fn a_wrong_declaration_gives_way_to_the_content() {
        let meta =
            b"<html><head><META http-equiv=x content='text/html; charset=windows-1251'>\xcf\xf0";
        assert!(decode(meta, Some("utf-8")).ends_with("Пр"));
        assert!(decode(b"<?xml version='1.0' encoding=\"koi8-r\"?><a>\xf0", None).ends_with('П'));
        let french = b"Le caf\xe9 est ouvert d\xe8s l'\xe9t\xe9, et l'on y boit du th\xe9.";
        assert_eq!(
            decode(french, Some("utf-8")),
            "Le café est ouvert dès l'été, et l'on y boit du thé."
        );
    }
}
