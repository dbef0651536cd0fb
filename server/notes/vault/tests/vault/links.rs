//! Symbolic links and special files are never followed.

use std::fs;
use std::os::unix::fs::symlink;

use toolwrit_vault::{
    BulkMode, CaseSensitivity, Depth, Folder, IfMissing, SearchPattern, VaultError, WriteMode,
};

use crate::{Sandbox, never, path};

/// A vault, and beside it a folder with a note.
fn with_outside() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.beside("outside")).unwrap();
    fs::write(sandbox.beside("outside/n.md"), "secret").unwrap();
    sandbox
}

fn assert_refused<T>(result: Result<T, VaultError>, what: &str) {
    let Err(VaultError::InvalidPath(error)) = result.map(drop) else { panic!("{what} was used") };
    assert!(error.to_string().contains("symbolic link"), "{what}: {error}");
}

#[test]
fn every_operation_refuses_symbolic_links() {
    let sandbox = with_outside();
    let vault = &sandbox.vault;
    sandbox.put("real/n.md", "mine");
    symlink(sandbox.beside("outside"), sandbox.file("absolute")).unwrap();
    symlink("../outside", sandbox.file("relative")).unwrap();
    symlink("real", sandbox.file("inside")).unwrap();
    symlink("nowhere", sandbox.file("dangling")).unwrap();
    symlink("loop", sandbox.file("loop")).unwrap();
    symlink("../outside/n.md", sandbox.file("file.md")).unwrap();
    symlink("real/n.md", sandbox.file("alias.md")).unwrap();
    let named =
        ["absolute/n", "relative/n", "inside/n", "dangling/n", "loop/n", "file", "alias.md"];
    for name in named {
        let linked = path(name);
        assert_refused(vault.read(&linked, None), name);
        assert_refused(vault.write(&linked, "x", WriteMode::Overwrite, None), name);
        assert_refused(vault.write(&linked, "x", WriteMode::CreateOnly, None), name);
        assert_refused(vault.append(&linked, "x", IfMissing::Create, None), name);
        assert_refused(vault.delete(&linked, None), name);
        assert_refused(vault.move_note(&linked, &path("new"), None, &never), name);
        assert_refused(vault.rename(&linked, "new", None, &never), name);
        assert_refused(vault.move_note(&path("real/n"), &linked, None, &never), name);
    }
    let text = SearchPattern::literal("secret", CaseSensitivity::Sensitive).unwrap();
    for name in ["absolute", "relative", "inside", "dangling", "loop"] {
        let folder = Folder::parse(name).unwrap();
        assert_refused(vault.list(&folder, Depth::DEEP, None, &never), name);
        assert_refused(vault.search(&text, &folder, 10, &never), name);
    }
    let listing = vault.list(&Folder::ROOT, Depth::DEEP, None, &never).unwrap();
    let paths: Vec<_> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!((paths, listing.left_out), (vec!["real", "real/n.md"], 7));
    assert_eq!(vault.search(&text, &Folder::ROOT, 10, &never).unwrap().total_hits, 0);
    let all = SearchPattern::glob("**", CaseSensitivity::Sensitive).unwrap();
    let bulk = vault.bulk_delete(&all, BulkMode::Delete, &never).unwrap();
    assert_eq!(bulk.outcomes.len(), 1, "only the real note");
    assert_eq!(fs::read(sandbox.beside("outside/n.md")).unwrap(), b"secret");
    assert!(sandbox.file("file.md").is_symlink());
}

#[test]
fn symbolic_links_in_place_of_the_vaults_own_folders_are_not_followed() {
    for name in [".trash", ".toolwrit"] {
        let sandbox = with_outside();
        let vault = &sandbox.vault;
        symlink("../outside", sandbox.file(name)).unwrap();
        let _ = vault.write(&path("n"), "mine", WriteMode::Overwrite, None);
        let _ = vault.delete(&path("n"), None);
        let outside: Vec<_> = fs::read_dir(sandbox.beside("outside")).unwrap().collect();
        assert_eq!(outside.len(), 1, "{name} led out of the vault");
    }
}

#[test]
fn a_pipe_is_refused_without_blocking() {
    let sandbox = with_outside();
    let vault = &sandbox.vault;
    let pipe = sandbox.file("pipe.md");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    let result = vault.read(&path("pipe"), None);
    assert!(matches!(result, Err(VaultError::InvalidPath(_))), "{result:?}");
    let text = SearchPattern::literal("x", CaseSensitivity::Sensitive).unwrap();
    assert_eq!(vault.search(&text, &Folder::ROOT, 10, &never).unwrap().total_hits, 0);
}

/// One thread repeatedly replaces a folder with a link to the outside. The other thread must only
/// reach files inside the vault through that name.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_swapped_for_a_link_does_not_lead_out_of_the_vault() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    /// Stops the other thread, also by a failure: the scope waits for it.
    struct Stop<'a>(&'a AtomicBool);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let sandbox = with_outside();
    let [name, other] = ["name", "other"].map(|name| sandbox.file(name));
    fs::create_dir(&name).unwrap();
    symlink("../outside", &other).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &name, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let _stop = Stop(&done);
        let (vault, swapped) = (&sandbox.vault, path("name/n"));
        for round in 0..300 {
            let content = round.to_string();
            let _ = vault.write(&swapped, &content, WriteMode::Overwrite, None);
            let _ = vault.append(&swapped, &content, IfMissing::Create, None);
            if let Ok(note) = vault.read(&swapped, None) {
                assert_ne!(note.content, "secret");
            }
            let _ = vault.delete(&swapped, None);
        }
    });
    assert_eq!(fs::read(sandbox.beside("outside/n.md")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(sandbox.beside("outside")).unwrap().count(), 1);
}
