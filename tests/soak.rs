//! The server works for a while on a vault that another program edits, too: no edit is lost, memory is
//! bounded, and the index at the end equals a new one.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files::put;
use toolwrit_tests::memory::resident;
use toolwrit_tests::waiting::Stop;
use toolwrit_tests::{requirement, vaults};

/// The fewest calls, on a slow machine.
const CALLS: u64 = 600;
const NOTES: usize = 300;
/// Notes that both change.
const SHARED: usize = 8;
/// The pause between two changes of the editor, which is shorter than a person's.
const PAUSE: Duration = Duration::from_millis(5);
/// The growth of memory that is allowed after the first quarter: allocators keep some of what they get.
const SLACK: u64 = 16 << 20;

/// The GNU C library has a heap for each thread, each of which keeps its maximum. With one heap for all,
/// memory that grows is memory in use.
const ONE_HEAP: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

fn shared(vault: &Path, number: usize) -> PathBuf {
    vault.join(format!("Shared/{number}.md"))
}

/// The current name of the note that shared notes link to.
fn target(vault: &Path) -> &'static str {
    if vault.join("Targets/Lighthouse.md").exists() { "Lighthouse" } else { "Beacon" }
}

/// The number in a writer's line of a shared note, which counts its changes.
fn count(text: &str, who: &str) -> u64 {
    let mut lines = text.lines();
    let count = lines.find_map(|line| line.strip_prefix(who)?.strip_prefix(": count")).unwrap();
    count.parse().unwrap()
}

fn counted(text: &str, who: &str, number: u64) -> String {
    let old = format!("{who}: count{}\n", count(text, who));
    text.replace(&old, &format!("{who}: count{number}\n"))
}

/// The second writer.
struct Editor<'a> {
    vault: &'a Path,
    saved: [u64; SHARED],
    step: u64,
}

impl Editor<'_> {
    fn work(&mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            self.step += 1;
            let number = usize::try_from(self.step).unwrap();
            match number % 8 {
                0..=4 => self.save(number % SHARED),
                5 => self.append(number % 5),
                6 => self.create(number % 20),
                _ => self.delete((number + 10) % 20),
            }
            thread::sleep(PAUSE);
        }
    }

    /// Saves a shared note as editors do, by replacing it with a new file. Only the editor changes its own
    /// count.
    fn save(&mut self, number: usize) {
        let path = shared(self.vault, number);
        let text = fs::read_to_string(&path).unwrap();
        let known = self.saved[number];
        assert_eq!(count(&text, "editor"), known, "an edit of {} is lost", path.display());
        self.saved[number] = known + 1;
        let mut text = counted(&text, "editor", known + 1);
        let link = text.lines().find(|line| line.starts_with("[[")).unwrap().to_owned();
        text = text.replace(&link, &format!("[[{}]]", target(self.vault)));
        let new = self.vault.join(format!("Shared/.{number}.swp"));
        fs::write(&new, text).unwrap();
        fs::rename(&new, &path).unwrap();
    }

    /// Adds a line in place, to a note that is sometimes truncated.
    fn append(&self, number: usize) {
        let path = self.vault.join(format!("Editor/log {number}.md"));
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        if self.step % 1024 == 5 {
            fs::write(&path, "").unwrap();
        }
        let mut file = options.open(path).unwrap();
        writeln!(file, "logged{} at [[{}]] #log", self.step, target(self.vault)).unwrap();
    }

    fn create(&self, number: usize) {
        let folder = self.vault.join(format!("Editor/{}", number % 3));
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nstep: {}\n---\nnew [[log 1]] #new/{number}\n", self.step);
        fs::write(folder.join(format!("new {number}.md")), text).unwrap();
    }

    fn delete(&self, number: usize) {
        let folder = self.vault.join(format!("Editor/{}", number % 3));
        let _ = fs::remove_file(folder.join(format!("new {number}.md")));
        if number.is_multiple_of(7) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// The server's calls meanwhile.
struct Caller<'a> {
    vault: &'a Path,
    client: Client,
    step: u64,
    conflicts: u64,
}

impl Caller<'_> {
    fn work(&mut self) {
        self.step += 1;
        let number = usize::try_from(self.step).unwrap();
        match number % 8 {
            0..=2 => self.change(number % SHARED),
            3 => self.patch(number % SHARED),
            4 => self.rename(),
            5 => self.own(number % 4),
            _ => self.ask(number),
        }
    }

    /// A call that succeeds unless the editor was faster.
    fn call(&mut self, tool: &str, arguments: &Value) -> bool {
        let result = self.client.call(tool, arguments);
        let code = result.code();
        assert!(code == "ok" || code == "CONFLICT", "{tool} {arguments}: {}", result.0);
        self.conflicts += u64::from(code == "CONFLICT");
        code == "ok"
    }

    fn change(&mut self, number: usize) {
        let path = format!("Shared/{number}.md");
        let note = self.client.call("vault_read", &json!({ "path": path })).ok();
        let text = counted(note["content"].as_str().unwrap(), "server", self.step);
        let call = json!({"path": path, "content": text, "if_match": note["etag"]});
        self.call("vault_write", &call);
    }

    fn patch(&mut self, number: usize) {
        let call = json!({
            "path": format!("Shared/{number}.md"), "target_type": "frontmatter", "target": "step",
            "operation": "replace", "content": self.step,
        });
        self.call("vault_patch", &call);
    }

    /// Renames the note that shared notes link to, which rewrites the links.
    fn rename(&mut self) {
        let old = target(self.vault);
        let new = if old == "Lighthouse" { "Beacon" } else { "Lighthouse" };
        self.call("vault_rename", &json!({"path": format!("Targets/{old}.md"), "name": new}));
    }

    /// A note that only the server writes.
    fn own(&mut self, number: usize) {
        let path = format!("Own/{number}.md");
        let content = format!("own{} #own\n", self.step);
        assert!(
            self.call(
                "vault_write",
                &json!({"path": path, "content": content, "mode": "overwrite"})
            )
        );
        let read = self.client.call("vault_read", &json!({ "path": path })).ok();
        assert_eq!(read["content"], content);
    }

    fn ask(&mut self, number: usize) {
        let (tool, arguments) = questions(number);
        self.client.call(tool, &arguments).ok();
    }
}

/// Queries of the index, by number.
fn questions(number: usize) -> (&'static str, Value) {
    let text = |query: &str| ("vault_search", json!({"query": query, "limit": 1000}));
    let frontmatter = |query: &str| {
        ("vault_search", json!({"query": query, "mode": "frontmatter", "limit": 1000}))
    };
    match number % 12 {
        0 => text("lantern harbour"),
        1 => text("count"),
        2 => text("logged"),
        3 => text("new"),
        4 => text("lighthouse beacon"),
        5 => frontmatter("status = parser or status = river"),
        6 => frontmatter("step > 10"),
        7 => ("vault_tags", json!({"limit": 5000})),
        8 => ("vault_tags", json!({"folder": "Editor", "limit": 5000})),
        9 => ("vault_search", json!({"query": "count[0-9]+", "mode": "regex", "limit": 1000})),
        10 => ("vault_search", json!({"query": "**", "mode": "glob", "limit": 1000})),
        _ => ("vault_search", json!({"query": "own", "limit": 1000})),
    }
}

/// All answers of a server about a vault: the queries, and the links to every file.
fn answers(client: &mut Client, files: &[String]) -> Vec<Value> {
    let questions = (0..12).map(questions);
    let links = files.iter().map(|path| ("vault_backlinks", json!({"path": path, "limit": 1000})));
    let calls: Vec<_> = questions.chain(links).collect();
    calls.iter().map(|(tool, arguments)| client.call(tool, arguments).ok()).collect()
}

/// The same notes in a new folder, which no server has used.
fn copy(vault: &Path) -> (TempDir, Vec<String>) {
    let folder = TempDir::new().unwrap();
    let mut files = Vec::new();
    for (path, bytes) in vaults::contents(vault) {
        if path.starts_with(".toolwrit/") || path.ends_with('/') {
            continue;
        }
        put(&folder.path().join(&path), bytes);
        if Path::new(&path).extension().is_some_and(|extension| extension == "md")
            && !path.starts_with('.')
        {
            files.push(path);
        }
    }
    (folder, files)
}

#[test]
fn changes_of_a_second_writer_are_kept_and_indexed() {
    let folder = vaults::generate(NOTES);
    let vault = folder.path();
    for folder in ["Shared", "Targets", "Editor"] {
        fs::create_dir(vault.join(folder)).unwrap();
    }
    fs::write(vault.join("Targets/Lighthouse.md"), "# Light\n").unwrap();
    let text =
        "---\nstep: 0 # of the server\n---\neditor: count0\nserver: count0\n[[Lighthouse]]\n";
    for number in 0..SHARED {
        fs::write(shared(vault, number), text).unwrap();
    }
    let client = Client::vault_in(&[ONE_HEAP], vault, &["--surface", "flat"]);
    let mut caller = Caller { vault, client, step: 0, conflicts: 0 };
    let mut editor = Editor { vault, saved: [0; SHARED], step: 0 };
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    let duration = Duration::from_secs(requirement::number(6, 1_800));
    let mut settled = None;
    thread::scope(|scope| {
        let editing = scope.spawn(|| editor.work(&stop));
        let _stop = Stop(&stop);
        let is_over = |step| begun.elapsed() >= duration && step >= CALLS;
        while !is_over(caller.step) && !editing.is_finished() {
            caller.work();
            let is_warm = begun.elapsed() > duration / 4 && caller.step >= CALLS / 3;
            if settled.is_none() && is_warm {
                settled = resident(caller.client.pid());
            }
        }
    });
    let end = resident(caller.client.pid());
    for (number, saved) in editor.saved.into_iter().enumerate() {
        let text = fs::read_to_string(shared(vault, number)).unwrap();
        assert_eq!(count(&text, "editor"), saved, "the last edit of note {number} is lost");
    }
    let notice = format!(
        "{} s: {} edits, {} calls, {} conflicts; resident {:?} then {:?} bytes\n",
        begun.elapsed().as_secs(),
        editor.step,
        caller.step,
        caller.conflicts,
        settled,
        end
    );
    std::io::stderr().write_all(notice.as_bytes()).unwrap();
    if let (Some(settled), Some(end)) = (settled, end) {
        assert!(end < settled + SLACK, "memory grew from {settled} to {end} bytes");
    }
    // Notifications of the last edits may still be on their way; a change waits for them.
    let last = json!({"path": "Last.md", "content": "the end"});
    caller.client.call("vault_append", &last).ok();
    let (fresh, files) = copy(vault);
    let known = answers(&mut caller.client, &files);
    let found = answers(&mut Client::vault(fresh.path(), &["--surface", "flat"]), &files);
    assert_eq!(known.len(), found.len());
    for (known, found) in known.iter().zip(found) {
        assert_eq!(*known, found, "the index has drifted");
    }
}
