//! Where the text of a manifest is a name, for editors.

use crate::check::{BUILT_IN_TYPES, CODES_OF_ANSWERS};

/// What a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// An entry of this list of the root: `providers`.
    Entry(&'static str),
    /// A declared type or one of the language, as part of a type expression.
    Type,
    /// An operation, a category, or all operations of a category.
    Selector,
    /// A declared error, or a code of the engine that an answer may have.
    Code,
    /// A file beside or below the one that names it.
    File,
}

impl Reference {
    /// The key of the root under which such names are declared; `None` for files.
    #[must_use]
    pub fn list(self) -> Option<&'static str> {
        match self {
            Self::Entry(list) => Some(list),
            Self::Type => Some("types"),
            Self::Selector => Some("operations"),
            Self::Code => Some("errors"),
            Self::File => None,
        }
    }

    /// The names that need no declaration.
    #[must_use]
    pub fn known(self) -> &'static [&'static str] {
        match self {
            Self::Type => &BUILT_IN_TYPES,
            Self::Code => &CODES_OF_ANSWERS,
            Self::Entry(_) | Self::Selector | Self::File => &[],
        }
    }
}

/// Mappings of the language, by their names in the editor schema, with the keys whose texts are names.
pub const REFERENCES: &[(&str, &[&str], Reference)] = &[
    ("RawCommand", &["provider"], Reference::Entry("providers")),
    ("RawConditions", &["category"], Reference::Entry("categories")),
    ("RawContext", &["include"], Reference::Selector),
    ("RawCookbook", &["file"], Reference::File),
    ("RawCookbook", &["operations"], Reference::Entry("operations")),
    ("RawErrorRule", &["code"], Reference::Code),
    ("RawFocus", &["allow", "deny"], Reference::Selector),
    ("RawIncluded", &["types"], Reference::Type),
    ("RawLongDeprecation", &["use"], Reference::Entry("operations")),
    ("RawLongShape", &["fields", "type"], Reference::Type),
    ("RawLongTool", &["provider"], Reference::Entry("providers")),
    ("RawMcpServer", &["lock"], Reference::File),
    ("RawMergedTool", &["operations"], Reference::Entry("operations")),
    ("RawOperation", &["errors"], Reference::Entry("errors")),
    ("RawOperation", &["invalidates"], Reference::Entry("categories")),
    ("RawOperation", &["params", "returns"], Reference::Type),
    ("RawOperation", &["requires"], Reference::Entry("providers")),
    ("RawRemovedTool", &["use"], Reference::Entry("operations")),
    ("RawRequest", &["provider"], Reference::Entry("providers")),
    ("RawRole", &["allow", "deny"], Reference::Selector),
    ("RawRole", &["extends"], Reference::Entry("roles")),
    ("RawRoot", &["include"], Reference::File),
    ("RawRoot", &["types"], Reference::Type),
    ("RawStep", &["else"], Reference::Code),
];

/// Mappings of the language whose entries have names as keys, with the keys that lead to these mappings.
pub const KEY_REFERENCES: &[(&str, &[&str], Reference)] =
    &[("RawCategory", &["providers"], Reference::Entry("providers"))];

/// What the text of a key names; `None` if it is no name.
#[must_use]
pub fn reference(mapping: &str, key: &str) -> Option<Reference> {
    found(REFERENCES, mapping, key)
}

/// What the keys below a key name; `None` if they are no names.
#[must_use]
pub fn key_reference(mapping: &str, key: &str) -> Option<Reference> {
    found(KEY_REFERENCES, mapping, key)
}

fn found(table: &[(&str, &[&str], Reference)], mapping: &str, key: &str) -> Option<Reference> {
    let found = table.iter().find(|(name, keys, _)| *name == mapping && keys.contains(&key));
    found.map(|(_, _, reference)| *reference)
}
