//! Lock files: the tools of another MCP server as someone has approved them. What they must look like is decided by
//! `toolwrit-upstreams`, which writes them; here they say what the operations of the manifest can be bound to.

use serde_json::{Map, Value};

use crate::diagnostics::Report;
use crate::injection::{Suspicion, suspicions};
use crate::yaml;

/// The formats that have the tools in the same way.
const FORMATS: [u32; 2] = [1, 2];

/// A lock file of a provider.
#[derive(Debug)]
pub(crate) struct LockFile {
    /// Its path relative to the folder of the root file.
    pub(crate) path: String,
    /// The tools, by their names; `None` if they cannot be read, which is reported.
    pub(crate) tools: Option<Vec<LockedTool>>,
}

/// A tool as it was approved.
#[derive(Debug)]
pub(crate) struct LockedTool {
    pub(crate) name: String,
    /// Its entry in `tools/list`.
    json: Map<String, Value>,
}

impl LockedTool {
    /// What is worth a look in its texts.
    pub(crate) fn suspicions(&self) -> Vec<Suspicion> {
        suspicions(&self.json)
    }

    /// Whether its annotations say this.
    pub(crate) fn is_annotated(&self, hint: &str, value: bool) -> bool {
        let annotations = self.json.get("annotations");
        annotations.and_then(|all| all.get(hint)) == Some(&Value::Bool(value))
    }

    fn schema(&self) -> Option<&Map<String, Value>> {
        self.json.get("inputSchema")?.as_object()
    }

    /// The schemas of its arguments.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.schema().and_then(|schema| schema.get("properties")?.as_object());
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The names of the arguments that it requires.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.schema().and_then(|schema| schema.get("required")?.as_array());
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether it takes arguments besides those that it names.
    pub(crate) fn is_open(&self) -> bool {
        let Some(schema) = self.schema() else { return true };
        match schema.get("additionalProperties") {
            Some(others) => *others != Value::Bool(false),
            // A schema that is made of parts has its arguments there.
            None => ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"]
                .iter()
                .any(|key| schema.contains_key(*key)),
        }
    }
}

/// Reads the tools of a lock file. The error says why it is not one.
pub(crate) fn tools(text: &str) -> Result<Vec<LockedTool>, String> {
    // Nobody sees the texts of tools but those who approve them, so that they may contain anything.
    let mut ignored = Report::default();
    let parsed = yaml::parse(0, text, &mut ignored).and_then(|node| node.to_value());
    let Some(Value::Object(file)) = parsed else { return Err("it is not YAML".to_owned()) };
    if !FORMATS.iter().any(|format| file.get("format") == Some(&Value::from(*format))) {
        return Err("it has neither `format: 1` nor `format: 2`".to_owned());
    }
    let Some(Value::Object(tools)) = file.get("tools") else {
        return Err("it has no `tools`".to_owned());
    };
    let tool = |(name, entry): (&String, &Value)| {
        let json = entry.get("tool")?.as_object()?.clone();
        let is_named = json.get("name").and_then(Value::as_str) == Some(name);
        is_named.then(|| LockedTool { name: name.clone(), json })
    };
    tools
        .iter()
        .map(|entry| tool(entry).ok_or_else(|| format!("`{}` is not a tool", entry.0)))
        .collect()
}
