//! Files that are larger than a note may be, however little of them is on the disk.

use std::fs::File;

use toolwrit_vault::note::NOTE_LIMIT;
use toolwrit_vault::{NotePart, VaultError};

use crate::{Sandbox, path};

/// More than all callers together may wait for.
const HUGE: u64 = 100 * 1024 * 1024;

#[test]
fn an_oversized_note_is_refused_for_its_size() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let (name, lines) = (path("huge.md"), NotePart::Lines { first: 1, last: Some(1) });
    for size in [NOTE_LIMIT + 1, HUGE] {
        File::create(sandbox.file("huge.md")).unwrap().set_len(size).unwrap();
        for read in [
            vault.read(&name, None),
            vault.read(&name, Some(10)),
            vault.read_part(&name, &lines, None),
            vault.read_structured(&name, Some(10)),
        ] {
            let expected = |error: &VaultError| matches!(error, VaultError::TooLarge { size: found, limit: NOTE_LIMIT, .. } if *found == size);
            assert!(read.as_ref().is_err_and(expected), "{size}: {read:?}");
        }
    }
}
