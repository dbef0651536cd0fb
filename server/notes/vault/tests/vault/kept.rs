//! What a replaced note keeps besides its bytes.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use toolwrit_requirement::skip;
use toolwrit_vault::{Vault, WriteMode};

use crate::{Sandbox, never, path};

/// Changes the note `a.md` alone, and then with another one as part of a move.
fn changed_in_every_way(check: impl Fn(&Path, &dyn Fn())) {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "[[b]]\n");
    let vault: &Vault = &sandbox.vault;
    check(&sandbox.file("a.md"), &|| {
        vault.write(&path("a"), "[[b]] again\n", WriteMode::Overwrite, None).unwrap();
    });
    sandbox.put("b.md", "");
    check(&sandbox.file("a.md"), &|| {
        let moved = vault.move_note(&path("b"), &path("c"), None, &never).unwrap();
        assert_eq!(moved.rewritten, [path("a.md")]);
    });
}

fn attribute(file: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 256];
    let length = fgetxattr(File::open(file).unwrap(), name, &mut value).ok()?;
    value.truncate(length);
    Some(value)
}

/// Returns `false` where the file system does not support such attributes.
fn set(file: &Path, name: &str, value: &[u8]) -> bool {
    let done = fsetxattr(File::open(file).unwrap(), name, value, XattrFlags::empty());
    if let Err(error) = done {
        skip(&format!("{name} cannot be set here: {error}"));
    }
    done.is_ok()
}

#[test]
fn extended_attributes_are_kept() {
    changed_in_every_way(|file, change| {
        let long = vec![b'x'; 200];
        if !set(file, "user.toolwrit.short", b"1") || !set(file, "user.toolwrit.long", &long) {
            return;
        }
        let before = file.metadata().unwrap().ino();
        change();
        assert_ne!(file.metadata().unwrap().ino(), before, "it is another file");
        assert_eq!(attribute(file, "user.toolwrit.short").as_deref(), Some(&b"1"[..]));
        assert_eq!(attribute(file, "user.toolwrit.long"), Some(long));
    });
}

/// An access control list as Linux stores it: version 2, then tag, rights and id of each entry.
#[cfg(target_os = "linux")]
fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

#[cfg(target_os = "linux")]
#[test]
fn access_control_lists_are_kept_and_none_is_inherited() {
    const LIST: &str = "system.posix_acl_access";
    const NOBODY: u32 = u32::MAX;
    // The owner has all rights, user 1234 may read, the group and others have no rights, with a
    // mask.
    let entries = [(1, 6, NOBODY), (2, 4, 1234), (4, 0, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY)];
    changed_in_every_way(|file, change| {
        if !set(file, LIST, &list(&entries)) {
            return;
        }
        let (before, mode) = (attribute(file, LIST), file.metadata().unwrap().mode());
        change();
        assert!(before.is_some());
        assert_eq!(attribute(file, LIST), before);
        assert_eq!(file.metadata().unwrap().mode(), mode);
    });
    changed_in_every_way(|file, change| {
        // Staged files inherit this list, but the note has none.
        let staging = file.with_file_name(".toolwrit/tmp");
        fs::create_dir_all(&staging).unwrap();
        if !set(&staging, "system.posix_acl_default", &list(&entries)) {
            return;
        }
        let mode = file.metadata().unwrap().mode();
        change();
        assert_eq!((attribute(file, LIST), file.metadata().unwrap().mode()), (None, mode));
    });
}

/// Runs one test of this program again, as another user with other groups; needs root.
fn run_again_as(test: &str, folder: &Path, user: &str, groups: &str) -> bool {
    let Ok(mut child) = std::process::Command::new("setpriv")
        .args(["--reuid", user, "--regid", user, "--groups", groups])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("TOOLWRIT_TEST_VAULT", folder)
        .spawn()
    else {
        return false;
    };
    assert!(child.wait().unwrap().success());
    true
}

#[test]
fn the_group_is_kept_and_no_other_group_gains_rights() {
    const TEST: &str = "kept::the_group_is_kept_and_no_other_group_gains_rights";
    const GROUP: u32 = 7001;
    if let Some(folder) = std::env::var_os("TOOLWRIT_TEST_VAULT") {
        // As a user who may not change owners, but is in one of the two groups.
        let vault = Vault::open(folder).unwrap();
        for name in ["ours", "theirs"] {
            vault.write(&path(name), "new", WriteMode::Overwrite, None).unwrap();
        }
        return;
    }
    let sandbox = Sandbox::new();
    for (name, group) in [("ours.md", GROUP), ("theirs.md", GROUP + 1)] {
        sandbox.put(name, "old");
        fs::set_permissions(sandbox.file(name), Permissions::from_mode(0o664)).unwrap();
        if chown(sandbox.file(name), Some(0), Some(group)).is_err() {
            return skip("only root gives files away");
        }
    }
    for folder in [sandbox.beside(""), sandbox.beside("vault")] {
        fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
    }
    if !run_again_as(TEST, &sandbox.beside("vault"), "7000", &GROUP.to_string()) {
        return skip("there is no setpriv here");
    }
    let seen = |name| {
        let metadata = sandbox.file(name).metadata().unwrap();
        assert_eq!(sandbox.bytes(name), b"new");
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o777)
    };
    assert_eq!(seen("ours.md"), (7000, GROUP, 0o664));
    assert_eq!(seen("theirs.md"), (7000, 7000, 0o644));
}
