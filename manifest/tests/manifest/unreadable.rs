//! Files that are no manifest: missing, empty, a folder, or in another encoding.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use toolwrit_manifest::{load, load_sources};

#[test]
fn unreadable_manifests_are_reported() {
    let missing = load_sources("m/authority.yaml", |_| Err(Error::from(ErrorKind::NotFound)));
    let missing = missing.unwrap_err();
    assert_eq!(
        missing.to_string(),
        "error: cannot read the manifest `m/authority.yaml`: entity not found"
    );
    assert!(missing.salvage().is_none());
    let empty = load_sources("authority.yaml", |_| Ok(String::new())).unwrap_err();
    assert_eq!(
        empty.to_string(),
        "error: expected a mapping, found nothing\n --> authority.yaml:1:1\n  |\n1 |\n  | ^"
    );
}

#[test]
fn files_that_are_not_utf_8_and_folders_are_named_with_a_fix() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.yaml");
    for (bytes, what) in [
        (&b"\xff\xfet\0o\0"[..], "it is UTF-16; save it as UTF-8"),
        (b"title: Caf\xe9\n", "it is not UTF-8; save it as UTF-8"),
    ] {
        fs::write(&file, bytes).unwrap();
        let problems = load(&file).unwrap_err().to_string();
        assert!(problems.ends_with(&format!("authority.yaml`: {what}")), "{problems}");
    }
    for before in 0..9 {
        fs::write(&file, "a".repeat(before) + &"é€🎉".repeat(500_000)).unwrap();
        let problems = load(&file).unwrap_err();
        assert_eq!(problems.iter().next().unwrap().message(), "the file is too large");
    }
    let problems = load(Path::new(".")).unwrap_err().to_string();
    assert!(problems.starts_with("error: cannot read the manifest `.`: "), "{problems}");
    #[cfg(unix)]
    assert!(problems.contains("name the file in it, such as `authority.yaml`"), "{problems}");
}

/// Reading a device or a pipe would never end.
#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read() {
    let problems = toolwrit_manifest::load(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(problems.contains("it is not a regular file"), "{problems}");
}
