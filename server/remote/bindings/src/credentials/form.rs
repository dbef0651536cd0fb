//! The body of a form.

use reqwest::header::HeaderValue;

use crate::render::RenderedBody;

pub(super) fn form(text: String) -> RenderedBody {
    RenderedBody::Bytes {
        media_type: HeaderValue::from_static("application/x-www-form-urlencoded"),
        bytes: text.into_bytes(),
    }
}
