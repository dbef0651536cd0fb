//! Cursors: where a page begins. Clients get a cursor as opaque text. It is valid only for the call that
//! returned it: the same operation with the same arguments. A checksum finds a cursor of another call. It is no seal, because
//! anybody can compute it: a position that a client must not choose is sealed by who makes it, as `sealed_cursor` of the crate
//! bindings does.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use sha2::{Digest as _, Sha256};
use toolwrit_text::shorten;

use crate::arguments::recorded::canonical;
use crate::arguments::value::{ArgValue, ArgValues};
use crate::authority::Operation;
use crate::fault::{Fault, Result};

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    /// The handler's cursor of the page; `None` for its first page.
    pub(crate) position: Option<String>,
    /// How many items of that page to skip.
    pub(crate) skip: usize,
}

/// The calls for which a cursor is valid, as a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CursorScope([u8; 32]);

impl CursorScope {
    /// Hashes the operation and the arguments that must stay the same from page to page.
    pub(crate) fn new(operation: &Operation, arguments: &ArgValues) -> Self {
        let mut same = arguments.clone();
        for (at, field) in operation.inputs.iter().enumerate() {
            let may_differ = match field.name.as_str() {
                "cursor" | "limit" => true,
                "fields" => operation.select,
                Operation::CONFIRM => operation.confirm,
                _ => false,
            };
            if may_differ {
                same.put_at(at, ArgValue::Absent);
            }
        }
        let mut hash = Sha256::new();
        // An id has no line break, so that the hashed text is unambiguous.
        hash.update(&operation.id);
        hash.update("\n");
        hash.update(canonical(&operation.inputs, &same));
        Self(hash.finalize().into())
    }

    fn checksum(&self, words: &[u8]) -> [u8; CHECKSUM] {
        let digest: [u8; 32] =
            Sha256::new().chain_update(self.0).chain_update(words).finalize().into();
        let mut checksum = [0; CHECKSUM];
        checksum.copy_from_slice(&digest[..CHECKSUM]);
        checksum
    }
}

impl Cursor {
    /// Returns the beginning of the page with this cursor of the handler.
    pub(crate) fn begin(position: String) -> Self {
        Self { position: Some(position), skip: 0 }
    }

    /// Returns the text for clients: Base64 of a checksum, followed by `skip` or `skip:position`.
    pub(crate) fn encode(&self, scope: &CursorScope) -> String {
        let words = match &self.position {
            Some(position) => format!("{}:{position}", self.skip),
            None => self.skip.to_string(),
        };
        BASE64.encode([&scope.checksum(words.as_bytes()), words.as_bytes()].concat())
    }

    /// Parses the text that a client sends.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a text that [`Self::encode`] did not make for this scope.
    pub(crate) fn decode(text: &str, scope: &CursorScope) -> Result<Self> {
        Self::parse(text, scope).ok_or_else(|| {
            Fault::validation("The cursor does not belong to this call.")
                .with_path("/cursor")
                .expecting("the `next_cursor` of the previous page, with the same arguments")
                .got(shorten::name(text))
                .hinting("Leave `cursor` out to get the first page.")
        })
    }

    fn parse(text: &str, scope: &CursorScope) -> Option<Self> {
        let bytes = BASE64.decode(text).ok()?;
        let (checksum, words) = bytes.split_at_checked(CHECKSUM)?;
        if checksum != scope.checksum(words) {
            return None;
        }
        let words = std::str::from_utf8(words).ok()?;
        let (skip, position) = match words.split_once(':') {
            Some((skip, position)) => (skip, Some(position.to_owned())),
            None => (words, None),
        };
        Some(Self { position, skip: skip.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cursor, CursorScope};
    use crate::arguments::value::{ArgValue, ArgValues};
    use crate::authority::{Field, Operation, Presence, Type};

    const OF: &str = "sea.list";
    const OTHER: &str = "sea.lis";

    fn field(name: &str) -> Field {
        Field::new(name, Type::STRING, Presence::Optional)
    }

    fn operation(id: &str) -> Operation {
        let inputs = vec![field("of"), field("cursor")];
        Operation { id: id.to_owned(), inputs, ..Operation::default() }
    }

    fn scope(id: &str, of: &str, cursor: &str) -> CursorScope {
        let mut slots = ArgValues::with_capacity(2);
        slots.push(ArgValue::String(of.to_owned()));
        slots.push(ArgValue::String(cursor.to_owned()));
        CursorScope::new(&operation(id), &slots)
    }

    fn cursor() -> impl Strategy<Value = Cursor> {
        let position = proptest::option::of(any::<String>());
        (position, any::<usize>()).prop_map(|(position, skip)| Cursor { position, skip })
    }

    proptest! {
        #[test]
        fn a_cursor_is_valid_whatever_the_previous_cursor_was(
            cursor in cursor(), of in any::<String>(), before in any::<String>(),
        ) {
            let encoded = cursor.encode(&scope(OF, &of, ""));
            prop_assert_eq!(Cursor::decode(&encoded, &scope(OF, &of, &before)), Ok(cursor));
        }

        #[test]
        fn a_cursor_of_another_call_is_refused(
            cursor in cursor(), of in any::<String>(), other in any::<String>(),
        ) {
            let encoded = cursor.encode(&scope(OF, &of, ""));
            prop_assert!(Cursor::decode(&encoded, &scope(OTHER, &of, "")).is_err());
            if of != other {
                prop_assert!(Cursor::decode(&encoded, &scope(OF, &other, "")).is_err());
            }
        }

        #[test]
        fn a_changed_cursor_is_refused(
            cursor in cursor(), at in any::<prop::sample::Index>(), by in any::<char>(),
        ) {
            let scope = scope(OF, "", "");
            let encoded = cursor.encode(&scope);
            let mut changed: Vec<char> = encoded.chars().collect();
            changed[at.index(encoded.len())] = by;
            let changed: String = changed.into_iter().collect();
            prop_assert_eq!(Cursor::decode(&changed, &scope).is_ok(), changed == encoded);
            prop_assert!(Cursor::decode(&encoded[..at.index(encoded.len())], &scope).is_err());
            let longer = encoded + "A";
            prop_assert!(Cursor::decode(&longer, &scope).is_err());
        }

        #[test]
        fn arbitrary_text_is_refused(text in any::<String>()) {
            prop_assert!(Cursor::decode(&text, &scope(OF, "", "")).is_err());
        }
    }
}
