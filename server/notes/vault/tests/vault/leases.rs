//! Notes that one holder keeps to itself.

use toolwrit_vault::{Etag, IfMissing, VaultError, WriteMode};

use crate::{Sandbox, never, path};

fn is_leased<T: std::fmt::Debug>(result: &toolwrit_vault::Result<T>) {
    assert!(matches!(result, Err(VaultError::Leased { .. })), "{result:?}");
}

#[test]
fn only_the_holder_changes_a_leased_note() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let (note, other) = (path("Chat.md"), path("Other.md"));
    vault.write(&note, "Links to [[Other]].\n", WriteMode::CreateOnly, None).unwrap();
    vault.write(&other, "Other.\n", WriteMode::CreateOnly, None).unwrap();
    let lease = vault.lease(&path("Chat")).unwrap();
    let second = vault.lease(&note).unwrap();
    is_leased(&vault.write(&note, "x", WriteMode::Overwrite, None));
    is_leased(&vault.append(&path("Chat"), "x", IfMissing::Create, None));
    is_leased(&vault.delete(&note, None));
    is_leased(&vault.rename(&note, "Gone.md", None, &never));
    // The link in the note would be rewritten.
    is_leased(&vault.rename(&other, "Another.md", None, &never));
    vault.write(&other, "Changed.\n", WriteMode::Overwrite, None).unwrap();
    let stale = Etag::from("0000000000000000");
    assert!(matches!(lease.write("y", Some(&stale)), Err(VaultError::Conflict { .. })));
    lease.write("Links to [[Other]], still.\n", None).unwrap();
    drop(lease);
    is_leased(&vault.write(&note, "x", WriteMode::Overwrite, None));
    drop(second);
    vault.rename(&other, "Another.md", None, &never).unwrap();
    assert_eq!(vault.read(&note, None).unwrap().content, "Links to [[Another]], still.\n");
}

#[test]
fn bytes_of_any_file_are_read_up_to_a_limit() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    vault.write(&path("a.png"), "12345", WriteMode::CreateOnly, None).unwrap();
    assert_eq!(vault.read_bytes(&path("a.png"), 5).unwrap(), b"12345");
    assert!(matches!(vault.read_bytes(&path("a.png"), 4), Err(VaultError::TooLarge { .. })));
}
