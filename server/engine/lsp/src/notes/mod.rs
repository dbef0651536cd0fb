//! Notes whose blocks call operations.

mod check;
mod completion;
mod hover;
mod run;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use toolwrit_chat::conversation::Consent;
use toolwrit_chat::converse::Operations;
use toolwrit_chat::format::{CallFence, Document};
use toolwrit_chat::tools::{Tool, Tools as _};
use toolwrit_core::authority::Operation;
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::Policy;
use toolwrit_mcp::endpoint::{Endpoint, Engine, Request};
use toolwrit_mcp::surface::SurfaceOptions;

use crate::outline::{Entry, Step, entries};
pub(crate) use run::Asking;

/// Runs the block with this number, from 1, of the note at a path, and says what became of it.
pub type Run = dyn Fn(&Path, usize, Arc<dyn Consent>) -> Result<String, String> + Send + Sync;

/// The operations that blocks of notes call.
pub struct Notes {
    /// What the user may call.
    endpoint: Endpoint,
    /// What blocks may call.
    blocks: Endpoint,
    operations: Operations,
    tools: Vec<Tool>,
    pub(crate) run: Option<Box<Run>>,
}

/// A fence of a note that calls an operation, with its YAML.
pub(crate) struct Block<'t> {
    pub(crate) fence: CallFence,
    pub(crate) yaml: &'t str,
}

impl Notes {
    /// Operations that can be found, described and checked. `policy` is what the user may call, `blocks` is what the blocks
    /// of notes may. Without `run` no block can be run.
    #[must_use]
    pub fn new(
        engine: &Arc<Engine>,
        policy: Policy,
        blocks: Policy,
        run: Option<Box<Run>>,
    ) -> Self {
        let endpoint = |policy| Endpoint::new(engine.clone(), policy, SurfaceOptions::default());
        let (endpoint, blocks) = (endpoint(policy), endpoint(blocks));
        let operations = Operations::new(blocks.calls(Request::default()), "");
        let tools = operations.tools();
        Self { endpoint, blocks, operations, tools, run }
    }

    /// The names of fences that call operations, beside the general one.
    fn categories(&self) -> Vec<&str> {
        self.endpoint
            .policy
            .tables()
            .categories
            .iter()
            .map(|category| category.name.as_str())
            .collect()
    }

    /// The fences of a note that call operations.
    pub(crate) fn blocks<'t>(&self, text: &'t str) -> Vec<Block<'t>> {
        let fences = Document::parse(text).call_fences(&self.categories());
        let block = |fence: CallFence| Some(Block { yaml: text.get(fence.body.clone())?, fence });
        fences.into_iter().filter_map(block).collect()
    }

    /// The operation that a block names, in whichever way.
    fn find_operation(&self, block: &Block<'_>) -> Option<&Operation> {
        let name = block.tool()?;
        let policy = &self.endpoint.policy;
        let within = block.fence.category.as_ref().map(|category| format!("{category}.{name}"));
        let found = within.and_then(|name| policy.tables().lookup(&name));
        let index = usize::from(found.or_else(|| policy.tables().lookup(name))?.operation);
        policy.knows(index).then(|| &*policy.tables().operations[index])
    }
}

impl Block<'_> {
    fn tool(&self) -> Option<&str> {
        let entries = entries(self.yaml);
        let entry = entries.into_iter().find(|entry| is_tool(&entry.path))?;
        self.yaml.get(entry.value).filter(|name| !name.is_empty())
    }

    /// Where something of its YAML is in the note.
    fn range_in_note(&self, part: &Range<usize>) -> Range<usize> {
        let start = self.fence.body.start;
        start + part.start..start + part.end
    }

    /// The entry for a JSON pointer, or for the nearest collection around it; the name of the operation if there is none.
    fn find_entry(&self, pointer: &str) -> Option<Entry> {
        let entries = entries(self.yaml);
        let names: Vec<String> = pointer
            .split('/')
            .skip(1)
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        let fits = |path: &[Step]| {
            path.len() <= names.len()
                && path.iter().zip(&names).all(|(step, name)| match step {
                    Step::Key(key) => key == name,
                    Step::Item(at) => *name == at.to_string(),
                })
        };
        let around = entries.iter().filter(|entry| fits(&entry.path));
        let nearest = around.max_by_key(|entry| entry.path.len());
        nearest.or_else(|| entries.iter().find(|entry| is_tool(&entry.path))).cloned()
    }
}

fn is_tool(path: &[Step]) -> bool {
    matches!(path, [Step::Key(key)] if key == "tool")
}

/// The schema of an operation's arguments.
fn parameters(operation: &Operation) -> Value {
    parse_row_text(&operation.input_schema)
}
