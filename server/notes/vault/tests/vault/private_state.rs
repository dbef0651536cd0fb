//! The user's own folder for unfinished changes: others have no rights there.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toolwrit_vault::Vault;

use crate::{Sandbox, never, path};

/// The rights of others to a file or folder.
fn others(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o077
}

fn move_with_its_link(sandbox: &Sandbox, from: &str, to: &str) -> toolwrit_vault::Result<()> {
    sandbox.vault.move_note(&path(from), &path(to), None, &never).map(drop)
}

#[test]
fn a_state_folder_and_a_key_that_others_can_read_become_private() {
    for mode in [0o755, 0o777] {
        let sandbox = Sandbox::new();
        let (state, key) = (sandbox.beside("state"), sandbox.beside("state/key"));
        fs::create_dir(&state).unwrap();
        fs::set_permissions(&state, Permissions::from_mode(mode)).unwrap();
        sandbox.put("a.md", "[[a]]");
        move_with_its_link(&sandbox, "a", "b").unwrap();
        assert_eq!((others(&state), others(&key)), (0, 0), "{mode:o}");

        fs::set_permissions(&key, Permissions::from_mode(mode & 0o666)).unwrap();
        move_with_its_link(&sandbox, "b", "c").unwrap();
        assert_eq!(others(&key), 0, "{mode:o}");
        assert_eq!(sandbox.bytes("c.md"), b"[[c]]");
    }
}

/// Only root can give files to another user.
#[test]
fn a_state_folder_of_another_user_is_refused() {
    for other in ["state", "state/key"] {
        let sandbox = Sandbox::new();
        sandbox.put("a.md", "[[a]]");
        move_with_its_link(&sandbox, "a", "b").unwrap();
        let given = std::os::unix::fs::chown(sandbox.beside(other), Some(65_534), None);
        let moved = move_with_its_link(&sandbox, "b", "c");
        match given {
            Ok(()) => {
                let error = moved.unwrap_err().to_string();
                assert!(error.contains("belongs to another user"), "{other}: {error}");
                assert_eq!(sandbox.bytes("b.md"), b"[[b]]", "{other}");
            }
            Err(_) => moved.unwrap(),
        }
    }
}

#[test]
fn files_of_the_users_own_are_kept_for_each_vault_outside_of_it() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.vault.private_file("created").unwrap(), None);
    assert!(sandbox.vault.keep_private_file("created", b"one").unwrap());
    assert!(sandbox.vault.keep_private_file("created", b"two").unwrap());
    assert_eq!(sandbox.reopen().private_file("created").unwrap().unwrap(), b"two");
    assert!(sandbox.files().is_empty());
    for invalid in ["", "../record", "A", "a b"] {
        assert!(sandbox.vault.keep_private_file(invalid, b"x").is_err(), "{invalid}");
    }
    let stateless = Vault::open(sandbox.file("")).unwrap();
    assert!(!stateless.keep_private_file("created", b"x").unwrap());
    assert_eq!(stateless.private_file("created").unwrap(), None);
}
