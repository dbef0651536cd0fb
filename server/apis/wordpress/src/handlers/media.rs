//! `media.upload_media_from_url`: the REST API of WordPress takes bytes and no addresses.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use toolwrit::{Code, Context, Fault, Result};
use toolwrit_text::to_sentence;
use toolwrit_web::{Download, WebError};

use crate::app::Site;
use crate::operations::media;

/// Size limit of a file, in bytes.
const MOST: u64 = 8 * 1024 * 1024;

/// Endings of file names by which WordPress knows types.
const ENDINGS: [(&str, &str); 12] = [
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("application/pdf", "pdf"),
    ("audio/mpeg", "mp3"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("text/plain", "txt"),
    ("text/csv", "csv"),
    ("application/zip", "zip"),
];

impl media::Handlers for Site {
    async fn upload_media_from_url(
        &self,
        cx: &Context,
        p: media::UploadMediaFromUrl,
    ) -> Result<media::UploadMediaFromUrlResult> {
        let (web, url) = (self.web.clone(), p.url);
        let fetched = cx.blocking(move |is_cancelled| {
            web.download(&url, MOST, &is_cancelled).map_err(|error| fault(&error))
        });
        let file = fetched.await?;
        let name = p.file_name.unwrap_or_else(|| file_name(&file));
        let mut arguments = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            arguments.extend(value.map(|value| (name.to_owned(), value)));
        };
        set("content", Some(BASE64_STANDARD.encode(&file.bytes).into()));
        set("file_name", Some(name.into()));
        set("media_type", Some(file.media_type.into()).filter(|text| text != ""));
        set("title", p.title.map(Value::from));
        set("alt_text", p.alt_text.map(Value::from));
        set("caption", p.caption.map(Value::from));
        set("post", p.post.map(Value::from));
        let uploaded = cx.call_bound("media.upload_media", arguments).await?;
        serde_json::from_value(uploaded).map_err(Fault::from)
    }
}

/// The name in the URL, with an ending that fits its type.
fn file_name(file: &Download) -> String {
    let path = file.url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let name = name.trim_matches(['.', '-']);
    if name.rsplit_once('.').is_some_and(|(_, ending)| (2..=5).contains(&ending.len())) {
        return name.to_owned();
    }
    let ending = ENDINGS.iter().find(|(media_type, _)| *media_type == file.media_type);
    let name = if name.is_empty() { "file" } else { name };
    format!("{name}.{}", ending.map_or("bin", |(_, ending)| ending))
}

/// Gives an error its code and a hint.
fn fault(error: &WebError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        WebError::BadUrl(_) => Fault::validation(message)
            .with_path("/url")
            .expecting("the URL of a file, with http or https"),
        WebError::NotPublic { address, .. } => Fault::validation(message)
            .with_path("/url")
            .expecting("a host with a public address")
            .hinting(format!("The operator can allow it with --media-allow {address}.")),
        WebError::Status { status: 404 | 410, .. } => Fault::not_found(message).with_path("/url"),
        WebError::Timeout { .. } => Fault::new(Code::Timeout, message),
        WebError::Cancelled => Fault::cancelled(message),
        WebError::TooLarge { .. } => Fault::too_large(message)
            .hinting("Upload a smaller version of the file, or upload it in the dashboard."),
        WebError::Unreachable { .. } => Fault::upstream(message),
        _ => Fault::upstream(message).retryable(false),
    }
}
