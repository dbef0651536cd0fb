//! Measures what a conversation with 300 calls costs beside the model and the tools: to open its note, to go on, and to go on
//! after a crash. `cargo run --release -p toolwrit-chat --example measure`
#![allow(clippy::print_stdout, reason = "a program that prints what it measures")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed measurement ends the program"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Map, Value, json};
use toolwrit_chat::Ledger;
use toolwrit_chat::conversation::{
    Conversation, Ended, Limits, Nobody, Parts, Settings, TurnOptions,
};
use toolwrit_chat::format::Document;
use toolwrit_chat::notebook::{MemoryNotebook, Notebook};
use toolwrit_chat::provider::{Script, ScriptedModel};
use toolwrit_chat::tools::{Call, Carried, Outcome, Tool, Tools};

const NOTE: &str = "Chat.md";
const CALLS: usize = 300;
const ROUNDS: usize = 30;

/// A tool that answers at once, with half a kilobyte.
struct Instantly;

impl Tools for Instantly {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool::new("vault.read", "Reads a note.", json!({ "type": "object" }))]
    }

    fn carried_calls(&self, _: &str, _: &Map<String, Value>) -> Vec<Carried> {
        Vec::new()
    }

    fn identity(&self) -> String {
        String::new()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        let result = json!({ "path": call.arguments.get("path"), "text": "words ".repeat(80) });
        future::ready(Outcome::Done(result.into())).boxed()
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let state = tempfile::tempdir().unwrap();
    let notebook = Arc::new(MemoryNotebook::default());
    notebook.write(NOTE, "Read everything.\n");
    let per_round = CALLS / ROUNDS;
    let calls = |from: usize| {
        let call = |script: Script, number: usize| {
            script.call("vault_read", json!({ "path": format!("Note {number}.md") }))
        };
        (from..from + per_round).fold(Script::new().text("I'll read on."), call)
    };
    let turn = |scripts: Vec<Script>| {
        let began = Instant::now();
        let mut conversation = Conversation::new(Parts {
            notebook: notebook.clone(),
            note: NOTE.to_owned(),
            tools: Arc::new(Instantly),
            model: Arc::new(ScriptedModel::new(scripts)),
            consent: Arc::new(Nobody),
            ledger: Ledger::open(state.path(), NOTE).unwrap(),
            settings: Settings { limits: unlimited(), ..Settings::default() },
        });
        let ended = runtime.block_on(conversation.turn(TurnOptions::default())).unwrap();
        (ended, began.elapsed())
    };

    let mut scripts: Vec<Script> = (0..ROUNDS).map(|round| calls(round * per_round)).collect();
    scripts.push(Script::new().text("That was all."));
    let (ended, took) = turn(scripts);
    assert_eq!(ended, Ended::Answered);
    println!(
        "{CALLS} calls in {ROUNDS} rounds: {took:?} in all, {:?} a call",
        took / u32::try_from(CALLS).unwrap()
    );

    let text = notebook.read(NOTE).unwrap().text;
    let (blocks, took) = timed(|| Document::parse(&text).blocks().count());
    println!("parse {} KiB with {blocks} blocks: {took:?}", text.len() / 1024);

    let (ended, took) = turn(Vec::new());
    assert_eq!(ended, Ended::NothingToSay);
    println!("open and find nothing to say: {took:?}");

    notebook.edit(NOTE, |text| text.to_owned() + "And now?\n");
    let (ended, took) = turn(vec![Script::new().text("Nothing.")]);
    assert_eq!(ended, Ended::Answered);
    println!("open, continue and answer: {took:?}");

    // The last result is not in the note, and the answer is not there.
    let cut = text
        .rsplit_once("> [!assistant|")
        .unwrap()
        .0
        .trim_end()
        .rsplit_once("> ```json")
        .unwrap()
        .0
        .trim_end();
    notebook.write(NOTE, &(change_last(cut, "· ok, 0 ms", "· …") + "\n"));
    let (ended, took) = turn(vec![Script::new().text("That was all.")]);
    assert_eq!(ended, Ended::Answered);
    println!("open, resume and answer: {took:?}");
}

fn change_last(text: &str, from: &str, to: &str) -> String {
    let (before, after) = text.rsplit_once(from).unwrap();
    format!("{before}{to}{after}")
}

fn unlimited() -> Limits {
    Limits {
        rounds: u32::MAX,
        calls: u32::MAX,
        calls_per_note: None,
        turn_bytes: usize::MAX,
        turn: Duration::from_hours(1),
        ..Limits::default()
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let result = work();
    (result, began.elapsed())
}
