//! A vault of unusual files: each operation has a valid result on each file, and changes no other.
//!
//! On Linux, where names may have any bytes.
#![cfg(target_os = "linux")]

mod files;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::requirement::skip;
use toolwrit_tests::vaults;
use unicode_normalization::UnicodeNormalization as _;

use crate::vault::{Session, paths};
use files::File;

/// Everything in the vault except the server's own files and the trash.
fn contents(session: &Session) -> BTreeMap<String, Vec<u8>> {
    let mut contents = vaults::contents(session.folder.path());
    contents.retain(|path, _| !(path.starts_with(".toolwrit/") || path.starts_with(".trash/")));
    contents
}

/// Fails if two vaults differ, and names the files without printing their content.
fn assert_same(now: &BTreeMap<String, Vec<u8>>, before: &BTreeMap<String, Vec<u8>>, what: &str) {
    let changed = |path: &&String| now.get(*path) != before.get(*path);
    let paths: Vec<&String> = now.keys().chain(before.keys()).filter(changed).collect();
    assert!(paths.is_empty(), "{what} changed {paths:?}");
}

/// The only entry with this path in the listing of its folder.
fn listed(session: &mut Session, path: &str) -> Value {
    let folder = path.rsplit_once('/').unwrap().0;
    let listing = session.call("list", json!({"folder": folder, "details": true})).ok();
    let entries = listing["entries"].as_array().unwrap();
    let mut found = entries.iter().filter(|entry| entry["path"] == path);
    let entry = found.next().unwrap_or_else(|| panic!("{path:?} is not listed: {listing}"));
    assert!(found.next().is_none(), "{path:?} is listed twice");
    entry.clone()
}

/// A glob that matches this path.
fn glob(path: &str) -> String {
    path.replace(['[', ']', '{', '}', '!', '*', '?'], "?")
}

/// Reads a note in each way, and finds it with each mode of search.
fn find(session: &mut Session, file: &File, number: usize) {
    let File { path, bytes } = file;
    let read = session.call("read", json!({ "path": path })).ok();
    assert_eq!(read["path"], path.as_str());
    assert_eq!(read["content"], std::str::from_utf8(bytes).unwrap(), "{path:?}");
    let outline = session.call("read", json!({"path": path, "format": "json"})).ok();
    assert_eq!(outline["frontmatter"], json!({ "row": number }), "{path:?}");
    assert_eq!(outline["links"][0]["target"], "Nowhere", "{path:?}");
    let part = session.call("read", json!({"path": path, "heading": "Tail"})).ok();
    assert_eq!(part["content"], "# Tail\n", "{path:?}");
    let entry = listed(session, path);
    assert_eq!((&entry["kind"], &entry["size"]), (&json!("note"), &json!(bytes.len())));
    for (mode, query) in [
        ("text", format!("lantern{number:04}")),
        ("regex", format!("^lantern{number:04} ")),
        ("frontmatter", format!("row = {number}")),
        ("frontmatter", format!("tags contains odd/row{number}")),
    ] {
        let found = session.call("search", json!({"mode": mode, "query": query})).ok();
        assert_eq!(paths(&found["matches"]), [path], "{mode} {query}");
    }
    let call = json!({"mode": "glob", "query": glob(path), "case_sensitive": true, "limit": 1000});
    let found = session.call("search", call).ok();
    assert!(paths(&found["matches"]).contains(&path.as_str()), "{path:?}: {found}");
    let tags = session.call("tags", json!({"limit": 5000})).ok();
    let tag = json!({"tag": format!("odd/row{number}"), "notes": 1});
    assert!(tags["tags"].as_array().unwrap().contains(&tag), "{path:?}: {tags}");
    assert_eq!(session.call("backlinks", json!({ "path": path })).ok()["path"], path.as_str());
}

/// Appends to a note, patches it and restores it, and compares each byte.
fn change(session: &mut Session, File { path, bytes }: &File, number: usize) {
    let text = std::str::from_utf8(bytes).unwrap();
    session.call("append", json!({"path": path, "content": "more"})).ok();
    let appended = format!("{text}more");
    assert_eq!(session.bytes(path), appended.as_bytes(), "{path:?}");
    let patch = |kind: &str, target: &str, operation: &str, content: Value| {
        json!({
            "path": path, "target_type": kind, "target": target, "operation": operation,
            "content": content,
        })
    };
    session.call("patch", patch("heading", "Head", "append", json!("under"))).ok();
    session.call("patch", patch("frontmatter", "row", "replace", json!("odd"))).ok();
    let block = format!("block{number}");
    session.call("patch", patch("block", &block, "replace", json!("block"))).ok();
    let patched = appended
        .replace(&format!("row: {number} #"), "row: odd #")
        .replace(&format!("lantern{number:04} #odd/row{number} [[Nowhere]]"), "block")
        .replace("\n\n# Tail", "\n\nunder\n\n# Tail");
    assert_eq!(String::from_utf8(session.bytes(path)).unwrap(), patched, "{path:?}");
    let etag = session.etag(path);
    session.call("write", json!({"path": path, "content": text, "if_match": etag})).ok();
    assert_eq!(session.bytes(path), *bytes, "{path:?}");
    let create = json!({"path": path, "content": "x", "mode": "create"});
    assert_eq!(session.call("write", create).code(), "ALREADY_EXISTS", "{path:?}");
}

/// Renames a file and moves it back. Its backlinks still name it, on the same lines.
fn relocate(session: &mut Session, File { path, bytes }: &File) {
    let links = session.call("backlinks", json!({ "path": path })).ok()["links"].clone();
    let places = |links: &Value| -> Vec<(String, i64)> {
        let links = links.as_array().unwrap().iter();
        let of = |link: &Value| (link["path"].to_string(), link["line"].as_i64().unwrap());
        links.map(of).collect()
    };
    let moved = session.call("rename", json!({"path": path, "name": "Elsewhere"})).ok();
    let to = moved["to"].as_str().unwrap().to_owned();
    assert!(!session.exists(path) && session.bytes(&to) == *bytes, "{path:?}");
    let followed = session.call("backlinks", json!({ "path": to })).ok();
    assert_eq!(places(&followed["links"]), places(&links), "{path:?}");
    let moved = session.call("move", json!({"path": to, "to": path})).ok();
    assert_eq!((&moved["from"], &moved["to"]), (&json!(to), &json!(path)));
    assert!(!session.exists(&to) && session.bytes(path) == *bytes, "{path:?}");
    let back = session.call("backlinks", json!({ "path": path })).ok();
    assert_eq!(places(&back["links"]), places(&links), "{path:?}");
}

/// Deletes a file twice, and finds both in the trash. Reading it afterwards fails with `code`.
fn delete(session: &mut Session, File { path, bytes }: &File, code: &str) {
    for _ in 0..2 {
        let deleted = session.call("delete", json!({ "path": path })).ok();
        assert_eq!(deleted["disposal"], "vault_trash", "{path:?}: {deleted}");
        let trashed = deleted["trashed_as"].as_str().unwrap();
        assert!(!session.exists(path) && session.bytes(trashed) == *bytes, "{path:?}");
        assert_eq!(session.call("read", json!({ "path": path })).code(), code, "{path:?}");
        fs::write(session.path(path), bytes).unwrap();
    }
}

#[test]
fn each_operation_works_on_notes_with_odd_names() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    for (number, note) in files::notes().iter().enumerate() {
        let links = session.call("backlinks", json!({ "path": note.path })).ok();
        assert_eq!(paths(&links["links"]), ["Hub.md"], "{:?}", note.path);
        assert_eq!(links["links"][0]["line"], number + 1, "{:?}", note.path);
        find(&mut session, note, number);
        change(&mut session, note, number);
        relocate(&mut session, note);
        delete(&mut session, note, "NOT_FOUND");
        let mut now = contents(&session);
        // A link may have another of the forms that name the same file.
        now.insert("Hub.md".to_owned(), before["Hub.md"].clone());
        assert_same(&now, &before, &note.path);
    }
}

#[test]
fn unportable_names_are_served_but_not_given_to_new_files() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    for (number, note) in files::unportable().iter().enumerate() {
        let path = &note.path;
        let links = session.call("backlinks", json!({ "path": path })).ok();
        assert_eq!(paths(&links["links"]), ["Hub.md"], "{path:?}");
        find(&mut session, note, 2000 + number);
        change(&mut session, note, 2000 + number);

        let name = path.rsplit('/').next().unwrap();
        let elsewhere = format!("New/Folder/{name}");
        session.call("move", json!({"path": path, "to": elsewhere})).ok();
        assert!(!session.exists(path) && session.bytes(&elsewhere) == note.bytes, "{path:?}");
        let followed = session.call("backlinks", json!({ "path": elsewhere })).ok();
        assert_eq!(paths(&followed["links"]), ["Hub.md"], "{path:?}");
        session.call("move", json!({"path": elsewhere, "to": path})).ok();
        fs::remove_dir_all(session.path("New")).unwrap();

        let other = format!("Unportable/Other/{}", path.trim_start_matches("Unportable/"));
        let is_portable = name == "Plain.md";
        for (operation, call) in [
            ("write", json!({"path": other, "content": "x"})),
            ("append", json!({"path": other, "content": "x"})),
            ("move", json!({"path": "Empty.md", "to": other})),
            ("move", json!({"path": path, "to": format!("New?/{name}")})),
            ("rename", json!({"path": path, "name": if is_portable { "a?" } else { "Other?" }})),
            ("list", json!({"folder": "New?"})),
        ] {
            assert_eq!(session.call(operation, call).code(), "INVALID_PATH", "{operation} {path}");
        }
        // New files can be created in folders with such names.
        if is_portable {
            let sibling = path.replace("Plain", "Sibling");
            session.call("write", json!({"path": sibling, "content": "x"})).ok();
            fs::remove_file(session.path(&sibling)).unwrap();
        }
        delete(&mut session, note, "INVALID_PATH");
        let mut now = contents(&session);
        now.insert("Hub.md".to_owned(), before["Hub.md"].clone());
        assert_same(&now, &before, path);
    }
}

#[test]
fn notes_whose_names_differ_by_case_or_form_are_distinct() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    let twins = files::twins();
    for (number, note) in twins.iter().enumerate() {
        find(&mut session, note, 1000 + number);
        change(&mut session, note, 1000 + number);
        assert_same(&contents(&session), &before, &note.path);
        session.call("rename", json!({"path": note.path, "name": "Elsewhere"})).ok();
        assert!(!session.exists(&note.path) && session.bytes("Twins/Elsewhere.md") == note.bytes);
        // Another normal form is the same name, so it exists; another case is a different name.
        let form = |path: &str| path.nfc().collect::<String>();
        let is_taken =
            |other: &File| other.path != note.path && form(&other.path) == form(&note.path);
        let back = session.call("move", json!({"path": "Twins/Elsewhere.md", "to": note.path}));
        if twins.iter().any(is_taken) {
            assert_eq!(back.code(), "ALREADY_EXISTS", "{:?}", note.path);
            fs::rename(session.path("Twins/Elsewhere.md"), session.path(&note.path)).unwrap();
        } else {
            back.ok();
        }
        assert_same(&contents(&session), &before, &note.path);
        session.call("delete", json!({"path": note.path})).ok();
        assert!(!session.exists(&note.path), "{:?}", note.path);
        fs::write(session.path(&note.path), &note.bytes).unwrap();
        assert_same(&contents(&session), &before, &note.path);
    }
}

#[test]
fn binary_files_are_moved_and_never_rewritten() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    for (file, code) in files::opaque() {
        let path = &file.path;
        let append_to_head = json!({
            "path": path, "target_type": "heading", "target": "Head", "operation": "append",
            "content": "x",
        });
        for (operation, call) in [
            ("read", json!({ "path": path })),
            ("read", json!({"path": path, "format": "json", "max_bytes": 10})),
            ("write", json!({"path": path, "content": "x", "mode": "overwrite"})),
            ("append", json!({"path": path, "content": "x"})),
            ("patch", append_to_head),
        ] {
            let is_note = std::path::Path::new(path).extension().is_none_or(|name| name == "md");
            let is_refused = !is_note && matches!(operation, "append" | "patch");
            let code = if is_refused { "VALIDATION_ERROR" } else { code };
            assert_eq!(session.call(operation, call).code(), code, "{operation} {path}");
        }
        assert_same(&contents(&session), &before, path);
        assert_eq!(listed(&mut session, path)["size"], file.bytes.len());
        let links = session.call("backlinks", json!({ "path": path })).ok();
        assert_eq!(paths(&links["links"]), ["Hub.md"], "{path}");
        relocate(&mut session, &file);
        let deleted = session.call("delete", json!({ "path": path })).ok();
        let trashed = session.path(deleted["trashed_as"].as_str().unwrap());
        assert!(!session.exists(path));
        fs::rename(trashed, session.path(path)).unwrap();
        let mut now = contents(&session);
        now.insert("Hub.md".to_owned(), before["Hub.md"].clone());
        assert_same(&now, &before, path);
    }
    // Files that cannot be searched are counted, so that an incomplete answer is recognizable.
    let unsearched = files::opaque()
        .iter()
        .filter(|(file, _)| {
            Path::new(&file.path).extension().is_some_and(|extension| extension == "md")
        })
        .count();
    for call in [
        json!({"query": "lantern"}),
        json!({"query": "^lantern$", "mode": "regex"}),
        json!({"query": "row = 0", "mode": "frontmatter"}),
    ] {
        let found = session.call("search", call.clone()).ok();
        assert_eq!(found["not_searched"], unsearched, "{call}: {found}");
        assert!(!found.to_string().contains("Opaque/"), "{call}: {found}");
    }
}

#[test]
fn files_that_no_path_names_are_counted_and_unchanged() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    let (names, count) = files::left_out();
    for path in names {
        let set_property = json!({
            "path": path, "target_type": "frontmatter", "target": "x", "operation": "replace",
            "content": 1, "create_if_missing": true,
        });
        for (operation, call) in [
            ("read", json!({ "path": path })),
            ("write", json!({"path": path, "content": "x"})),
            ("append", json!({"path": path, "content": "x"})),
            ("patch", set_property),
            ("move", json!({"path": path, "to": "Moved.md"})),
            ("move", json!({"path": "Hub.md", "to": path})),
            ("rename", json!({"path": path, "name": "Renamed"})),
            ("backlinks", json!({ "path": path })),
            ("delete", json!({ "path": path })),
        ] {
            assert_eq!(session.call(operation, call).code(), "INVALID_PATH", "{operation} {path}");
        }
    }
    let listing = session.call("list", json!({"folder": "Left out", "recursive": true})).ok();
    assert_eq!((&listing["entries"], &listing["left_out"]), (&json!([]), &json!(count)));
    for (mode, query) in [("text", "lantern"), ("regex", "lantern"), ("glob", "Left out/**")] {
        let call = json!({"query": query, "mode": mode, "folder": "Left out"});
        assert_eq!(session.call("search", call).ok()["total"], 0, "{mode}");
    }
    let call = json!({"match": "Left out/**"});
    assert_eq!(session.call("bulk_delete", call).ok()["items"], json!([]));
    assert_same(&contents(&session), &before, "an operation");
}

#[test]
fn an_empty_note_is_a_note() {
    let mut session = Session::on(files::vault(), &[]);
    let patch = |kind: &str, create: bool| {
        json!({
            "path": "Empty", "target_type": kind, "target": "New", "operation": "append",
            "content": "x", "create_if_missing": create,
        })
    };
    assert_eq!(session.call("read", json!({"path": "Empty"})).ok()["content"], "");
    for kind in ["heading", "block", "frontmatter"] {
        assert_eq!(session.call("patch", patch(kind, false)).code(), "NOT_FOUND", "{kind}");
    }
    assert_eq!(session.bytes("Empty.md"), b"");
    session.call("patch", patch("heading", true)).ok();
    assert_eq!(session.call("read", json!({"path": "Empty", "heading": "New"})).code(), "ok");
    session.call("write", json!({"path": "Empty", "content": "", "mode": "overwrite"})).ok();
    assert_eq!(session.bytes("Empty.md"), b"");
    session.call("rename", json!({"path": "Empty", "name": "Void"})).ok();
    assert_eq!(session.bytes("Void.md"), b"");
    session.call("delete", json!({"path": "Void"})).ok();
    assert_eq!(session.bytes(".trash/Void.md"), b"");
}

#[test]
fn broken_links_lead_to_a_note_created_later() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    let nowhere = json!({"path": "Nowhere"});
    assert_eq!(session.call("backlinks", nowhere.clone()).code(), "NOT_FOUND");
    session.call("write", json!({"path": "Nowhere", "content": "now\n", "mode": "overwrite"})).ok();
    let links = session.call("backlinks", nowhere.clone()).ok();
    let linking = [files::notes(), files::twins(), files::unportable()];
    assert_eq!(links["files"], linking.iter().map(Vec::len).sum::<usize>());
    session.call("delete", nowhere).ok();
    assert_same(&contents(&session), &before, "a note that came and went");
}

#[test]
fn a_bulk_deletion_moves_every_file_to_the_trash() {
    let mut session = Session::on(files::vault(), &[]);
    let before = contents(&session);
    let dry =
        session.call("bulk_delete", json!({"match": "{Odd,Twins,Opaque}/**", "dry_run": true}));
    let items = dry.ok()["items"].clone();
    let named = files::notes().len() + files::twins().len() + files::opaque().len();
    assert_eq!(items.as_array().unwrap().len(), named, "{items}");
    assert_same(&contents(&session), &before, "a dry run");
    let done = session.call("bulk_delete", json!({"match": "{Odd,Twins,Opaque}/**"})).ok();
    assert_eq!(paths(&done["items"]), paths(&items));
    for item in done["items"].as_array().unwrap() {
        let path = item["path"].as_str().unwrap();
        assert_eq!(item["outcome"], "deleted", "{item}");
        assert!(!session.exists(path), "{path:?}");
        let trashed = session.bytes(item["detail"].as_str().unwrap());
        assert!(trashed == before[path], "{path:?} is not whole in the trash");
    }
    let mut kept = before.clone();
    kept.retain(|path, _| path.ends_with('/') || !done["items"].to_string().contains(path));
    let mut now = contents(&session);
    now.retain(|path, _| kept.contains_key(path));
    assert_same(&now, &kept, "a bulk deletion");
}

#[test]
fn an_unreadable_folder_does_not_hide_others() {
    let vault = vaults::empty();
    let shut = vault.path().join("Shut");
    let set = |mode| fs::set_permissions(&shut, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(&shut).unwrap();
    fs::write(shut.join("In.md"), "lantern\n").unwrap();
    fs::write(vault.path().join("Out.md"), "lantern\n").unwrap();
    set(0);
    if fs::read_dir(&shut).is_ok() {
        set(0o700);
        skip("this user may read every folder, whatever its mode");
        return;
    }
    let mut session = Session::on(vault, &[]);
    for mode in ["text", "regex"] {
        let found = session.call("search", json!({"query": "lantern", "mode": mode})).ok();
        assert_eq!(paths(&found["matches"]), ["Out.md"], "{mode}");
    }
    let listing = session.call("list", json!({"recursive": true})).ok();
    assert_eq!(paths(&listing["entries"]), ["Out.md", "Shut"]);
    assert_eq!(listing["left_out"], 1);
    let codes = ["read", "append", "delete", "backlinks"].map(|operation| {
        session.call(operation, json!({"path": "Shut/In.md", "content": "x"})).code()
    });
    set(0o700);
    assert!(codes.iter().all(|code| code != "ok"), "{codes:?}");
    assert_eq!(session.bytes("Shut/In.md"), b"lantern\n");
}
