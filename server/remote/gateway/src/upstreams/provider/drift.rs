//! How the tools of an upstream differ from those that were approved.

use toolwrit_upstreams::{Change, Lock, Verdict};

/// Tools that are named in one sentence at most.
const NAMED: usize = 10;

/// How the tools differ from the approved ones, as sentences.
pub(super) fn drift(name: &str, program: &str, lock: &Lock, verdict: &Verdict) -> Vec<String> {
    let named = |which: fn(&Change) -> bool| {
        let changes = verdict.changes.iter().filter(|(_, change)| which(change));
        let tools: Vec<&str> = changes.map(|(tool, _)| tool.as_str()).collect();
        let more = tools.len().saturating_sub(NAMED);
        let list = tools.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        (!tools.is_empty()).then(|| format!("{list}{rest}"))
    };
    let see = format!("`{program} upstream diff {name}` shows the changes");
    let contract = named(|change| matches!(change, Change::Contract(_)))
        .map(|tools| format!("The schemas or annotations of {tools} of `{name}` have changed since they were approved, so they are not offered; {see}."));
    let gone = named(|change| matches!(change, Change::Gone(_)))
        .map(|tools| format!("`{name}` no longer has {tools}."));
    let new = named(|change| *change == Change::New)
        .map(|tools| format!("`{name}` has new tools, which are not offered: {tools}; {see}."));
    let text = named(|change| matches!(change, Change::Text(_))).map(|tools| {
        format!(
            "The texts of {tools} of `{name}` have changed; the approved ones are shown; {see}."
        )
    });
    let none = (lock.names().next().is_none()).then(|| format!("`{name}` has no approved tools."));
    [contract, gone, new, text, none].into_iter().flatten().collect()
}
