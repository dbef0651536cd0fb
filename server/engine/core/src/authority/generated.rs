//! The authority of an author's crate.

use super::Authority;

/// Reads the rows that the macro has embedded in an author's crate of this version.
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "the macro of the same release has written these bytes"
)]
pub fn read_authority(rows: &[u8], version: &str) -> Authority {
    let mut tables = toolwrit_rows::decode(rows).expect("the rows of the macro can be read");
    version.clone_into(&mut tables.server.version);
    Authority::new(tables)
}
