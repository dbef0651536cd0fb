//! Texts that order models about. A description says what an operation does; one that says what a model must do, or must
//! hide, is how a tool takes over a conversation.

use std::sync::LazyLock;

use regex::Regex;
use toolwrit_text::visible::escaped;

use crate::diagnostics::{Place, Problem, Report};

/// What such texts say, each with its expressions.
#[expect(clippy::expect_used, reason = "constant expressions, compiled by a test")]
static ORDERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let expressions = [
        r"(?i)\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|earlier|above|your)\b.{0,30}\b(instructions?|rules?|prompts?|guidelines?|tools?)\b",
        r"(?i)\b(ignore|disregard|forget|override)\b.{0,20}\b(other|all|any|every)\b.{0,20}\b(instructions?|prompts?|guidelines?)\b",
        r"(?i)\b(do not|don't|never|without)\b.{0,10}\b(tell|inform|notify|telling|informing|notifying|ask|asking) (the |any )?users?\b",
        r"(?i)\b(do not|don't|never) (mention|reveal|show|display)\b.{0,30}\bto (the |any )?users?\b",
        r"(?i)\b(do not|don't|never|without) (tell|telling|mention|mentioning|reveal|revealing)\b",
        r"(?i)\bthe users? (must|should) not (know|notice|learn|see|find out|be (told|informed|notified|asked))\b",
        r"(?i)\b(always|must|should|have to|need to)\b.{0,30}\b(call|use|invoke|run|execute) (this|it)\b.{0,30}\b(first|before (any|every|all|each|using|calling|answering|other|you))\b",
        r"(?i)\bbefore (using|calling|running|invoking|you (use|call|run)) (any|every|all|this|another|other|the other)\b.{0,30}\btools?\b",
        r"(?i)\b(instead of|rather than|in place of|prefer(red)? (over|to)) (using |calling )?((any|all|every|the|other) ){1,3}tools?\b",
        r"(?i)\b(see|read|reveal|print|repeat|follow|ignore|obey|include)\b.{0,20}\b(system|developer) (prompt|message)\b",
        r"(?i)<\s*/?\s*(important|system|instructions?|secret|admin|critical)\s*>",
        r"(?i)\byou (are now|must now|have to obey)\b",
        r"(?i)\byou (must|will) (always|never|only) (call|use|answer|reply|respond|say|obey|follow)\b",
        r"(?i)\b(send|forward|copy|include|attach|pass|append|read)\b.{0,60}(~/|\.ssh\b|\.env\b|id_rsa|mcp\.json|\b(conversation|chat) history\b)",
        r"(?i)\b(send|forward|copy|include|attach|pass|append) (your|the user's|all|any|stored|saved) (passwords|credentials|private keys?)\b",
    ];
    expressions.map(|expression| Regex::new(expression).expect("a valid expression")).into()
});

/// The part of a text that orders models about, on one line.
pub(crate) fn find(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    ORDERS.iter().find_map(|order| Some(order.find(&line)?.as_str().to_owned()))
}

/// Warns of a text that orders models about.
pub(crate) fn check(what: &str, text: &str, place: Place, report: &mut Report) {
    if let Some(words) = find(text) {
        let words = escaped(words);
        report.push(
            Problem::warning(place, format!("{what} may give orders to models: `{words}`"))
                .expected("what it does, and for which requests")
                .help("leave these words out; if another server wrote them, serve it only if you trust it"),
        );
    }
}
