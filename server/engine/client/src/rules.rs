//! Rules that select tools by context, for servers without the tool `context`.

use toolwrit_retrieval::contexts::ContextRule;

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
        self.tools.iter().any(|pattern| matches_pattern(pattern, tool))
    }
}

fn matches_pattern(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        // The first match is the best one: it leaves the longest rest.
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, name) in [
            ("issue_create", "issue_create"),
            ("*", ""),
            ("*", "anything"),
            ("issue_*", "issue_"),
            ("*_create", "issue_create"),
            ("*sue*te", "issue_create"),
            ("a*b*a", "abba"),
            ("**", "x"),
        ] {
            assert!(matches_pattern(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("issue", "issue_create"),
            ("", "x"),
            ("a*a", "a"),
            ("a*b*b", "ab"),
            ("*x*", "abc"),
            ("issue_*", "my_issue_create"),
        ] {
            assert!(!matches_pattern(pattern, name), "{pattern} {name}");
        }
    }
}
