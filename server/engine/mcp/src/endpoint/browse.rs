//! Queries that run no operation: describe, discover, introspect, context. They show only what the policy
//! shows.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Endpoint;
use super::engine::Prepared;
use super::search::check_length;
use crate::discovery::{Detection, detect, find_contexts, line};
use crate::surface::{ALL, PROVIDERS};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::builtin::{introspection, summary};
use toolwrit_core::fault::Result;
use toolwrit_core::json::written::parse_row_text;
use toolwrit_retrieval::contexts::Previous;

impl Endpoint {
    /// Answers `describe_tools`, as [`Self::describe`].
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the names are too long in all.
    pub(super) fn describe_some(&self, mut slots: ArgValues) -> Result<Value> {
        let names: Vec<String> = slots.take();
        check_length("tools", names.iter().map(String::len).sum())?;
        Ok(self.describe(&names))
    }

    /// Describes each named operation, and each named provider with its operations. Unknown names get an entry in
    /// `errors`.
    pub fn describe(&self, names: &[String]) -> Value {
        let mut tools = Vec::new();
        let mut missing = Vec::new();
        let mut providers = Map::new();
        for name in names {
            if self.tables().tool(name).is_none()
                && let Some(provider) = self.provider(name)
            {
                providers.insert(name.clone(), provider);
                continue;
            }
            let found = self.named_operations(name);
            if found.is_empty() {
                let fault = self.with_hint(self.policy.not_found(name));
                missing.push(fault.to_json()["error"].take());
            }
            tools.extend(found.into_iter().map(|index| self.descriptor_of(index)));
        }
        let mut answer = Map::new();
        if providers.is_empty() || !tools.is_empty() {
            answer.insert("tools".to_owned(), tools.into());
        }
        if !providers.is_empty() {
            answer.insert("plugins".to_owned(), providers.into());
        }
        if !missing.is_empty() {
            answer.insert("errors".to_owned(), missing.into());
        }
        Value::Object(answer)
    }

    /// Returns the positions of the operations that a name means: one, or those of a merged tool. Only those that exist
    /// for the caller.
    pub fn named_operations(&self, name: &str) -> Vec<usize> {
        let one = self.tables().lookup(name).map(|name| name.operation);
        let merged = self.tables().merged_tool(name).map_or(&[][..], |tool| &tool.operations);
        let positions =
            one.into_iter().chain(merged.iter().map(|merged_operation| merged_operation.operation));
        positions.map(usize::from).filter(|index| self.policy.knows(*index)).collect()
    }

    fn descriptor_of(&self, index: usize) -> Value {
        let operation = &self.tables().operations[index];
        let mut descriptor = Map::new();
        let mut add = |key: &str, value: Value| {
            if !matches!(&value, Value::Null) && value.as_array().is_none_or(|a| !a.is_empty()) {
                descriptor.insert(key.to_owned(), value);
            }
        };
        add("id", operation.id.as_str().into());
        add("signature", operation.signature.as_str().into());
        add("summary", operation.summary.as_str().into());
        add("description", operation.description.as_deref().into());
        add("effect", operation.effect.as_str().into());
        add("tool", self.surface.tool_for(self.tables(), operation).into());
        if let Err(fault) = self.policy.admit(index) {
            add("unavailable", fault.message().into());
        }
        add("parameters", parse_row_text(&operation.input_schema));
        let examples = operation.examples.iter().map(|example| {
            let args: Value = parse_row_text(&example.args);
            match &example.note {
                Some(note) => json!({"args": args, "note": note}),
                None => json!({ "args": args }),
            }
        });
        add("examples", examples.collect());
        let errors = self.tables().errors_of(operation).map(|error| {
            let mut entry = json!({"code": error.code, "summary": error.summary});
            if let Some(hint) = error.hint.as_deref() {
                entry["hint"] = hint.into();
            }
            entry["retryable"] = error.retryable.into();
            entry
        });
        add("errors", errors.collect());
        add(
            "aliases",
            operation.aliases.iter().map(|alias| Value::from(alias.name.as_str())).collect(),
        );
        if let Some(deprecated) = &operation.deprecated {
            add("deprecated", deprecated.replacement.as_deref().map_or(true.into(), Value::from));
        }
        Value::Object(descriptor)
    }

    /// Answers `discover`: the operations by category, as names, signatures or schemas. `plugins` is what
    /// providers add.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see.
    pub(super) fn discover(&self, mut slots: ArgValues) -> Result<Value> {
        let category: Option<String> = slots.take();
        let detail: Option<DiscoverDetail> = slots.take();
        let extent = self.extent(category.as_deref())?;
        // One category is short enough for a full line per operation.
        let short = match extent {
            Extent::Category(_) => DiscoverDetail::Signatures,
            Extent::Categories | Extent::All | Extent::Providers => DiscoverDetail::Names,
        };
        let detail = detail.unwrap_or(short);
        let mut answer = Map::new();
        if matches!(extent, Extent::All | Extent::Providers) {
            answer.insert(PROVIDERS.to_owned(), self.providers().into());
        }
        for (index, category) in self.visible_categories() {
            let is_wanted = match extent {
                Extent::Category(wanted) => wanted == index,
                Extent::Categories | Extent::All => true,
                Extent::Providers => false,
            };
            if !is_wanted {
                continue;
            }
            let operations =
                self.policy.visible().filter(|(_, o)| usize::from(o.category) == index);
            let entries = operations.map(|(at, operation)| match detail {
                DiscoverDetail::Names => operation.name.as_str().into(),
                DiscoverDetail::Signatures => line(operation, &[]).into(),
                DiscoverDetail::Schemas => self.descriptor_of(at),
            });
            answer.insert(category.name.clone(), entries.collect());
        }
        Ok(Value::Object(answer))
    }

    /// Reads the parameter `category` of `discover`. The name of a category precedes the words `all` and
    /// `plugins`.
    fn extent(&self, category: Option<&str>) -> Result<Extent> {
        let Some(name) = category else { return Ok(Extent::Categories) };
        match (self.category(name), name) {
            (Ok(index), _) => Ok(Extent::Category(index)),
            (Err(_), ALL) => Ok(Extent::All),
            (Err(_), PROVIDERS) => Ok(Extent::Providers),
            (Err(fault), _) => Err(fault.hinting(format!(
                "`{ALL}` lists every category and the plugins, `{PROVIDERS}` only the plugins."
            ))),
        }
    }

    /// Returns the server, the policy in force, and the number of operations that it leaves.
    pub(super) fn server_summary(&self) -> Map<String, Value> {
        let (surface, split) = (self.surface.kind.as_str(), self.surface.split().as_str());
        summary(&self.policy, surface, Some(split))
    }

    /// Answers `introspect`, as the operation of that name does.
    pub(super) fn introspect(&self) -> Value {
        introspection(&self.policy, self.server_summary(), self.engine.facts(&self.policy))
    }

    /// Answers `context`: the contexts of a message, and the operations relevant to them. Without a message,
    /// everything that the caller may use.
    ///
    /// # Errors
    /// As [`Self::detect`].
    pub(super) fn context(&self, mut slots: ArgValues) -> Result<Value> {
        let message: Option<String> = slots.take();
        let previous: BTreeMap<String, f64> = slots.take();
        if message.is_none() && previous.is_empty() {
            return Ok(self.dump().to_json());
        }
        let message = message.unwrap_or_default();
        let found = self.detect(&message, &previous.into_iter().collect())?;
        let tools: Vec<String> = found.operations.iter().map(|o| line(o, &[])).collect();
        Ok(found.answer("tools", tools.into()))
    }

    /// Detects the contexts of a message, and the visible operations relevant to them.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the message is too long.
    pub fn detect(&self, message: &str, previous: &Previous) -> Result<Detection<'_>> {
        check_length("message", message.len())?;
        let Prepared { contexts, indexes, .. } = &*self.prepared;
        Ok(detect(&self.policy, contexts, indexes, message, previous))
    }

    /// Returns the contexts that a text names, separated by commas, and their visible operations.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the text is too long.
    pub(super) fn named_contexts(&self, text: &str) -> Result<Detection<'_>> {
        check_length("context", text.len())?;
        Ok(find_contexts(&self.policy, text))
    }
}

/// What `discover` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Every category.
    Categories,
    /// The category at this position.
    Category(usize),
    /// Every category, and what providers add.
    All,
    /// What providers add.
    Providers,
}

/// How much `discover` shows of each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiscoverDetail {
    Names,
    Signatures,
    Schemas,
}

impl toolwrit_core::arguments::value::FromArgValue for DiscoverDetail {
    fn from_slot(slot: toolwrit_core::arguments::value::ArgValue) -> Self {
        [DiscoverDetail::Names, DiscoverDetail::Signatures, DiscoverDetail::Schemas]
            [toolwrit_core::arguments::value::choice(&slot)]
    }
}
