//! Others edit the note while a model speaks. Nothing of theirs is lost.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use toolwrit_chat::conversation::{Ended, TurnOptions};
use toolwrit_chat::format::Document;
use toolwrit_chat::notebook::{MemoryNotebook, NotebookError};
use toolwrit_chat::provider::Script;

use crate::desk::{Desk, NOTE, call};

const ASK: &str = "What?\n";

/// Someone edits after the words so far are in the note.
fn edit(
    desk: &Desk,
    script: Script,
    edit: impl Fn(&str) -> String + Send + Sync + Clone + 'static,
) -> Script {
    let notebook = Arc::clone(&desk.notebook);
    script.then_do(move || {
        let (notebook, edit) = (Arc::clone(&notebook), edit.clone());
        async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            notebook.edit(NOTE, |text| edit(text));
        }
    })
}

#[tokio::test(start_paused = true)]
async fn edits_above_and_below_stay() {
    let desk = Desk::with(ASK);
    let script = edit(&desk, Script::new().text("One"), |text| format!("Above.\n{text}Below.\n"));
    let script = edit(&desk, script.text(" two"), |text| text.replace("Above.", "Above!"));
    let (ended, _) = desk.turn([script.text(" three.")]).await;
    assert_eq!(ended, Ended::Answered);
    insta::assert_snapshot!(desk.text());
}

#[tokio::test(start_paused = true)]
async fn edits_within_the_answer_stay_and_the_answer_goes_on_below() {
    let desk = Desk::with(ASK);
    let script = edit(&desk, Script::new().text("One"), |text| {
        text.replace("> One", "> One, or so\n> my remark")
    });
    let (ended, _) = desk
        .turn([call(script.text(" two."), "vault_read", "a"), Script::new().text("Three.")])
        .await;
    assert_eq!(ended, Ended::Answered);
    insta::assert_snapshot!(desk.text());
}

#[tokio::test(start_paused = true)]
async fn words_are_inert_in_every_block_of_an_answer() {
    let desk = Desk::with(ASK);
    let script = edit(&desk, Script::new().text("<img src=a>"), |text| {
        text.replace("src=a>", "src=a> and my remark")
    });
    desk.turn([script.text(" <img src=b>")]).await;
    let text = desk.text();
    assert_eq!(text.matches("&lt;img src=").count(), 2, "{text}");
}

#[tokio::test(start_paused = true)]
async fn deleting_the_answer_cancels_and_deleting_the_note_ends() {
    let desk = Desk::with(ASK);
    let script = edit(&desk, Script::new().text("One"), |text| {
        text.split("> [!").next().unwrap().to_owned()
    });
    let (ended, _) = desk.turn([call(script.text(" two."), "vault_read", "a")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Cancelled, 0));
    assert_eq!(desk.text().trim(), "What?");

    let desk = Desk::with(ASK);
    let notebook = Arc::clone(&desk.notebook);
    let script = call(Script::new().text("One"), "vault_read", "a").then_do(move || {
        let notebook: Arc<MemoryNotebook> = Arc::clone(&notebook);
        async move { notebook.remove(NOTE) }
    });
    let (ended, _) = desk.try_turn([script], TurnOptions::default()).await;
    let gone = NotebookError::NotFound(NOTE.to_owned());
    assert_eq!(ended.unwrap_err().to_string(), gone.to_string());
    assert!(desk.tools.made().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_fence_that_someone_opens_meanwhile_does_not_lose_the_answer() {
    let desk = Desk::with(ASK);
    let script = edit(&desk, Script::new().text("One"), |text| format!("```\n{text}"));
    let (ended, _) = desk.turn([script.text(" two.")]).await;
    assert_eq!(ended, Ended::Answered);
    assert!(desk.text().contains("> One two."), "{}", desk.text());
}

#[tokio::test(start_paused = true)]
async fn the_line_ends_of_the_note_stay() {
    let desk = Desk::with("What?\r\n");
    let script = edit(&desk, Script::new().text("One\ntwo"), |text| text.to_owned() + "Below.\r\n");
    desk.turn([call(script.text(" three."), "vault_read", "a"), Script::new().text("Four.")]).await;
    let text = desk.text();
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    assert_eq!(Document::parse(&text).blocks().count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Two people write marks at random places of their own text while the model speaks and calls.
    #[test]
    fn nothing_of_two_people_is_lost(places in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let (text, answered) = runtime.block_on(async {
            let desk = Desk::with("First line.\n\nSecond line.\n\nThird line?\n");
            let mut script = Script::new();
            for (number, (place, second)) in places.iter().enumerate() {
                let (place, second) = (*place, *second);
                let mark = format!("[{}{number}]", if second { 'b' } else { 'a' });
                script = edit(&desk, script.text(&format!("w{number} ")), move |text| {
                    // A person writes in lines that are not ours.
                    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
                    let users: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].starts_with('>')).collect();
                    let at = users[place.index(users.len())];
                    lines[at].push_str(&mark);
                    lines.join("\n")
                });
            }
            let (ended, _) = desk.turn([call(script, "vault_read", "a"), Script::new().text("Done.")]).await;
            (desk.text(), ended == Ended::Answered)
        });
        prop_assert!(answered);
        for (number, (_, second)) in places.iter().enumerate() {
            let mark = format!("[{}{number}]", if *second { 'b' } else { 'a' });
            prop_assert_eq!(text.matches(&mark).count(), 1, "{} in {}", mark, text);
            let word = format!("w{number} ");
            prop_assert!(text.contains(word.trim_end()), "{} in {}", word, text);
        }
        prop_assert!(text.contains("> Done."));
    }
}
