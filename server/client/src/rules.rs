//! Which tools a context needs, of a server that does not know itself.

use toolwrit_retrieval::contexts::ContextRule;

/// A context, and the tools that are then relevant.
#[derive(Debug, Clone)]
pub struct ToolRule {
    pub(super) context: ContextRule,
    tools: Vec<String>,
}

impl ToolRule {
    /// Tools go by their names; `*` stands for any characters.
    pub fn new<T: Into<String>>(context: ContextRule, tools: impl IntoIterator<Item = T>) -> Self {
        Self { context, tools: tools.into_iter().map(Into::into).collect() }
    }

    pub(super) fn includes(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| fits(pattern, tool))
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        // The first place is as good as any: what follows has the most room.
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_characters() {
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
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("issue", "issue_create"),
            ("", "x"),
            ("a*a", "a"),
            ("a*b*b", "ab"),
            ("*x*", "abc"),
            ("issue_*", "my_issue_create"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
