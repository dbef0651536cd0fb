//! URI templates, RFC 6570 level 1: which of them a URI comes from, and with what values.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use regex::Regex;
use serde_json::{Map, Value};

/// A template, ready to be matched.
#[derive(Debug)]
pub(crate) struct Template {
    /// A group for each variable, in their order.
    pattern: Regex,
    variables: Vec<String>,
}

impl Template {
    /// `None` for a template that is not well formed, which the macro refuses.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let mut pattern = "^".to_owned();
        let mut variables = Vec::new();
        let mut rest = uri;
        while let Some((literal, behind)) = rest.split_once('{') {
            let (name, behind) = behind.split_once('}')?;
            pattern.push_str(&regex::escape(literal));
            // An expanded value has no reserved character: a slash in it is `%2F`.
            pattern.push_str("([^/?#]+?)");
            variables.push(name.to_owned());
            rest = behind;
        }
        pattern.push_str(&regex::escape(rest));
        pattern.push('$');
        Some(Self { pattern: Regex::new(&pattern).ok()?, variables })
    }

    /// The values of the variables, decoded; `None` when the URI is not one of this template.
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
    fn variables_are_decoded_and_end_at_what_is_reserved() {
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
    fn a_uri_without_variables_is_itself() {
        assert_eq!(matched("test://a.b", "test://a.b"), Some(json!({})));
        assert_eq!(matched("test://a.b", "test://axb"), None);
    }
}
