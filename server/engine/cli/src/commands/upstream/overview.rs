//! `upstream list`: what is decided about each upstream, and its state in each process that serves it.

use serde_json::{Value, json};

use super::served::file;
use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::Program;
use toolwrit_gateway::upstreams::{Approval, Approvals, UpstreamSettings, processes};

const COLUMNS: [&str; 6] = ["upstream", "state", "tools", "process", "live", "place"];

/// An upstream of the list.
struct Entry<'a> {
    name: &'a str,
    location: String,
    decision: Decision,
    /// What processes tell of it, each with what it tells of itself.
    live: Vec<(&'a Value, &'a Value)>,
}

pub(super) fn list(program: &Program, json: bool) -> Result<(), Exit> {
    let approvals = Approvals::beside(&file(program)?);
    let processes = processes(&approvals);
    let entries = program.config.upstreams().iter().map(|settings| Entry {
        name: &settings.name,
        location: settings.location().brief(),
        decision: state(settings, &approvals),
        live: live(&processes, &settings.name),
    });
    let entries: Vec<Entry<'_>> = entries.collect();
    if json {
        let entries: Vec<Value> = entries.iter().map(as_json).collect();
        return output::print_json(&json!({ "upstreams": entries }));
    }
    if entries.is_empty() {
        output::print_message(
            "The configuration has no upstreams. `upstream add` lists servers to add.",
        );
        return Ok(());
    }
    let columns = COLUMNS.map(|name| (name, Align::Left));
    let rows: Vec<Vec<String>> = entries.iter().flat_map(rows).collect();
    output::print(&table(&columns, &rows))?;
    for Entry { name, decision, .. } in &entries {
        if let Some(reason) = &decision.reason {
            output::print_message(&format!("{name} is {}: {reason}.", decision.state));
        }
    }
    Ok(())
}

/// What processes tell of an upstream.
fn live<'a>(processes: &'a [Value], name: &str) -> Vec<(&'a Value, &'a Value)> {
    let told = processes.iter().flat_map(|process| {
        process["upstreams"].as_array().into_iter().flatten().map(move |told| (process, told))
    });
    told.filter(|(_, told)| told["name"] == name).collect()
}

/// A row for each process that serves an upstream, or one.
fn rows(entry: &Entry<'_>) -> Vec<Vec<String>> {
    let Entry { name, location, decision, live } = entry;
    let row = |process: String, state: String| {
        let tools = decision.tools.to_string();
        vec![(*name).to_owned(), decision.state.to_owned(), tools, process, state, location.clone()]
    };
    if live.is_empty() {
        return vec![row("-".to_owned(), "-".to_owned())];
    }
    let told = live.iter().map(|(process, told)| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let process = format!("{} {}", process["pid"], text(&process["door"]));
        let failures = told["failures"].as_u64().filter(|many| *many > 0);
        let failures = failures.map(|many| format!(", {many} failed")).unwrap_or_default();
        let live = format!("{}, {} calls{failures}", text(&told["state"]), told["calls"]);
        row(process, live)
    });
    told.collect()
}

fn as_json(entry: &Entry<'_>) -> Value {
    let Entry { name, location, decision: Decision { state, reason, tools }, live } = entry;
    let processes = live.iter().map(|(process, told)| {
        let mut told = (*told).clone();
        if let Some(told) = told.as_object_mut() {
            told.remove("name");
            for key in ["pid", "door", "version"] {
                told.insert(key.to_owned(), process[key].clone());
            }
        }
        told
    });
    let processes: Vec<Value> = processes.collect();
    json!({
        "name": name, "place": location, "state": state, "reason": reason, "tools": tools,
        "processes": processes,
    })
}

/// What the operator has decided about an upstream.
struct Decision {
    state: &'static str,
    /// Why the approval cannot be used.
    reason: Option<String>,
    /// The number of approved tools.
    tools: usize,
}

fn state(settings: &UpstreamSettings, approvals: &Approvals) -> Decision {
    let approval = approvals.approval(settings);
    let tools = approval.lock().map_or(0, |lock| lock.names().count());
    let (state, reason) = match approval {
        Approval::Missing => ("held", None),
        Approval::Elsewhere(_, why) => ("held", Some(why)),
        Approval::Broken(why) => ("broken", Some(why)),
        Approval::Approved(_) => ("approved", None),
    };
    let state = match state {
        _ if !settings.is_enabled => "not enabled",
        _ if approvals.is_off(&settings.name) => "off",
        state => state,
    };
    Decision { state, reason, tools }
}
