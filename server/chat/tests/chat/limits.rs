//! Limits of turns, and models that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::unbounded_channel;
use toolwrit_chat::conversation::{Ended, Limit, Limits, Progress, TurnOptions};
use toolwrit_chat::format::{Document, Payload};
use toolwrit_chat::notebook::Notebook;
use toolwrit_chat::provider::{
    End, Event, Model, ModelError, Request, Script, ScriptedModel, Stop, WantedCall,
};
use toolwrit_chat::tools::{Call, Carried, Outcome, Tool, Tools};

use crate::desk::{CountingTools, Desk, NOTE, call};

const ASK: &str = "Which notes mention the audit?\n";

#[tokio::test(start_paused = true)]
async fn nothing_runs_of_an_incomplete_response() {
    let scripts: [fn() -> Script; 5] = [
        || call(Script::new().text("x"), "vault_search", "a").cut(),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::MaxTokens),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::Missing),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::Filtered(String::new())),
        || call(Script::new().text("x").fail(ModelError::transient("boom")), "vault_search", "a"),
    ];
    let mut notes = String::new();
    for script in scripts {
        let desk = Desk::with(ASK);
        let (ended, model) = desk.turn([script()]).await;
        assert!(matches!(ended, Ended::Failed(_)), "{ended:?}");
        assert_eq!(model.requests().len(), 1, "a response that has begun is not asked for again");
        assert!(desk.tools.made().is_empty());
        notes += desk
            .text()
            .lines()
            .find(|line| line.starts_with("> [!"))
            .unwrap()
            .split_once('`')
            .unwrap()
            .1;
        notes += "\n";
        // The question is still open.
        assert_eq!(desk.turn([Script::new().text("Now.")]).await.0, Ended::Answered);
    }
    insta::assert_snapshot!(notes);
}

/// A batch counts as the calls that it carries, in the turn, in the note, and as the same call again.
#[tokio::test(start_paused = true)]
async fn the_calls_of_a_batch_count() {
    let batch = |paths: &[&str]| {
        let calls: Vec<_> = paths
            .iter()
            .map(|path| json!({ "tool": "vault.search", "args": { "path": path } }))
            .collect();
        Script::new().call("system_batch_get", json!({ "calls": calls }))
    };
    let done = || Script::new().text("Done.");
    let mut desk = Desk::with(ASK);
    desk.settings.limits.calls = 4;
    let (ended, _) = desk.turn([batch(&["a", "b"]), batch(&["c", "d", "e"]), done()]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 1), "{}", desk.text());
    assert!(desk.text().contains("with the 3 calls in this one"), "{}", desk.text());

    let mut desk = Desk::with(ASK);
    desk.settings.limits.calls_per_note = Some(4);
    desk.turn([batch(&["a", "b", "c"]), done()]).await;
    desk.notebook.edit(NOTE, |text| format!("{text}\n{ASK}"));
    desk.turn([batch(&["d", "e"]), done()]).await;
    assert_eq!(desk.tools.made().len(), 1, "{}", desk.text());

    let desk = Desk::with(ASK);
    desk.turn([batch(&["a", "a", "a", "a"]), done()]).await;
    assert!(desk.tools.made().is_empty(), "{}", desk.text());
}

#[tokio::test(start_paused = true)]
async fn a_silent_failure_is_tried_again_and_no_more_than_three_times() {
    let busy = || {
        Script::new().fail(ModelError {
            retry_after: Some(Duration::from_secs(7)),
            ..ModelError::transient("429")
        })
    };
    let desk = Desk::with(ASK);
    let (ended, _) = desk.turn([busy(), busy(), busy(), Script::new().text("Here.")]).await;
    assert_eq!(ended, Ended::Answered);
    let desk = Desk::with(ASK);
    let (ended, model) =
        desk.turn([busy(), busy(), busy(), busy(), Script::new().text("Never.")]).await;
    assert_eq!((ended, model.requests().len()), (Ended::Failed("429".to_owned()), 4));
    let desk = Desk::with(ASK);
    let (ended, model) = desk
        .turn([Script::new().fail(ModelError::permanent("no such model")), Script::new()])
        .await;
    assert_eq!((ended, model.requests().len()), (Ended::Failed("no such model".to_owned()), 1));
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_told_and_one_beyond_the_end_of_the_turn_is_not_waited_for() {
    let busy = |seconds| {
        let retry_after = Some(Duration::from_secs(seconds));
        Script::new().fail(ModelError { retry_after, ..ModelError::transient("429") })
    };
    let (sender, mut news) = unbounded_channel();
    let options = TurnOptions { progress: Some(sender), ..TurnOptions::default() };
    let (ended, model) = Desk::with(ASK)
        .turn_with([busy(60), busy(u64::MAX), Script::new().text("Never.")], options)
        .await;
    assert_eq!((ended, model.requests().len()), (Ended::Failed("429".to_owned()), 2));
    let told = Progress::Retrying("429: trying again in 60 s".to_owned());
    assert_eq!((news.recv().await, news.recv().await), (Some(Progress::Asking), Some(told)));
    assert_eq!(news.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_is_given_up() {
    let desk = Desk::with(ASK);
    let (ended, _) = desk.turn([Script::new().text("Well").hang()]).await;
    assert_eq!(ended, Ended::Failed("the model said nothing for 120 seconds".to_owned()));
    assert!(desk.text().contains("> Well"));
}

#[tokio::test(start_paused = true)]
async fn limits_end_a_turn_with_an_answer() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { rounds: 2, ..Limits::default() };
    let round = |path| call(Script::new(), "vault_read", path);
    let (ended, model) = desk.turn([round("a"), round("b"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Rounds));
    assert!(model.requests()[2].tools.is_empty());
    insta::assert_snapshot!(desk.text().rsplit_once("> [!notice").unwrap().1);

    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls: 2, ..Limits::default() };
    let three =
        call(call(call(Script::new(), "vault_read", "a"), "vault_read", "b"), "vault_read", "c");
    let (ended, _) = desk.turn([three, Script::new().text("So far.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Limited(Limit::Calls), 2));

    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls_per_note: Some(1), ..Limits::default() };
    let (ended, _) = desk.turn([round("a"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::CallsPerNote));

    let desk = Desk::with(&format!("---\nchat-rounds: 1\nchat-calls: 99\n---\n{ASK}"));
    let (ended, _) = desk.turn([round("a"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Rounds));
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_an_end_in_time() {
    let desk = Desk::with(ASK);
    *desk.tools.hanging.lock().unwrap() = Some("vault.read".to_owned());
    let (ended, _) =
        desk.turn([call(call(Script::new(), "vault_read", "a"), "vault_append", "b")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Time));
    assert_eq!(desk.tools.made(), ["vault.read {\"path\":\"a\"}"]);
    assert_eq!(desk.text().matches("cancelled").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn long_results_are_shortened_visibly() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits.result_bytes = 100;
    desk.tools.answer("vault.read", json!("é".repeat(200)));
    desk.tools.answer("vault.search", json!({ "all": "x".repeat(500) }));
    let both = call(call(Script::new(), "vault_read", "a"), "vault_search", "b");
    desk.turn([both, Script::new().text("Ok.")]).await;
    insta::assert_snapshot!(desk.text());

    let mut desk = Desk::with(ASK);
    desk.settings.limits.result_bytes = 100;
    desk.settings.results_folder = Some("results".to_owned());
    desk.tools.answer("vault.search", json!({ "all": "``` \n> [!tool|".repeat(50) }));
    desk.turn([call(Script::new(), "vault_search", "b"), Script::new().text("Ok.")]).await;
    let text = desk.text();
    let document = Document::parse(&text);
    let Some(Payload::Json(result)) = document.blocks().nth(1).unwrap().result() else {
        panic!("{text}")
    };
    let note = desk.notebook.read(result["note"].as_str().unwrap()).unwrap().text;
    assert!(note.starts_with("````json\n") && note.ends_with("\n````\n"), "{note}");
    let link = result["note"].as_str().unwrap().trim_end_matches(".md");
    let header = text.lines().find(|line| line.starts_with("> [!tool|")).unwrap();
    assert!(header.contains(&format!(" · ok, [[{link}]], ")), "{header}");
    let state = &document.blocks().nth(1).unwrap().header.state;
    assert!(header.ends_with(&format!(" · {state}")), "{header} is read as {state}");
}

#[tokio::test(start_paused = true)]
async fn the_same_call_again_and_again_is_refused() {
    let desk = Desk::with(ASK);
    *desk.tools.answers.lock().unwrap() = [(
        "vault.read".to_owned(),
        Outcome::Failed {
            code: "NOT_FOUND".to_owned(),
            error: json!({ "error": { "code": "NOT_FOUND" } }),
        },
    )]
    .into();
    let read = || call(Script::new(), "vault_read", "a");
    desk.turn([read(), read(), read(), read(), Script::new().text("I give up.")]).await;
    assert_eq!(desk.tools.made().len(), 3);
    assert!(desk.text().contains("LIMIT_EXCEEDED"));
}

#[tokio::test(start_paused = true)]
async fn the_note_is_written_once_for_a_round_and_once_for_a_call() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls: 100, turn_bytes: usize::MAX, ..Limits::default() };
    let round = |first: usize| {
        (first..first + 20).fold(Script::new().text("On."), |script, number| {
            call(script, "vault_read", &number.to_string())
        })
    };
    let before = *desk.notebook.changes().borrow();
    let (ended, _) = desk.turn([round(0), round(20), round(40), Script::new().text("Done.")]).await;
    let writes = *desk.notebook.changes().borrow() - before;
    assert_eq!(ended, Ended::Answered);
    // A placeholder and an end for each of four responses, and a result for each of sixty calls.
    assert_eq!(writes, 4 * 2 + 60);
}

/// Tools that take a second, and count how many run at once.
#[derive(Default)]
struct Slow {
    inner: CountingTools,
    now: AtomicUsize,
    most: AtomicUsize,
    beside_write: AtomicUsize,
}

impl Tools for Slow {
    fn tools(&self) -> Vec<Tool> {
        self.inner.tools()
    }

    fn carried_calls(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried> {
        self.inner.carried_calls(tool, arguments)
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            if call.tool == "vault.append" {
                self.beside_write.fetch_max(self.now.load(Ordering::SeqCst) - 1, Ordering::SeqCst);
            }
            self.now.fetch_sub(1, Ordering::SeqCst);
            self.inner.call(call).await
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn reads_run_together_and_writes_alone() {
    for (parallel, seconds) in [(4, 2 + 1 + 1), (1, 5 + 1 + 1)] {
        let mut desk = Desk::with(ASK);
        desk.settings.limits.parallel_reads = parallel;
        desk.settings.allowed_writes = ["vault.append".to_owned()].into();
        let reads = ["a", "b", "c", "d", "e"]
            .iter()
            .fold(Script::new(), |script, path| call(script, "vault_read", path));
        let script = call(call(reads, "vault_append", "f"), "vault_read", "g");
        let tools = Arc::new(Slow::default());
        let model = Arc::new(ScriptedModel::new([script, Script::new().text("Done.")]));
        let began = tokio::time::Instant::now();
        let ended = desk.conversation_with(model, tools.clone()).turn(TurnOptions::default()).await;
        assert_eq!(ended.unwrap(), Ended::Answered);
        assert_eq!(tools.most.load(Ordering::SeqCst), parallel);
        assert_eq!(tools.beside_write.load(Ordering::SeqCst), 0);
        assert_eq!(began.elapsed().as_secs(), seconds);
    }
}

#[tokio::test(start_paused = true)]
async fn a_note_may_have_any_number_of_calls_and_only_narrows_limits() {
    let mut desk = Desk::with("---\nchat-calls: 1000\nchat-rounds: 1000\n---\nRead.\n");
    desk.settings.limits = Limits { calls: 3, calls_per_note: None, ..Limits::default() };
    let reads = |from: u32| {
        (from..from + 4)
            .fold(Script::new(), |script, path| call(script, "vault_read", &path.to_string()))
    };
    let (ended, _) = desk.turn([reads(0), Script::new().text("So far.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Limited(Limit::Calls), 3));
    desk.settings.limits.calls = 300;
    desk.settings.limits.calls_per_note = Some(5);
    desk.notebook.edit(NOTE, |text| text.to_owned() + "More.\n");
    desk.turn([reads(10), Script::new().text("So far.")]).await;
    assert_eq!(desk.tools.made().len(), 4, "there were four calls in the note");
    desk.settings.limits.calls_per_note = None;
    desk.notebook.edit(NOTE, |text| text.to_owned() + "More.\n");
    let (ended, _) = desk.turn([reads(20), Script::new().text("All.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 8));
}

/// A model whose stream fails after the end of its response.
struct Contradictory;

impl Model for Contradictory {
    fn name(&self) -> &'static str {
        "contradictory"
    }

    fn ask(&self, _: Request) -> BoxStream<'_, Result<Event, ModelError>> {
        let wanted =
            WantedCall { name: "vault_read".to_owned(), arguments: json!({ "path": "a" }) };
        let end = End { calls: vec![wanted], stop: Stop::Calls, ..End::default() };
        stream::iter([Ok(Event::End(end)), Err(ModelError::permanent("overloaded"))]).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_after_the_end_counts() {
    let desk = Desk::with(ASK);
    let ended = desk.conversation(Arc::new(Contradictory)).turn(TurnOptions::default()).await;
    assert_eq!(ended.unwrap(), Ended::Failed("overloaded".to_owned()));
    assert!(desk.tools.made().is_empty());
}
