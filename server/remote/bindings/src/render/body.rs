//! Bodies.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use toolwrit_text::numbers::WrittenNumbers;

use super::{RenderError, Scope, parameters};
use crate::failure::{Failure, Result};
use crate::model::{Body, Entry, Part, PartContent, Reference, Request, Template};

const JSON: &str = "application/json";
/// The name of a file that has none.
const DEFAULT_NAME: &str = "file";

/// A body that can be sent, also more than once.
#[derive(Debug, Clone)]
pub(crate) enum RenderedBody {
    None,
    Json { media_type: HeaderValue, value: Value, numbers: WrittenNumbers },
    Bytes { media_type: HeaderValue, bytes: Vec<u8> },
    Multipart(Vec<RenderedPart>),
}

#[derive(Debug, Clone)]
pub(crate) struct RenderedPart {
    pub(crate) name: String,
    pub(crate) content: RenderedContent,
}

#[derive(Debug, Clone)]
pub(crate) enum RenderedContent {
    Text(String),
    /// An object or a list, as JSON.
    Json(String),
    File {
        bytes: Vec<u8>,
        file_name: String,
        media_type: String,
    },
}

impl RenderedBody {
    /// JSON with its usual media type.
    pub(crate) fn json(value: Value) -> Self {
        let numbers = WrittenNumbers::default();
        Self::Json { media_type: HeaderValue::from_static(JSON), value, numbers }
    }

    pub(super) fn new(
        request: &Request,
        scope: &Scope<'_>,
    ) -> std::result::Result<Self, RenderError> {
        let or_usual = |usual| declared_media_type(request).unwrap_or(Ok(usual));
        Ok(match &request.body {
            Body::None => Self::None,
            Body::Json(template) => Self::Json {
                media_type: or_usual(HeaderValue::from_static(JSON))?,
                value: scope.fill(template)?,
                numbers: scope.numbers().clone(),
            },
            Body::Form(parameters) => Self::Bytes {
                media_type: HeaderValue::from_static("application/x-www-form-urlencoded"),
                bytes: parameters::encoded(parameters, scope)?.into_bytes(),
            },
            Body::Multipart(parts) => Self::Multipart(multipart(parts, scope)?),
            Body::Text(template) => Self::Bytes {
                media_type: or_usual(HeaderValue::from_static("text/plain; charset=utf-8"))?,
                bytes: text(template, scope)?.into_bytes(),
            },
            Body::Bytes { content, media_type } => {
                let shown = self::media_type(media_type, scope)?;
                let value = HeaderValue::from_str(&shown);
                let media_type = value
                    .map_err(|_| scope.refused(media_type, "a media type, such as image/png"))?;
                Self::Bytes { media_type, bytes: bytes(content, scope)? }
            }
        })
    }

    /// Describes the body; `None` if there is none.
    pub(super) fn describe(&self) -> Option<Value> {
        let of_bytes = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Value::from(format!("{} bytes", bytes.len())),
        };
        Some(match self {
            Self::None => return None,
            Self::Json { value, .. } => value.clone(),
            Self::Bytes { bytes, .. } => of_bytes(bytes),
            Self::Multipart(parts) => parts
                .iter()
                .map(|part| match &part.content {
                    RenderedContent::Text(text) => json!({ "name": part.name, "text": text }),
                    RenderedContent::Json(text) => json!({ "name": part.name, "json": text }),
                    RenderedContent::File { bytes, file_name, media_type } => json!({
                        "name": part.name,
                        "file_name": file_name,
                        "media_type": media_type,
                        "bytes": bytes.len(),
                    }),
                })
                .collect(),
        })
    }
}

/// The media type in the table of a request.
fn declared_media_type(request: &Request) -> Option<Result<HeaderValue>> {
    let media_type = request.media_type.as_deref()?;
    let wrong = |_| Failure::defect(format_args!("`{media_type}` is not a media type"));
    Some(HeaderValue::from_str(media_type).map_err(wrong))
}

fn multipart(
    parts: &[Part],
    scope: &Scope<'_>,
) -> std::result::Result<Vec<RenderedPart>, RenderError> {
    let mut rendered = Vec::new();
    for part in parts {
        match content(&part.content, scope) {
            Err(RenderError::Absent(absent)) if part.optional => {
                if is_named(&part.content, scope) {
                    return Err(absent
                        .into_failure()
                        .hinting("The name of a file is given.")
                        .into());
                }
            }
            content => {
                rendered.push(RenderedPart { name: part.name.to_string(), content: content? });
            }
        }
    }
    Ok(rendered)
}

fn content(
    content: &PartContent,
    scope: &Scope<'_>,
) -> std::result::Result<RenderedContent, RenderError> {
    Ok(match content {
        PartContent::Text(template) => match scope.fill(template)? {
            value @ (Value::Array(_) | Value::Object(_)) => {
                RenderedContent::Json(scope.numbers().to_json(&value))
            }
            _ => RenderedContent::Text(text(template, scope)?),
        },
        PartContent::File { content, file_name, media_type } => RenderedContent::File {
            file_name: match file_name {
                Some(entry) => self::file_name(entry, scope)?,
                None => DEFAULT_NAME.to_owned(),
            },
            media_type: match media_type.as_ref().map(|given| self::media_type(given, scope)) {
                None | Some(Err(RenderError::Absent(_))) => "application/octet-stream".to_owned(),
                Some(media_type) => media_type?,
            },
            bytes: bytes(content, scope)?,
        },
    })
}

fn text(template: &Template, scope: &Scope<'_>) -> std::result::Result<String, RenderError> {
    let value = scope.fill(template)?;
    let text = scope.text(&value).ok_or_else(|| scope.refused(template, "a text"))?;
    Ok(text)
}

/// Whether a file has a name that could have been left out.
fn is_named(content: &PartContent, scope: &Scope<'_>) -> bool {
    let PartContent::File { file_name: Some(name), .. } = content else { return false };
    name.optional && scope.fill(&name.value).is_ok()
}

fn file_name(entry: &Entry, scope: &Scope<'_>) -> std::result::Result<String, RenderError> {
    let template = &entry.value;
    let name = match text(template, scope) {
        Err(RenderError::Absent(_)) => return Ok(DEFAULT_NAME.to_owned()),
        name => name?,
    };
    let is_bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | '"');
    if name.is_empty() || name.contains(is_bad) {
        return Err(scope
            .refused(template, "the name of a file, without folders and quotes")
            .into());
    }
    Ok(name)
}

fn media_type(template: &Template, scope: &Scope<'_>) -> std::result::Result<String, RenderError> {
    let text = text(template, scope)?;
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c))
    };
    let is_type =
        text.split_once('/').is_some_and(|(ty, subtype)| is_token(ty) && is_token(subtype));
    if is_type {
        Ok(text)
    } else {
        Err(scope.refused(template, "a media type, such as image/png").into())
    }
}

fn bytes(reference: &Reference, scope: &Scope<'_>) -> std::result::Result<Vec<u8>, RenderError> {
    let value = scope.value(reference)?;
    Ok(decoded(&value, reference)?)
}

fn decoded(value: &Value, reference: &Reference) -> Result<Vec<u8>> {
    let bytes = value.as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    bytes.ok_or_else(|| {
        Failure::validation(format!("The value of `{reference}` is not Base64."))
            .at_argument(reference)
            .expecting("the bytes of a file as Base64, with padding and without line breaks")
    })
}
