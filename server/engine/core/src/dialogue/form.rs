//! A form for the client's user, and the answer. MCP allows only flat forms of simple inputs, in a
//! [subset of JSON Schema].
//!
//! [subset of JSON Schema]: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation

use serde_json::{Map, Value, json};

/// A form for the client's user.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    message: String,
    inputs: Vec<(String, Input)>,
}

/// One input of a [`Form`].
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    schema: Map<String, Value>,
    kind: InputKind,
    required: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum InputKind {
    Text,
    Integer,
    Number,
    Boolean,
    One(Vec<String>),
    Many(Vec<String>),
}

/// How the user answered a [`Form`].
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// The user submitted the form. All required inputs are present, and each has the right type.
    Accepted(Map<String, Value>),
    /// The user declined.
    Declined,
    /// The user closed the form.
    Cancelled,
}

impl Form {
    /// Creates a form with a message. Without inputs, it asks to accept or decline.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), inputs: Vec::new() }
    }

    /// Reads a form of another server: its message, and its schema in the form of MCP. Returns `None` if the schema is not
    /// that of a flat form.
    pub fn parse(message: impl Into<String>, schema: &Value) -> Option<Self> {
        let no_names = Vec::new();
        let required = schema.get("required").map_or(Some(&no_names), Value::as_array)?;
        let properties = schema.get("properties")?.as_object()?;
        let inputs = properties.iter().map(|(name, schema)| {
            let input = Input::parse(schema)?;
            let is_required = required.iter().any(|listed| listed.as_str() == Some(name));
            Some((name.clone(), if is_required { input } else { input.optional() }))
        });
        Some(Self { message: message.into(), inputs: inputs.collect::<Option<_>>()? })
    }

    /// Adds an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>, input: Input) -> Self {
        self.inputs.push((name.into(), input));
        self
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn params(&self) -> Value {
        let schema = |(name, input): &(String, Input)| (name.clone(), input.schema.clone().into());
        let properties: Map<String, Value> = self.inputs.iter().map(schema).collect();
        let required = self.inputs.iter().filter(|(_, input)| input.required);
        let required: Vec<&str> = required.map(|(name, _)| name.as_str()).collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        json!({ "message": self.message, "requestedSchema": schema })
    }

    fn fits(&self, content: &Map<String, Value>) -> bool {
        self.inputs.iter().all(|(name, input)| match content.get(name) {
            Some(value) => input.fits(value),
            None => !input.required,
        })
    }

    /// Parses the client's reply; `None` if it does not fit the form.
    pub(super) fn read(&self, reply: &Value) -> Option<Answered> {
        match reply.get("action")?.as_str()? {
            "accept" => {
                let content = match reply.get("content") {
                    None | Some(Value::Null) => Map::new(),
                    Some(content) => content.as_object()?.clone(),
                };
                self.fits(&content).then_some(Answered::Accepted(content))
            }
            "decline" => Some(Answered::Declined),
            "cancel" => Some(Answered::Cancelled),
            _ => None,
        }
    }
}

impl Input {
    fn new(kind: InputKind, schema: Value) -> Self {
        let schema = if let Value::Object(schema) = schema { schema } else { Map::new() };
        Self { schema, kind, required: true }
    }

    fn parse(schema: &Value) -> Option<Self> {
        let kind = match schema.get("type")?.as_str()? {
            "string" => values(schema, "oneOf").map_or(InputKind::Text, InputKind::One),
            "integer" => InputKind::Integer,
            "number" => InputKind::Number,
            "boolean" => InputKind::Boolean,
            "array" => InputKind::Many(values(schema.get("items")?, "anyOf")?),
            _ => return None,
        };
        Some(Self::new(kind, schema.clone()))
    }

    /// A line of text.
    pub fn text() -> Self {
        Self::new(InputKind::Text, json!({ "type": "string" }))
    }

    /// A whole number.
    pub fn integer() -> Self {
        Self::new(InputKind::Integer, json!({ "type": "integer" }))
    }

    /// A number.
    pub fn number() -> Self {
        Self::new(InputKind::Number, json!({ "type": "number" }))
    }

    /// A checkbox.
    pub fn boolean() -> Self {
        Self::new(InputKind::Boolean, json!({ "type": "boolean" }))
    }

    /// One of these values.
    pub fn one_of(values: &[&str]) -> Self {
        Self::new(InputKind::One(owned(values)), json!({ "type": "string", "enum": values }))
    }

    /// One of these values, each with the title that the user sees.
    pub fn one_of_titled(values: &[(&str, &str)]) -> Self {
        let schema = json!({ "type": "string", "oneOf": titled(values) });
        Self::new(InputKind::One(first(values)), schema)
    }

    /// Any of these values.
    pub fn any_of(values: &[&str]) -> Self {
        let schema = json!({ "type": "array", "items": { "type": "string", "enum": values } });
        Self::new(InputKind::Many(owned(values)), schema)
    }

    /// Any of these values, each with the title that the user sees.
    pub fn any_of_titled(values: &[(&str, &str)]) -> Self {
        let schema = json!({ "type": "array", "items": { "anyOf": titled(values) } });
        Self::new(InputKind::Many(first(values)), schema)
    }

    /// Makes the input optional.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Sets the label of the input.
    #[must_use]
    pub fn title(self, text: &str) -> Self {
        self.keyword("title", text)
    }

    /// Sets the text that explains the input.
    #[must_use]
    pub fn description(self, text: &str) -> Self {
        self.keyword("description", text)
    }

    /// Sets the initial value.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.keyword("default", value)
    }

    /// Sets any other keyword that MCP allows in the schema of an input: `format`, `minimum`, `maxLength`,
    /// `enumNames` and the like. The engine does not check answers against it.
    #[must_use]
    pub fn keyword(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    fn fits(&self, value: &Value) -> bool {
        let among = |values: &[String], value: &Value| {
            value.as_str().is_some_and(|text| values.iter().any(|value| value == text))
        };
        match &self.kind {
            InputKind::Text => value.is_string(),
            InputKind::Integer => value.is_i64() || value.is_u64(),
            InputKind::Number => value.is_number(),
            InputKind::Boolean => value.is_boolean(),
            InputKind::One(values) => among(values, value),
            InputKind::Many(values) => {
                value.as_array().is_some_and(|items| items.iter().all(|item| among(values, item)))
            }
        }
    }
}

/// The values that a schema allows: those of `enum`, or the constants of its alternatives.
fn values(schema: &Value, alternatives: &str) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match (schema.get("enum"), schema.get(alternatives)) {
        (Some(Value::Array(values)), _) => values.iter().map(text).collect(),
        (None, Some(Value::Array(all))) => {
            all.iter().map(|alternative| text(alternative.get("const")?)).collect()
        }
        _ => None,
    }
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn first(values: &[(&str, &str)]) -> Vec<String> {
    values.iter().map(|(value, _)| (*value).to_owned()).collect()
}

fn titled(values: &[(&str, &str)]) -> Value {
    values.iter().map(|(value, title)| json!({ "const": value, "title": title })).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Answered, Form, Input};

    #[test]
    fn a_form_of_another_server_is_read_as_it_was_written() {
        let form = Form::new("Which?")
            .input("one", Input::one_of_titled(&[("a", "A")]))
            .input("two", Input::one_of(&["x", "y"]).optional())
            .input("many", Input::any_of(&["x", "y"]).title("Many"))
            .input("text", Input::text().keyword("maxLength", 7));
        let params = form.params();
        assert_eq!(Form::parse("Which?", &params["requestedSchema"]), Some(form));
        for deep in [
            json!({ "type": "object", "properties": { "a": { "type": "object" } } }),
            json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "type": "integer" } } } }),
            json!({ "type": "object", "properties": { "a": {} } }),
            json!({ "type": "object" }),
            json!("a"),
        ] {
            assert_eq!(Form::parse("Which?", &deep), None, "{deep}");
        }
    }

    #[test]
    fn answers_that_do_not_fit_the_form_are_refused() {
        let form = Form::new("Which?")
            .input("one", Input::one_of_titled(&[("a", "A"), ("b", "B")]))
            .input("many", Input::any_of(&["x", "y"]).optional())
            .input("count", Input::integer().optional());
        let accepted = |content| form.read(&json!({ "action": "accept", "content": content }));
        assert!(accepted(json!({ "one": "a" })).is_some());
        assert!(accepted(json!({ "one": "b", "many": ["x", "y"], "count": 3 })).is_some());
        for bad in [
            json!({}),
            json!({ "one": "c" }),
            json!({ "one": ["a"] }),
            json!({ "one": "a", "many": ["z"] }),
            json!({ "one": "a", "count": 3.5 }),
            json!("a"),
            json!(null),
        ] {
            assert_eq!(accepted(bad.clone()), None, "{bad}");
        }
        assert_eq!(form.read(&json!({ "action": "decline" })), Some(Answered::Declined));
        assert_eq!(form.read(&json!({ "action": "cancel" })), Some(Answered::Cancelled));
        for bad in [json!(12345), json!(null), json!({}), json!({ "action": "maybe" })] {
            assert_eq!(form.read(&bad), None, "{bad}");
        }
    }
}
