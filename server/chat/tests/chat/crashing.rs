//! A process is aborted at every step of a turn: at each access to the note, and before, within and after each call. Others
//! go on. The note, the state and the effects are files.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use toolwrit_chat::Ledger;
use toolwrit_chat::conversation::{Conversation, Decision, Ended, Parts, Settings, TurnOptions};
use toolwrit_chat::notebook::{Notebook, NotebookError, Reading, Version};
use toolwrit_chat::provider::{Script, ScriptedModel};
use toolwrit_chat::tools::{Call, Carried, Effect, Outcome, Tool, Tools};

use crate::desk::{NOTE, Person};

/// The folder of the note, and the step at which the process is aborted.
const FOLDER: &str = "TOOLWRIT_CHAT_CRASH_FOLDER";
const STEP: &str = "TOOLWRIT_CHAT_CRASH_STEP";

/// Counts steps, and ends the process at one of them.
struct Steps {
    left: AtomicUsize,
}

impl Steps {
    fn step(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
}

/// A folder of notes.
struct Folder {
    path: PathBuf,
    steps: Arc<Steps>,
    changes: watch::Sender<u64>,
}

impl Notebook for Folder {
    fn read(&self, note: &str) -> Result<Reading, NotebookError> {
        self.steps.step();
        let text = fs::read_to_string(self.path.join(note))
            .map_err(|error| NotebookError::Failed(error.to_string()))?;
        Ok(Reading { version: Version(text.clone()), text })
    }

    fn replace(
        &self,
        note: &str,
        unchanged: &Version,
        text: &str,
    ) -> Result<Option<Version>, NotebookError> {
        self.steps.step();
        if self.read(note)?.version != *unchanged {
            return Ok(None);
        }
        let new = self.path.join("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.path.join(note)).unwrap();
        self.steps.step();
        Ok(Some(Version(text.to_owned())))
    }

    fn create(&self, _: &str, _: &str) -> Result<(), NotebookError> {
        unreachable!("no result is that long")
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// Tools whose effects are lines of a file. As in the engine, the key of a write is stored with its effect, and an outcome
/// that was not stored is lost.
struct Files {
    path: PathBuf,
    steps: Arc<Steps>,
}

impl Tools for Files {
    fn tools(&self) -> Vec<Tool> {
        let tool = |id: &str, effect| Tool {
            effect,
            ..Tool::new(id, "A tool.", json!({ "type": "object" }))
        };
        vec![tool("vault.read", Effect::Read), tool("vault.append", Effect::Write)]
    }

    fn carried_calls(&self, _: &str, _: &Map<String, Value>) -> Vec<Carried> {
        Vec::new()
    }

    fn identity(&self) -> String {
        String::new()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        self.steps.step();
        let done = Outcome::Done(json!({ "path": call.arguments["path"] }).into());
        if call.tool == "vault.read" {
            return future::ready(done).boxed();
        }
        let made = fs::read_to_string(self.path.join("effects")).unwrap_or_default();
        if made.lines().any(|line| line.starts_with(call.key.as_str())) {
            assert!(call.again, "a call that was made is known to be made again");
            return future::ready(done).boxed();
        }
        let mut file =
            OpenOptions::new().create(true).append(true).open(self.path.join("effects")).unwrap();
        writeln!(file, "{} {}", call.key, call.arguments["path"]).unwrap();
        self.steps.step();
        future::ready(done).boxed()
    }
}

/// The process that is aborted: one turn in the folder, as far as it gets. Runs only as a child of the test below.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let left: usize = std::env::var(STEP).unwrap().parse().unwrap();
    let steps = Arc::new(Steps { left: AtomicUsize::new(left) });
    let text = fs::read_to_string(folder.join(NOTE)).unwrap();
    let call = |script: Script, tool: &str, path: &str| script.call(tool, json!({ "path": path }));
    let calls = call(
        call(
            call(call(Script::new().text("I'll see."), "vault_read", "a"), "vault_append", "b"),
            "vault_append",
            "c",
        ),
        "vault_read",
        "d",
    );
    let answer = Script::new().text("Done.");
    let scripts = if text.contains("`vault.append`") { vec![answer] } else { vec![calls, answer] };
    let mut conversation = Conversation::new(Parts {
        notebook: Arc::new(Folder {
            path: folder.clone(),
            steps: Arc::clone(&steps),
            changes: watch::Sender::new(0),
        }),
        note: NOTE.to_owned(),
        tools: Arc::new(Files { path: folder.clone(), steps }),
        model: Arc::new(ScriptedModel::new(scripts)),
        consent: Person::who(Decision::Approve),
        ledger: Ledger::open(&folder.join("state"), NOTE).unwrap(),
        settings: Settings::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = runtime.block_on(conversation.turn(TurnOptions::default())).unwrap();
    assert!(matches!(ended, Ended::Answered | Ended::NothingToSay), "{ended:?}");
}

/// Runs one turn in a process of its own. Returns whether it came to its end.
fn run(folder: &Path, step: usize) -> bool {
    let program = std::env::current_exe().unwrap();
    let status = Command::new(program)
        .args(["--exact", "crashing::child", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env(STEP, step.to_string())
        .output()
        .unwrap()
        .status;
    status.success()
}

#[test]
fn a_process_that_is_killed_at_any_step_writes_nothing_twice() {
    let mut steps = 0;
    loop {
        steps += 1;
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        fs::write(folder.join(NOTE), "Do it.\n").unwrap();
        let finished = run(folder, steps);
        // The next process is killed, too, and a third one comes to the end.
        let _ = run(folder, 1 + steps % 7);
        assert!(run(folder, usize::MAX), "step {steps}");
        let effects = fs::read_to_string(folder.join("effects")).unwrap();
        let paths: Vec<_> = effects.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        let text = fs::read_to_string(folder.join(NOTE)).unwrap();
        assert_eq!(paths, ["\"b\"", "\"c\""], "step {steps}: {text}");
        assert!(text.starts_with("Do it.\n") && text.contains("> Done."), "step {steps}: {text}");
        assert_eq!(text.matches("`vault.append` · ok").count(), 2, "step {steps}: {text}");
        if finished {
            break;
        }
    }
    assert!(steps > 30, "the turn has more steps than {steps}");
}
