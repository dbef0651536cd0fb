//! Results of handlers other than text and values: content blocks, contents of resources, messages of
//! prompts. They hold MCP's own JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use crate::arguments::value::IntoJson;

/// The result of an operation with `returns: content`: blocks, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content(Vec<ContentBlock>);

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Self {
        Self(vec![block])
    }
}

impl<const N: usize> From<[ContentBlock; N]> for Content {
    fn from(blocks: [ContentBlock; N]) -> Self {
        Self(blocks.into())
    }
}

impl FromIterator<ContentBlock> for Content {
    fn from_iter<I: IntoIterator<Item = ContentBlock>>(blocks: I) -> Self {
        Self(blocks.into_iter().collect())
    }
}

impl IntoJson for Content {
    fn into_json(self) -> Value {
        Value::Array(self.0.into_iter().map(|block| block.0).collect())
    }
}

/// One block of content ([specification]).
///
/// [specification]: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
#[derive(Debug, Clone, PartialEq)]
pub struct ContentBlock(Value);

impl ContentBlock {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(json!({"type": "text", "text": text.into()}))
    }

    /// An image, with its MIME type.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: &str) -> Self {
        let data = BASE64_STANDARD.encode(bytes);
        Self(json!({"type": "image", "data": data, "mimeType": mime_type}))
    }

    /// A recording, with its MIME type.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: &str) -> Self {
        let data = BASE64_STANDARD.encode(bytes);
        Self(json!({"type": "audio", "data": data, "mimeType": mime_type}))
    }

    /// A resource, with its contents.
    pub fn resource(uri: impl Into<String>, contents: ResourceContents) -> Self {
        let mut resource = contents.into_map();
        resource.insert("uri".to_owned(), uri.into().into());
        Self(json!({"type": "resource", "resource": resource}))
    }

    /// A link to a resource that the client may read: its URI and name.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self(json!({"type": "resource_link", "uri": uri.into(), "name": name.into()}))
    }
}

/// The result of a tool of another MCP server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// The content blocks.
    pub content: Vec<Value>,
    /// The structured content, if there is any.
    pub structured: Option<Value>,
    /// `_meta`, if there is any.
    pub meta: Option<Map<String, Value>>,
}

impl ToolResult {
    const CONTENT: &str = "content";
    const STRUCTURED: &str = "structuredContent";
    const META: &str = "_meta";

    /// Reads what [`Self::into_json`] has written. Anything else becomes a block of text.
    pub(crate) fn parse(json: Value) -> Self {
        let mut fields = match json {
            Value::Object(fields) => fields,
            Value::String(text) => return Self::from_block(ContentBlock::text(text)),
            other => return Self::from_block(ContentBlock::text(other.to_string())),
        };
        let content = match fields.remove(Self::CONTENT) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let meta = match fields.remove(Self::META) {
            Some(Value::Object(meta)) => Some(meta),
            _ => None,
        };
        Self { content, structured: fields.remove(Self::STRUCTURED), meta }
    }

    fn from_block(block: ContentBlock) -> Self {
        Self { content: vec![block.0], ..Self::default() }
    }
}

impl IntoJson for ToolResult {
    fn into_json(self) -> Value {
        let structured = self.structured.map(|value| (Self::STRUCTURED.to_owned(), value));
        let content = (Self::CONTENT.to_owned(), Value::Array(self.content));
        let meta = self.meta.map(|meta| (Self::META.to_owned(), Value::Object(meta)));
        Value::Object([content].into_iter().chain(structured).chain(meta).collect())
    }
}

/// Returns the bytes of the images, recordings and files in a value that has blocks of content. They have no part that
/// could be left out.
pub fn media_bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(media_bytes).sum(),
        Value::Object(fields) => {
            let is_block = fields.get("mimeType").is_some_and(Value::is_string);
            let of = |(name, value): (&String, &Value)| match value {
                Value::String(data) if name == "blob" || (is_block && name == "data") => data.len(),
                other => media_bytes(other),
            };
            fields.iter().map(of).sum()
        }
        _ => 0,
    }
}

/// The contents of a resource: text or bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceContents {
    body: Body,
    mime_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Body {
    Text(String),
    Blob(Vec<u8>),
}

impl ResourceContents {
    /// Contents as text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()), mime_type: None }
    }

    /// Contents as bytes.
    pub fn blob(bytes: impl Into<Vec<u8>>) -> Self {
        Self { body: Body::Blob(bytes.into()), mime_type: None }
    }

    /// Sets the MIME type, if it differs from the one in the manifest.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    fn into_map(self) -> Map<String, Value> {
        let (key, body) = match self.body {
            Body::Text(text) => ("text", text),
            Body::Blob(bytes) => ("blob", BASE64_STANDARD.encode(bytes)),
        };
        let mime_type = self.mime_type.map(|mime_type| ("mimeType".to_owned(), mime_type.into()));
        mime_type.into_iter().chain([(key.to_owned(), body.into())]).collect()
    }
}

impl IntoJson for ResourceContents {
    fn into_json(self) -> Value {
        Value::Object(self.into_map())
    }
}

/// The messages of a prompt, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptMessages(Vec<Value>);

impl PromptMessages {
    /// Returns an empty list of messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message of the user.
    #[must_use]
    pub fn user(self, content: ContentBlock) -> Self {
        self.with_message("user", content)
    }

    /// Adds a message of the assistant.
    #[must_use]
    pub fn assistant(self, content: ContentBlock) -> Self {
        self.with_message("assistant", content)
    }

    fn with_message(mut self, role: &str, content: ContentBlock) -> Self {
        let ContentBlock(content) = content;
        let role = ("role".to_owned(), role.into());
        let message = [role, ("content".to_owned(), content)].into_iter().collect();
        self.0.push(Value::Object(message));
        self
    }
}

impl IntoJson for PromptMessages {
    fn into_json(self) -> Value {
        Value::Array(self.0)
    }
}
