//! Planted files in a vault, which may be a foreign repository or synced folder: the engine's own files and
//! Obsidian's, with invalid content. None of them is carried out, hangs the server or fills its memory.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files;
use toolwrit_tests::{program, vaults};

/// Larger than the memory of most test machines, and than any file that is read.
const HUGE: u64 = 64 << 30;
/// The memory limit in bytes of a server on a vault of a few notes.
const MEMORY: u64 = 192 << 20;
const LINKING: usize = 120;

/// A vault, and the server's data folder outside of it.
struct Fixture {
    vault: Rc<TempDir>,
    own: TempDir,
}

impl Fixture {
    /// With notes that link to one note, and a repository around them.
    fn new() -> Self {
        let fixture = Self { vault: Rc::new(vaults::empty()), own: TempDir::new().unwrap() };
        fixture.put("hub.md", "self: [[hub]]\n");
        for number in 0..LINKING {
            fixture.put(&format!("Notes/{number:03}.md"), &format!("{number}: [[hub]]\n"));
        }
        fixture.put(".git/config", "[core]\n");
        fixture.put(".git/hooks/sample", "");
        fixture.put("payload.md", "#!/bin/sh\ntouch /tmp/owned\n");
        fixture
    }

    /// The same vault for another user.
    fn of_another_user(&self) -> Self {
        Self { vault: Rc::clone(&self.vault), own: TempDir::new().unwrap() }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.vault.path().join(path)
    }

    fn put(&self, path: &str, text: &str) {
        files::put(&self.file(path), text);
    }

    fn serve(&self, flags: &[&str]) -> Client {
        let own = self.own.path().to_str().unwrap();
        let environment = [("TOOLWRIT_DATA_DIR", own), ("XDG_CACHE_HOME", own)];
        let flags = [&["--surface", "flat"], flags].concat();
        Client::vault_in(&environment, self.vault.path(), &flags)
    }

    /// Runs the program on this vault, and returns its output and its log.
    fn run(&self, arguments: &[&str]) -> (String, String) {
        let output = Command::new(program::toolwrit())
            .args(arguments)
            .env("TOOLWRIT_VAULT", self.vault.path())
            .env("TOOLWRIT_DATA_DIR", self.own.path())
            .env("XDG_CACHE_HOME", self.own.path())
            .env("XDG_CONFIG_HOME", self.own.path())
            .env_remove("TOOLWRIT_OBSIDIAN_API_KEY")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    }

    /// The `doctor` check of changes of several files: its status and message.
    fn journal(&self, flags: &[&str]) -> (String, String) {
        let (report, _) = self.run(&[&["doctor", "--json"], flags].concat());
        let report: Value = serde_json::from_str(&report).unwrap();
        let checks = report["checks"].as_array().unwrap().iter();
        let found: Vec<_> = checks.filter(|check| check["check"] == "vault journal").collect();
        let first = found.first().unwrap_or_else(|| panic!("{report}"));
        (first["status"].as_str().unwrap().to_owned(), json!(found).to_string())
    }

    /// Everything in the vault except the engine's own files.
    fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let mut contents = vaults::contents(self.vault.path());
        contents.retain(|path, _| !path.starts_with(".toolwrit/"));
        contents
    }

    /// The record of the unfinished change, if there is one.
    fn record(&self) -> Option<PathBuf> {
        let vaults = fs::read_dir(self.own.path().join("toolwrit/vaults")).ok()?.flatten();
        vaults.map(|entry| entry.path().join("record")).find(|record| record.exists())
    }

    /// Kills a server while it moves the linked note. Returns the names of the note before and after.
    fn interrupt(&self) -> (String, String) {
        let mut from = "hub".to_owned();
        for round in 0..100 {
            let to = format!("hub {round}");
            let mut client = self.serve(&[]);
            client.call("vault_search", &json!({"query": "hub"})).ok();
            client.begin_call("vault_move", &json!({"path": from, "to": to}));
            let begun = Instant::now();
            while self.record().is_none() && !self.file(&format!("{to}.md")).exists() {
                assert!(begun.elapsed() < Duration::from_mins(1), "the move does not begin");
                std::hint::spin_loop();
            }
            client.kill();
            if self.record().is_some() {
                return (from, to);
            }
            from = to;
        }
        panic!("no kill hit a change");
    }

    /// Checks that a foreign record is reported, not carried out, and blocks no change.
    fn refuses_its_record(&self) {
        let before = self.contents();
        let (_, log) = self.run(&["call", "vault.list"]);
        assert!(log.contains("was not carried out"), "{log}");
        assert_eq!(self.contents(), before);
        assert!(self.record().is_none(), "it is set aside");
        let mut client = self.serve(&[]);
        client.call("vault_write", &json!({"path": "new", "content": "x"})).ok();
        drop(client);
        fs::remove_file(self.file("new.md")).unwrap();
        assert_eq!(self.contents(), before);
        let (status, message) = self.journal(&[]);
        assert_eq!(status, "warn", "{message}");
        assert!(message.contains("refused"), "{message}");
    }

    /// Whether the note is only at this path, and all links lead to it.
    fn is_whole(&self, hub: &str) -> bool {
        let text = |path: String| fs::read_to_string(self.file(&path)).unwrap_or_default();
        text(format!("{hub}.md")) == format!("self: [[{hub}]]\n")
            && (0..LINKING)
                .all(|it| text(format!("Notes/{it:03}.md")) == format!("{it}: [[{hub}]]\n"))
    }
}

/// The peak memory of a process, in bytes.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}

fn print(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}

#[test]
fn a_planted_record_is_reported_and_never_carried_out() {
    let version = json!({"device": 1, "inode": 1, "size": 1, "modified": null});
    for steps in [
        json!([{"rename": {"from": "payload.md", "to": ".git/hooks/post-commit"}}]),
        json!([{"rename": {"from": ".git/config", "to": "stolen.md"}}]),
        json!([{"rename": {"from": "hub.md", "to": "moved.md"}}]),
        json!([{"dispose": {"path": "hub.md", "version": version}}]),
    ] {
        let fixture = Fixture::new();
        let planted = json!({"direction": "forward", "steps": steps}).to_string();
        fixture.put(".toolwrit/journal.json", &planted);
        fixture.put(".toolwrit/tmp/.toolwrit-1-1.tmp", "planted");
        fixture.put(".toolwrit/change-0011223344556677/record", &planted);
        let before = fixture.contents();
        let mut client = fixture.serve(&[]);
        client.call("vault_read", &json!({"path": "hub"})).ok();
        assert_eq!(fixture.contents(), before, "after a start: {planted}");
        client.call("vault_write", &json!({"path": "new", "content": "x"})).ok();
        client.call("vault_delete", &json!({"path": "new"})).ok();
        fs::remove_dir_all(fixture.file(".trash")).unwrap();
        assert_eq!(fixture.contents(), before, "after a change: {planted}");
        client.call("vault_move", &json!({"path": "hub", "to": "deep/hub 2"})).ok();
        drop(client);
        assert!(fixture.file("deep/hub 2.md").exists(), "a change of several files goes on");
        let (status, message) = fixture.journal(&[]);
        assert_eq!(status, "warn", "{message}");
        assert!(message.contains(".toolwrit/journal.json"), "{message}");
        let (_, log) = fixture.run(&["call", "vault.list"]);
        assert!(log.contains(".toolwrit/journal.json"), "{log}");
    }
}

/// The folder with this vault's record, relative to the data folder.
fn folder_of(record: &Path) -> PathBuf {
    Path::new("toolwrit/vaults").join(record.parent().unwrap().file_name().unwrap())
}

const KEY: &str = "toolwrit/vaults/key";

/// A record of another user or another machine, or one that no engine wrote.
#[test]
fn a_record_of_another_machine_is_set_aside_and_blocks_no_change() {
    let fixture = Fixture::new();
    let (from, to) = fixture.interrupt();
    let record = fixture.record().unwrap();
    let bytes = fs::read(&record).unwrap();
    let mut forged = bytes.clone();
    *forged.last_mut().unwrap() ^= 1;
    for (has_key, planted) in
        [(false, &bytes[..]), (true, &forged), (true, &bytes[..20]), (true, b"{}"), (true, b"")]
    {
        let other = fixture.of_another_user();
        let folder = other.own.path().join(folder_of(&record));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("record"), planted).unwrap();
        if has_key {
            fs::copy(fixture.own.path().join(KEY), other.own.path().join(KEY)).unwrap();
        }
        other.refuses_its_record();
    }
    // The user who began the change finishes it, whatever others did meanwhile.
    drop(fixture.serve(&[]));
    assert!(fixture.is_whole(&to) != fixture.is_whole(&from), "{from} {to}");
    assert!(fixture.record().is_none());
}

#[test]
fn a_record_of_another_vault_is_set_aside_and_blocks_no_change() {
    let fixture = Fixture::new();
    fixture.interrupt();
    let mut other = Fixture::new();
    let mut client = other.serve(&[]);
    client.call("vault_move", &json!({"path": "hub", "to": "hub 0"})).ok();
    drop(client);
    // Both belong to the same user.
    let all = fs::read_dir(other.own.path().join("toolwrit/vaults")).unwrap().flatten();
    let theirs = all.map(|entry| entry.file_name()).find(|name| name != "key").unwrap();
    let record = fixture.record().unwrap();
    let folder = record.parent().unwrap().with_file_name(theirs);
    fs::create_dir(&folder).unwrap();
    fs::rename(record, folder.join("record")).unwrap();
    other.own = fixture.own;
    other.refuses_its_record();
}

/// Only a start that may write finishes an interrupted change.
#[test]
fn a_read_only_server_does_not_finish_an_interrupted_change() {
    let fixture = Fixture::new();
    let (from, to) = fixture.interrupt();
    let before = vaults::contents(fixture.vault.path());
    let mut client = fixture.serve(&["--read-only"]);
    client.call("vault_search", &json!({"query": "hub"})).ok();
    drop(client);
    let (_, log) = fixture.run(&["call", "--read-only", "vault.list"]);
    assert!(log.contains("interrupted"), "{log}");
    let (status, message) = fixture.journal(&["--read-only"]);
    assert_eq!(status, "warn", "{message}");
    assert_eq!(vaults::contents(fixture.vault.path()), before);
    drop(fixture.serve(&[]));
    assert!(fixture.is_whole(&to) != fixture.is_whole(&from), "{from} {to}");
}

#[test]
fn files_edited_since_an_interrupted_change_are_reported() {
    let fixture = Fixture::new();
    fixture.interrupt();
    fixture.put("Notes/007.md", "edited since\n");
    let (_, log) = fixture.run(&["call", "vault.list"]);
    assert!(log.contains("Notes/007.md"), "{log}");
    assert_eq!(fs::read_to_string(fixture.file("Notes/007.md")).unwrap(), "edited since\n");
    let (status, message) = fixture.journal(&[]);
    assert_eq!(status, "warn", "{message}");
    assert!(message.contains("Notes/007.md"), "{message}");
}

/// Without a place for the record, changes of several files are refused and others work.
#[test]
fn changes_of_several_files_need_a_record() {
    let fixture = Fixture::new();
    let before = fixture.contents();
    let own = TempDir::new().unwrap();
    fs::write(own.path().join("toolwrit"), "a file where the folder would be").unwrap();
    let within = fixture.file("state");
    for data in [own.path(), &within] {
        let environment = [("TOOLWRIT_DATA_DIR", data.to_str().unwrap())];
        let flags = ["--surface", "flat"];
        let mut client = Client::vault_in(&environment, fixture.vault.path(), &flags);
        let moved = client.call("vault_move", &json!({"path": "hub", "to": "hub 2"}));
        assert_eq!(moved.code(), "WRITES_DISABLED", "{}", moved.0);
        assert!(moved.text().contains("cannot be recorded"), "{}", moved.0);
        client.call("vault_write", &json!({"path": "new", "content": "x"})).ok();
        client.call("vault_move", &json!({"path": "new", "to": "newer"})).ok();
        drop(client);
        fs::remove_file(fixture.file("newer.md")).unwrap();
        let mut contents = fixture.contents();
        contents.retain(|path, _| !path.starts_with("state/"));
        assert_eq!(contents, before, "{}", data.display());
    }
}

/// Objects that may be in the place of a file.
const SHAPES: [&str; 6] = ["pipe", "huge", "link", "device", "folder", "garbage"];

/// Puts an object in the place of a file.
fn plant(shape: &str, path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    match shape {
        "pipe" => mkfifo(path, Mode::S_IRWXU).unwrap(),
        "huge" => fs::File::create(path).unwrap().set_len(HUGE).unwrap(),
        "link" => symlink("../../outside", path).unwrap(),
        "device" => symlink("/dev/zero", path).unwrap(),
        "folder" => fs::create_dir(path).unwrap(),
        _ => fs::write(path, "[".repeat(900_000)).unwrap(),
    }
}

#[test]
fn special_and_huge_files_neither_hang_the_server_nor_fill_memory() {
    let mut most = (0, String::new());
    for name in [
        ".toolwrit/journal.json",
        ".toolwrit/lock",
        ".obsidian/app.json",
        ".obsidian/workspace.json",
    ] {
        for shape in SHAPES {
            let what = format!("{shape} as {name}");
            let fixture = Fixture::new();
            plant(shape, &fixture.file(name));
            let mut client = fixture.serve(&[]);
            client.call("vault_read", &json!({"path": "hub"})).ok();
            // Every call is answered. Only an invalid lock prevents writing.
            for (tool, arguments) in [
                ("vault_write", json!({"path": "new", "content": "x"})),
                ("vault_move", json!({"path": "hub", "to": "hub 2"})),
                ("vault_write", json!({"path": "newer", "content": "x"})),
            ] {
                let code = client.call(tool, &arguments).code();
                let is_lock = name.ends_with("/lock") && !matches!(shape, "huge" | "garbage");
                let expected = if is_lock { "WRITES_DISABLED" } else { "ok" };
                assert_eq!(code, expected, "{what}: {tool}");
            }
            let code = client.call("active_file_read", &json!({})).code();
            assert_eq!(code, "NOT_FOUND", "{what}");
            let memory = peak(client.pid());
            assert!(memory < MEMORY, "{what}: {} MB", memory >> 20);
            if memory > most.0 {
                most = (memory, what);
            }
        }
    }
    print(&format!("at most {} MB, with {}", most.0 >> 20, most.1));
}

/// JSON that is small as text and large when parsed.
#[test]
fn large_settings_do_not_fill_memory() {
    for (tool, name, code) in
        [("vault_rename", "app.json", "ok"), ("active_file_read", "workspace.json", "NOT_FOUND")]
    {
        for count in [8 << 20, 500_000] {
            let fixture = Fixture::new();
            fixture
                .put(&format!(".obsidian/{name}"), &format!("{{\"a\":[{}1]}}", "1,".repeat(count)));
            let mut client = fixture.serve(&[]);
            let note = |it: usize| match tool {
                "vault_rename" => {
                    json!({"path": format!("Notes/{it:03}"), "name": format!("{it}")})
                }
                _ => json!({}),
            };
            let ids: Vec<u64> = (0..16).map(|it| client.begin_call(tool, &note(it))).collect();
            for id in ids {
                assert_eq!(client.finish_call(id).code(), code, "{name} of {count} values");
            }
            let memory = peak(client.pid());
            assert!(memory < MEMORY, "{name} of {count} values: {} MB", memory >> 20);
            print(&format!("{name} of {count} values, 16 at once: {} MB", memory >> 20));
        }
    }
}

/// The index, the file names and the key are readable only by the user.
#[test]
fn the_servers_files_are_private() {
    let fixture = Fixture::new();
    let mut client = fixture.serve(&[]);
    client.call("vault_search", &json!({"query": "hub"})).ok();
    client.call("vault_move", &json!({"path": "hub", "to": "hub 2"})).ok();
    client.close();
    let kept = vaults::contents(&fixture.own.path().join("toolwrit"));
    let ours = |path: &&String| path.starts_with("vaults/") || path.starts_with("indexes/");
    let kept: Vec<&String> = kept.keys().filter(ours).collect();
    assert!(kept.iter().any(|path| path.starts_with("indexes/vault-")), "{kept:?}");
    assert!(kept.iter().any(|path| path.as_str() == "vaults/key"), "{kept:?}");
    for path in kept {
        let mode = fs::metadata(fixture.own.path().join("toolwrit").join(path)).unwrap();
        let mode = mode.permissions().mode() & 0o777;
        assert_eq!(mode, if path.ends_with('/') { 0o700 } else { 0o600 }, "{path}");
    }
}
