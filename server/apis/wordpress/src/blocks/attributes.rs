//! Attributes of blocks as WordPress writes them.

use indexmap::IndexMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Returns the attributes with some of them changed, as JSON; null removes one. Values that are not changed keep their
/// bytes. Empty if none is left, and `None` if `json` is not a JSON object.
pub(super) fn change_attributes(json: &str, changes: &Map<String, Value>) -> Option<String> {
    let old: IndexMap<String, Box<RawValue>> =
        if json.is_empty() { IndexMap::new() } else { serde_json::from_str(json).ok()? };
    let mut members: IndexMap<&str, String> =
        old.iter().map(|(name, value)| (name.as_str(), value.get().to_owned())).collect();
    for (name, value) in changes {
        if value.is_null() {
            members.shift_remove(name.as_str());
        } else {
            members.insert(name, escaped(&value.to_string()));
        }
    }
    if members.is_empty() {
        return Some(String::new());
    }
    let members = members
        .iter()
        .map(|(name, value)| format!("{}:{value}", escaped(&Value::from(*name).to_string())));
    Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

/// Escapes in JSON what must not stand in a comment, as WordPress does.
fn escaped(json: &str) -> String {
    json.replace("--", "\\u002d\\u002d")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace("\\\"", "\\u0022")
}
