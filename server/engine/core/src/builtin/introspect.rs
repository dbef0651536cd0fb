//! `introspect`: the server, and what the caller may do.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::authority::{Effect, Instance, Operation};
use crate::availability::ProviderStatus;
use crate::policy::Policy;

/// The most operations that are listed for one reason to withhold them.
const MOST_LISTED: usize = 50;

/// Returns the server, the policy in force, and the number of operations that it leaves.
pub fn summary(policy: &Policy, surface: &str, split: Option<&str>) -> Map<String, Value> {
    let tables = policy.tables();
    let server = &tables.server;
    let visible: Vec<&Operation> = policy.visible().map(|(_, operation)| operation).collect();
    let categories = tables.categories.iter().enumerate().filter_map(|(at, category)| {
        let count =
            visible.iter().filter(|operation| usize::from(operation.category) == at).count();
        let entry =
            || json!({"name": category.name, "summary": category.summary, "operations": count});
        (count > 0).then(entry)
    });
    let mut answer = Map::new();
    let mut add = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    add("server", server.name.as_str().into());
    add("title", server.title.as_deref().into());
    add("version", server.version.as_str().into());
    add("surface", surface.into());
    if let Some(split) = split {
        add("split", split.into());
    }
    add("focus", policy.focus().into());
    add("role", policy.role().into());
    add("writes", policy.writes().into());
    add("categories", categories.collect());
    add("operations", counts(visible.into_iter()));
    let known: Vec<Value> = policy.known_instances().map(|(_, known)| instance(known)).collect();
    if known.len() > 1 {
        add("instances", known.into());
    }
    answer
}

/// Returns what callers may know of one of several instances that the application serves.
fn instance(instance: &Instance) -> Value {
    let mut entry = json!({"name": instance.name, "writes": !instance.read_only});
    if let Some(focus) = &instance.focus {
        entry["focus"] = focus.as_str().into();
    }
    entry
}

/// Adds to a summary what is withheld and why, the providers, and what the application says about itself.
pub fn introspection(
    policy: &Policy,
    mut summary: Map<String, Value>,
    facts: Map<String, Value>,
) -> Value {
    summary.insert("withheld".to_owned(), withheld(policy));
    summary.insert("providers".to_owned(), providers(policy));
    let unmatched = if policy.is_operators() { policy.unmatched() } else { Vec::new() };
    if !unmatched.is_empty() {
        let warnings = unmatched.iter().map(|unmatched| Value::from(unmatched.to_string()));
        summary.insert("warnings".to_owned(), warnings.collect());
    }
    for (key, fact) in facts {
        summary.entry(key).or_insert(fact);
    }
    summary.into()
}

/// Returns how many operations there are, by effect.
pub(super) fn counts<'a>(operations: impl Iterator<Item = &'a Operation>) -> Value {
    let mut counts = Effect::ALL.map(|effect| (effect, 0));
    for operation in operations {
        for (effect, count) in &mut counts {
            *count += usize::from(*effect == operation.effect);
        }
    }
    let counts = counts.map(|(effect, count)| (effect.as_str().to_owned(), Value::from(count)));
    Value::Object(counts.into_iter().collect())
}

/// Returns the operations that exist for the caller but may not be used now, by reason.
fn withheld(policy: &Policy) -> Value {
    let mut reasons: BTreeMap<String, (usize, Vec<&str>)> = BTreeMap::new();
    for (index, operation) in policy.withheld() {
        if let Some(code) = policy.decide(index).code() {
            let (first, ids) =
                reasons.entry(code.to_string()).or_insert_with(|| (index, Vec::new()));
            *first = (*first).min(index);
            ids.push(&operation.id);
        }
    }
    let entry = |(reason, (first, ids)): (String, (usize, Vec<&str>))| {
        let mut entry = json!({"reason": reason, "count": ids.len()});
        if let Some(hint) =
            policy.admit(first).err().and_then(|fault| Some(fault.hint()?.to_owned()))
        {
            entry["remedy"] = hint.into();
        }
        entry["operations"] = ids.into_iter().take(MOST_LISTED).collect();
        entry
    };
    reasons.into_iter().map(entry).collect()
}

/// Returns the providers that exist for the caller, and whether each is available.
fn providers(policy: &Policy) -> Value {
    let tables = policy.tables();
    let known = tables.providers.iter().enumerate().filter(|(at, _)| policy.knows_provider(*at));
    let states = known.map(|(at, provider)| {
        let mut entry = json!({"name": provider.name, "title": provider.title});
        let unavailable = policy.providers().and_then(|providers| providers.unavailable(at));
        entry["available"] = unavailable.is_none().into();
        if let Some(why) = unavailable {
            entry["reason"] = why.reason.as_str().into();
            entry["remedy"] = why.remedy.into();
        }
        let status = policy.providers().and_then(|providers| providers.status(at));
        if let Some(version) = status.as_ref().and_then(|status| status.version()) {
            entry["version"] = version.into();
        }
        if let Some(instructions) = status.as_ref().and_then(ProviderStatus::instructions) {
            entry["instructions"] = instructions.into();
        }
        let problems = status.as_ref().map(ProviderStatus::problems).unwrap_or_default();
        if !problems.is_empty() {
            entry["problems"] = problems.into();
        }
        entry
    });
    states.collect()
}
