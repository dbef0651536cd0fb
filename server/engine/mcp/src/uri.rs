//! URI templates, RFC 6570 level 1: matches a URI and extracts the values of the variables.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::{Map, Value};

/// A template, compiled for matching.
#[derive(Debug)]
pub(crate) struct Template {
    /// Has one group for each variable, in order.
    pattern: Regex,
    variables: Vec<String>,
}

impl Template {
    /// `None` for a template that is not well formed. Validation of the manifest refuses such a template.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let mut pattern = "^".to_owned();
        let mut variables = Vec::new();
        let mut rest = uri;
        while let Some((literal, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            pattern.push_str(&regex::escape(literal));
            // An expanded value has no reserved character: a slash in it is `%2F`. Expressions of higher levels, which
            // only providers have, may expand to anything.
            let is_simple = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            pattern.push_str(if is_simple { "([^/?#]+?)" } else { "(.*?)" });
            variables.push(name.to_owned());
            rest = after;
        }
        pattern.push_str(&regex::escape(rest));
        pattern.push('$');
        Some(Self { pattern: Regex::new(&pattern).ok()?, variables })
    }

    /// Returns the decoded values of the variables; `None` if the URI does not match.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String, Value>> {
        let found = self.pattern.captures(uri)?;
        let values = found.iter().skip(1).flatten().map(|value| {
            percent_decode_str(value.as_str()).decode_utf8().ok().map(Cow::into_owned)
        });
        let values = self.variables.iter().zip(values);
        values.map(|(name, value)| Some((name.clone(), value?.into()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Template;

    fn matched(template: &str, uri: &str) -> Option<Value> {
        Template::parse(template).unwrap().matches(uri).map(Value::Object)
    }

    #[test]
    fn variables_are_decoded_and_end_at_reserved_characters() {
        let notes = "vault://notes/{path}.{kind}";
        let good = [
            ("vault://notes/a.md", json!({"path": "a", "kind": "md"})),
            ("vault://notes/a.b.md", json!({"path": "a", "kind": "b.md"})),
            ("vault://notes/caf%C3%A9%2Fx.md", json!({"path": "caf\u{e9}/x", "kind": "md"})),
            ("vault://notes/caf\u{e9}.md", json!({"path": "caf\u{e9}", "kind": "md"})),
        ];
        for (uri, values) in good {
            assert_eq!(matched(notes, uri), Some(values), "{uri}");
        }
        let bad = ["vault://notes/a/b.md", "vault://notes/.md", "vault://notes/%ff.md", "", "x"];
        for uri in bad {
            assert_eq!(matched(notes, uri), None, "{uri}");
        }
    }

    #[test]
    fn an_expression_of_a_higher_level_matches_anything() {
        let file = Template::parse("file://{+path}{?line}").unwrap();
        assert!(file.matches("file:///a/b.txt?line=3").is_some());
        assert!(file.matches("http://a").is_none());
    }

    #[test]
    fn a_template_without_variables_matches_only_itself() {
        assert_eq!(matched("test://a.b", "test://a.b"), Some(json!({})));
        assert_eq!(matched("test://a.b", "test://axb"), None);
    }
}
