//! Looking around without running anything: search, describe, discover, introspect, context. All
//! of it sees only what the policy shows.

use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::authority::{Category, Effect, Operation};
use crate::discovery::{detect, line};
use crate::fault::{Fault, Result};
use crate::slot::Slots;
use crate::suggest;

impl Endpoint {
    /// `search_tools`: signatures of the operations that fit, best first; without a query, all.
    pub(super) fn search(&self, mut slots: Slots) -> Result<Value> {
        let query: Option<String> = slots.take();
        let category: Option<String> = slots.take();
        let limit: i64 = slots.take();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        self.find(query.as_deref(), category.as_deref(), limit).map(|found| {
            let mut answer = Map::new();
            let lines: Vec<String> = found.operations.iter().map(|o| line(o)).collect();
            answer.insert("results".to_owned(), lines.into());
            if found.total > found.operations.len() {
                answer.insert("total".to_owned(), found.total.into());
            }
            if found.total == 0 {
                answer.insert("reason".to_owned(), "nothing_matches".into());
            }
            Value::Object(answer)
        })
    }

    /// The operations that fit a query within a category, best first.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see.
    pub(crate) fn find(
        &self,
        query: Option<&str>,
        category: Option<&str>,
        limit: usize,
    ) -> Result<Found> {
        let category = category.map(|name| self.category(name)).transpose()?;
        let within = |(_, operation): &(usize, &Operation)| {
            category.is_none_or(|category| usize::from(operation.category) == category)
        };
        let candidates: Vec<usize> = self.policy.visible().filter(within).map(|(i, _)| i).collect();
        let ranked = match query.map(str::trim).filter(|query| !query.is_empty()) {
            Some(query) => match self.exact(query).filter(|index| candidates.contains(index)) {
                Some(index) => vec![index],
                None => self.engine.index.rank(query, &candidates),
            },
            None => candidates,
        };
        let total = ranked.len();
        let operations = ranked.into_iter().take(limit);
        let operations = operations.map(|i| &self.engine.authority.operations[i]).collect();
        Ok(Found { operations, total })
    }

    /// A query that is a name needs no ranking.
    fn exact(&self, query: &str) -> Option<usize> {
        self.engine.authority.tool(query).map(|name| usize::from(name.operation))
    }

    fn category(&self, name: &str) -> Result<usize> {
        let categories = self.visible_categories();
        let found = categories.iter().find(|(_, c)| c.name == name || c.wire_name == name);
        found.map(|(index, _)| *index).ok_or_else(|| {
            let names: Vec<&str> = categories.iter().map(|(_, category)| category.name).collect();
            let short: String = name.chars().take(100).collect();
            Fault::validation(format!("There is no category `{short}`."))
                .at("/category")
                .expecting(names.join("|"))
                .got(short.clone())
                .did_you_mean(suggest::closest(name, names))
        })
    }

    fn visible_categories(&self) -> Vec<(usize, &'static Category)> {
        let operations: Vec<_> = self.policy.visible().map(|(_, operation)| operation).collect();
        let used = |index: usize| operations.iter().any(|o| usize::from(o.category) == index);
        let categories: &'static [Category] = self.engine.authority.categories;
        categories.iter().enumerate().filter(|(index, _)| used(*index)).collect()
    }

    /// `describe_tools`: everything about each operation named; unknown names are answered too.
    pub(crate) fn describe(&self, names: &[String]) -> Value {
        let mut tools = Vec::new();
        let mut missing = Vec::new();
        for name in names {
            let found = self.engine.authority.tool(name).map(|name| usize::from(name.operation));
            match found.ok_or_else(|| self.policy.not_found(name)).and_then(|index| {
                let hidden = !self.policy.knows(index);
                if hidden { Err(self.policy.not_found(name)) } else { Ok(index) }
            }) {
                Ok(index) => tools.push(self.card_of(index)),
                Err(fault) => missing.push(self.helpful(fault).to_json()["error"].take()),
            }
        }
        let mut answer = Map::new();
        answer.insert("tools".to_owned(), tools.into());
        if !missing.is_empty() {
            answer.insert("errors".to_owned(), missing.into());
        }
        Value::Object(answer)
    }

    fn card_of(&self, index: usize) -> Value {
        let operation = &self.engine.authority.operations[index];
        let mut card = Map::new();
        let mut add = |key: &str, value: Value| {
            if !matches!(&value, Value::Null) && value.as_array().is_none_or(|a| !a.is_empty()) {
                card.insert(key.to_owned(), value);
            }
        };
        add("id", operation.id.into());
        add("signature", operation.signature.into());
        add("summary", operation.summary.into());
        add("description", operation.description.into());
        add("effect", operation.effect.as_str().into());
        add("tool", self.surface.entrance(operation).into());
        if let Err(fault) = self.policy.admit(index) {
            add("unavailable", fault.message().into());
        }
        add("parameters", serde_json::from_str(operation.input_schema).unwrap_or_default());
        let examples = operation.examples.iter().filter_map(|example| {
            let args: Value = serde_json::from_str(example.args).ok()?;
            Some(match example.note {
                Some(note) => json!({"args": args, "note": note}),
                None => json!({ "args": args }),
            })
        });
        add("examples", examples.collect());
        add("aliases", operation.aliases.iter().map(|alias| Value::from(alias.name)).collect());
        if let Some(deprecated) = &operation.deprecated {
            add("deprecated", deprecated.replacement.map_or(true.into(), Value::from));
        }
        Value::Object(card)
    }

    /// `discover`: the operations by category, as names, signatures or schemas.
    pub(super) fn discover(&self, mut slots: Slots) -> Value {
        let category: Option<String> = slots.take();
        let detail: Option<Detail> = slots.take();
        let wanted = match category.as_deref().map(|name| self.category(name)).transpose() {
            Ok(wanted) => wanted,
            Err(fault) => return fault.to_json(),
        };
        // One category is short enough to show in full lines.
        let short = if wanted.is_some() { Detail::Signatures } else { Detail::Names };
        let detail = detail.unwrap_or(short);
        let mut answer = Map::new();
        for (index, category) in self.visible_categories() {
            if wanted.is_some_and(|wanted| wanted != index) {
                continue;
            }
            let operations =
                self.policy.visible().filter(|(_, o)| usize::from(o.category) == index);
            let entries = operations.map(|(at, operation)| match detail {
                Detail::Names => operation.name.into(),
                Detail::Signatures => line(operation).into(),
                Detail::Schemas => self.card_of(at),
            });
            answer.insert(category.name.to_owned(), entries.collect());
        }
        Value::Object(answer)
    }

    /// `introspect`: what this server is and what the caller may do.
    pub(super) fn introspect(&self) -> Value {
        let authority = self.engine.authority;
        let visible: Vec<_> = self.policy.visible().map(|(_, operation)| operation).collect();
        let categories = self.visible_categories().into_iter().map(|(index, category)| {
            let within = |o: &&&Operation| usize::from(o.category) == index;
            json!({
                "name": category.name,
                "summary": category.summary,
                "operations": visible.iter().filter(within).count(),
            })
        });
        let count = |effect: Effect| visible.iter().filter(|o| o.effect == effect).count();
        json!({
            "server": authority.server.name,
            "title": authority.server.title,
            "version": authority.server.version,
            "surface": self.surface.kind.as_str(),
            "split": self.surface.split.as_str(),
            "focus": self.policy.focus(),
            "role": self.policy.role(),
            "writes": self.policy.writes(),
            "categories": categories.collect::<Vec<_>>(),
            "operations": {
                "read": count(Effect::Read),
                "write": count(Effect::Write),
                "destroy": count(Effect::Destroy),
            },
        })
    }

    /// `context`: what a message is about, and the operations that it needs.
    pub(crate) fn context(&self, message: &str) -> Value {
        let found = detect(&self.policy, message);
        let tools: Vec<String> = found.operations.iter().map(|o| line(o)).collect();
        let (original, returned) = (found.visible, tools.len());
        let saved = 100 * (original - returned) / original.max(1);
        let mut answer = Map::new();
        answer.insert("contexts".to_owned(), found.contexts.into());
        answer.insert("tools".to_owned(), tools.into());
        answer.insert("originalCount".to_owned(), original.into());
        answer.insert("returnedCount".to_owned(), returned.into());
        answer.insert("reductionPercent".to_owned(), saved.into());
        if returned == 0 {
            answer.insert("reason".to_owned(), "no_context_detected".into());
        }
        Value::Object(answer)
    }
}

/// The outcome of a search.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) operations: Vec<&'static Operation>,
    /// How many fit, also beyond the limit.
    pub(crate) total: usize,
}

/// How much `discover` says of each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Names,
    Signatures,
    Schemas,
}

impl crate::slot::FromSlot for Detail {
    fn from_slot(slot: crate::slot::Slot) -> Self {
        [Detail::Names, Detail::Signatures, Detail::Schemas][crate::slot::choice(&slot)]
    }
}
