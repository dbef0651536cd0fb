//! Dataview: queries over the notes of a vault.
