//! The trash of Linux desktops. It is found through the environment, so each test runs in a
//! separate process.
#![cfg(all(target_os = "linux", not(toolwrit_portable)))]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tempfile::TempDir;
use toolwrit_requirement::skip;
use toolwrit_vault::{Author, Authors, Disposal, UndoMode, Vault, VaultError};

use crate::{Sandbox, path};

/// The trash of this process. In the test's own process, runs the test again and returns `None`.
fn trash(test: &str) -> Option<PathBuf> {
    if let Some(data) = env::var_os("XDG_DATA_HOME").filter(|_| env::var_os("AGAIN").is_some()) {
        return Some(Path::new(&data).join("Trash"));
    }
    let data = TempDir::new().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("trash_system::{test}"), "--nocapture"])
        .envs([("XDG_DATA_HOME", data.path().as_os_str()), ("AGAIN", "1".as_ref())])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    None
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put(".obsidian/app.json", "{}");
    sandbox
}

/// The record of a file in the trash.
fn record(trash: &Path, name: &str) -> (String, String) {
    let text = fs::read_to_string(trash.join(format!("info/{name}.trashinfo"))).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let [header, path, date] = lines[..] else { panic!("{text}") };
    assert_eq!(header, "[Trash Info]");
    let value =
        |line: &str, key| line.strip_prefix(key).unwrap_or_else(|| panic!("{text}")).to_owned();
    (value(path, "Path="), value(date, "DeletionDate="))
}

#[test]
fn the_trash_record_has_the_original_path() {
    let Some(trash) = trash("the_trash_record_has_the_original_path") else { return };
    let sandbox = sandbox();
    let vault = sandbox.file("").canonicalize().unwrap();
    let vault = vault.to_str().unwrap().trim_end_matches('/').to_owned();
    for (name, in_trash) in
        [("x/Plan.md", "Plan.md"), ("y/Plan.md", "Plan 2.md"), ("Plan.md", "Plan 3.md")]
    {
        sandbox.put(name, name);
        let deleted = sandbox.vault.delete(&path(name), None).unwrap();
        assert_eq!((deleted.disposal, deleted.warning), (Disposal::SystemTrash, None));
        assert_eq!(fs::read(trash.join("files").join(in_trash)).unwrap(), name.as_bytes());
        let (origin, date) = record(&trash, in_trash);
        assert_eq!(origin, format!("{vault}/{name}"));
        let form: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00T00:00:00");
    }
    sandbox.put("50% = né.md", "");
    sandbox.vault.delete(&path("50% = né.md"), None).unwrap();
    assert_eq!(record(&trash, "50% = né.md").0, format!("{vault}/50%25%20%3D%20n%C3%A9.md"));
    let long = format!("{}.md", "n".repeat(252));
    sandbox.put(&long, "long");
    sandbox.vault.delete(&path(&long), None).unwrap();
    let kept = format!("{}.md", "n".repeat(242));
    assert_eq!(record(&trash, &kept).0, format!("{vault}/{long}"));
    assert_eq!(sandbox.files(), Vec::<String>::new());
    for folder in ["", "files", "info"] {
        let mode = trash.join(folder).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn a_name_reserved_by_another_program_is_not_used() {
    let Some(trash) = trash("a_name_reserved_by_another_program_is_not_used") else { return };
    let sandbox = sandbox();
    fs::create_dir_all(trash.join("info")).unwrap();
    fs::create_dir_all(trash.join("files")).unwrap();
    fs::write(trash.join("info/Plan.md.trashinfo"), "another's").unwrap();
    fs::write(trash.join("files/Plan 2.md"), "another's").unwrap();
    sandbox.put("Plan.md", "ours");
    sandbox.vault.delete(&path("Plan"), None).unwrap();
    assert_eq!(fs::read(trash.join("files/Plan 3.md")).unwrap(), b"ours");
    assert_eq!(fs::read(trash.join("files/Plan 2.md")).unwrap(), b"another's");
    assert_eq!(fs::read(trash.join("info/Plan.md.trashinfo")).unwrap(), b"another's");
    assert!(!trash.join("info/Plan 2.md.trashinfo").exists(), "no record without a file");
}

#[test]
fn a_link_in_the_place_of_the_trash_is_not_followed() {
    let Some(trash) = trash("a_link_in_the_place_of_the_trash_is_not_followed") else { return };
    let sandbox = sandbox();
    let elsewhere = TempDir::new().unwrap();
    fs::create_dir_all(&trash).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), trash.join("files")).unwrap();
    sandbox.put("Plan.md", "ours");
    let deleted = sandbox.vault.delete(&path("Plan"), None).unwrap();
    assert_eq!(deleted.disposal, Disposal::VaultTrash(".trash/Plan.md".to_owned()));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// Needs a second file system, such as the usual one in memory.
#[test]
fn on_another_volume_the_trash_is_that_of_the_volume() {
    let Some(trash) = trash("on_another_volume_the_trash_is_that_of_the_volume") else { return };
    let memory = Path::new("/dev/shm");
    let device = |folder: &Path| folder.metadata().ok().map(|metadata| metadata.dev());
    let Ok(folder) = TempDir::new_in(memory) else {
        return skip("there is no file system in memory");
    };
    if device(memory) == device(trash.parent().unwrap()) {
        return skip("there is one volume");
    }
    let user = folder.path().metadata().unwrap().uid();
    let theirs = memory.join(format!(".Trash-{user}"));
    let name =
        format!("{}.md", folder.path().file_name().unwrap().to_str().unwrap().trim_matches('.'));
    fs::create_dir(folder.path().join("x")).unwrap();
    fs::write(folder.path().join("x").join(&name), "ours").unwrap();
    let vault = Vault::open(folder.path()).unwrap();
    let deleted = vault.delete(&path(&format!("x/{name}")), None).unwrap();
    assert_eq!((deleted.disposal, deleted.warning), (Disposal::SystemTrash, None));
    assert_eq!(fs::read(theirs.join("files").join(&name)).unwrap(), b"ours");
    let relative = folder.path().strip_prefix(memory).unwrap().to_str().unwrap().to_owned();
    assert_eq!(record(&theirs, &name).0, format!("{relative}/x/{name}"));
    fs::remove_file(theirs.join("files").join(&name)).unwrap();
    fs::remove_file(theirs.join(format!("info/{name}.trashinfo"))).unwrap();
    for folder in ["files", "info", ""] {
        // Unless another program has something in it.
        let _ = fs::remove_dir(theirs.join(folder));
    }
}

#[test]
fn a_file_comes_back_from_the_trash_of_the_desktop() {
    let Some(trash) = trash("a_file_comes_back_from_the_trash_of_the_desktop") else { return };
    let sandbox = sandbox();
    let vault = &sandbox.vault;
    sandbox.put("x/Ünder & Plan%20.md", "plan");
    fs::create_dir_all(trash.join("info")).unwrap();
    fs::create_dir_all(trash.join("files")).unwrap();
    // A file of another folder is not of the vault.
    fs::write(trash.join("files/other.md"), "other").unwrap();
    let foreign = "[Trash Info]\nPath=/elsewhere/other.md\nDeletionDate=2026-01-01T00:00:00\n";
    fs::write(trash.join("info/other.md.trashinfo"), foreign).unwrap();
    let author = Author { principal: "ada".to_owned(), operation: "vault.delete".to_owned() };
    let delete = || drop(vault.delete(&path("x/Ünder & Plan%20"), None).unwrap());
    vault.record(author, delete);
    let listed = vault.trash();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0].paths, [path("x/Ünder & Plan%20.md")]);
    assert!(listed[0].at.is_some() && listed[0].obstacle.is_none(), "{listed:?}");
    vault.undo(Some(&listed[0].id), None, &Authors::All, UndoMode::Undo).unwrap();
    assert_eq!(sandbox.bytes("x/Ünder & Plan%20.md"), b"plan");
    assert_eq!(fs::read_dir(trash.join("info")).unwrap().count(), 1);
    for id in ["trash:other.md", "trash:none.md"] {
        let error = vault.undo(Some(id), None, &Authors::All, UndoMode::Undo).unwrap_err();
        assert!(matches!(error, VaultError::NoSuchChange { .. }), "{error:?}");
    }
    vault.delete(&path("x/Ünder & Plan%20"), None).unwrap();
    assert_eq!(vault.trash().len(), 1);
}
