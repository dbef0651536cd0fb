//! Rules that select tools by context, for servers without the tool `context`.

use toolwrit_retrieval::contexts::ContextRule;
use toolwrit_text::wildcard;

/// A context, and the tools relevant to it.
#[derive(Debug, Clone)]
pub struct ToolRule {
    pub(super) context: ContextRule,
    tools: Vec<String>,
}

impl ToolRule {
    /// Creates a rule. `tools` are names of tools, in which `*` matches any characters.
    pub fn new<T: Into<String>>(context: ContextRule, tools: impl IntoIterator<Item = T>) -> Self {
        Self { context, tools: tools.into_iter().map(Into::into).collect() }
    }

    pub(super) fn includes(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| wildcard::matches(pattern, tool))
    }
}
