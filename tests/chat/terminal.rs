//! A person at a terminal, who is asked and who interrupts.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting::until;

use crate::chat::desk::{AUDIT, Desk, PATIENCE};
use toolwrit_tests::servers::model::Response;

/// A command in a terminal, which `script` gives it.
struct Terminal {
    command: Child,
    keys: Keys,
    /// What it shows, as a thread reads it, so that waits have an end.
    screen: Receiver<String>,
    shown: String,
}

/// Keys that are pressed, also by others than the test. The end of this input would end the terminal.
type Keys = Arc<Mutex<Option<ChildStdin>>>;

fn press(keys: &Keys, text: &str) {
    keys.lock().unwrap().as_mut().unwrap().write_all(text.as_bytes()).unwrap();
}

impl Terminal {
    /// `chat Chat.md` with further arguments; `None` without `script`.
    fn chat(desk: &Desk, keys: Keys, arguments: &str) -> Option<Self> {
        if !met(&[Need::Program(Path::new("script"), (2, 30))], "apt-get install bsdutils") {
            return None;
        }
        // `exec` replaces the shell that `script` starts. Otherwise Ctrl-C ends that shell, too, and `script` returns the exit code
        // of the shell.
        let line = format!("exec {} chat Chat.md {arguments}", toolwrit().display());
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        desk.environment(&mut command);
        let mut command = command.spawn().unwrap();
        *keys.lock().unwrap() = command.stdin.take();
        let mut output = command.stdout.take().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let shown = String::from_utf8_lossy(&bytes[..count]).into_owned();
                if sender.send(shown).is_err() {
                    break;
                }
            }
        });
        Some(Self { command, keys, screen, shown: String::new() })
    }

    /// Waits until the screen shows a text.
    fn shows(&mut self, text: &str) {
        while !self.shown.contains(text) {
            let more = self.screen.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|error| panic!("{error}: {text} in {}", self.shown));
            self.shown.push_str(&more);
        }
    }

    /// Waits until the command ends. Returns its exit code, and all that the screen showed.
    fn ended(mut self) -> (Option<i32>, String) {
        while let Ok(more) = self.screen.recv_timeout(PATIENCE) {
            self.shown.push_str(&more);
        }
        (self.command.wait().unwrap().code(), self.shown)
    }
}

fn append() -> Response {
    Response::text("I'll add it.")
        .call("vault_append", json!({ "path": "Audit.md", "content": "More." }))
}

const INTERRUPT: &str = "\u{3}";

#[test]
fn a_person_is_asked() {
    for (answer, count) in [("y\n", 1), ("n\n", 0)] {
        let desk = Desk::new([append(), Response::text("Done.")]);
        let Some(mut terminal) = Terminal::chat(&desk, Keys::default(), "'Add it' --focus full")
        else {
            return;
        };
        terminal.shows("The model wants to call vault.append. It changes something.");
        terminal.shows("Call it?");
        press(&terminal.keys, answer);
        let (code, shown) = terminal.ended();
        assert_eq!(code, Some(0), "{shown}");
        assert_eq!(desk.text("Audit.md").matches("More.").count(), count, "{shown}");
    }
}

#[test]
fn an_interrupt_at_a_question_makes_no_call() {
    let desk = Desk::new([append(), Response::text("Done.")]);
    let Some(mut terminal) = Terminal::chat(&desk, Keys::default(), "'Add it' --focus full") else {
        return;
    };
    terminal.shows("Call it?");
    press(&terminal.keys, INTERRUPT);
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(1), "{shown}");
    assert!(desk.text("Chat.md").contains("`vault.append` · cancelled"), "{shown}");
    // The call is not made later, and the model is told.
    assert_eq!(desk.chat(&["--focus", "full"]).code, Some(0));
    assert_eq!(desk.text("Audit.md"), AUDIT);
    assert!(desk.model.requests()[1]["messages"].to_string().contains("CANCELLED"));
}

#[test]
fn an_interrupt_keeps_what_was_said_and_the_conversation_goes_on() {
    let keys = Keys::default();
    let note: Arc<Mutex<Option<std::path::PathBuf>>> = Arc::default();
    let (pressed, path) = (Arc::clone(&keys), Arc::clone(&note));
    let desk = Desk::new([
        Response::text("Half an ")
            .then(move || {
                let path = path.lock().unwrap().clone().unwrap();
                let holds =
                    |text| std::fs::read_to_string(&path).is_ok_and(|note| note.contains(text));
                until("the words", || holds("> Half an"));
                press(&pressed, INTERRUPT);
                until("the cancellation", || holds("· cancelled"));
            })
            .and("answer."),
        Response::text("A whole answer."),
    ]);
    *note.lock().unwrap() = Some(desk.path("Chat.md"));
    let Some(terminal) = Terminal::chat(&desk, keys, "'Tell me'") else { return };
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(1), "{shown}");
    let text = desk.text("Chat.md");
    assert!(text.starts_with("Tell me\n") && text.contains("> Half an"), "{text}");
    assert!(!text.contains("answer."), "{text}");
    let done = desk.chat(&[]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "A whole answer.\n"), "{}", done.err);
    let asked = &desk.model.requests()[1]["messages"];
    assert_eq!(*asked, json!([{ "role": "user", "content": "Tell me" }]));
}
