//! `web.*`: pages of the web.

use toolwrit::{Code, Context, Fault, Result};
use toolwrit_text::to_sentence;
use toolwrit_web::{Excerpt, Form, Page, WebError};

use super::sizes::{json_size, to_integer, to_size};
use crate::app::Vaults;
use crate::operations::{types, web};

impl web::Handlers for Vaults {
    async fn fetch(&self, cx: &Context, p: web::Fetch) -> Result<web::FetchResult> {
        let web = self.web.clone();
        // The answer contains more than the text.
        let most = usize::try_from(cx.result_bytes() / 4 * 3).unwrap_or(usize::MAX);
        cx.blocking(move |is_cancelled| {
            let form = if p.raw { Form::Source } else { Form::Markdown };
            let page = web.fetch(&p.url, form, &is_cancelled).map_err(|error| fault(&error))?;
            let excerpt = take_excerpt(&page, to_size(p.start_index), to_size(p.max_length), most);
            Ok(convert_page(&page, &excerpt.map_err(|error| fault(&error))?))
        })
        .await
    }
}

/// The part of a page that a call asks for, or its beginning if the part takes more than `most` bytes as JSON.
fn take_excerpt(
    page: &Page,
    start: usize,
    mut length: usize,
    most: usize,
) -> std::result::Result<Excerpt<'_>, WebError> {
    loop {
        let excerpt = page.excerpt(start, length)?;
        if json_size(excerpt.text) <= most || length <= 1 {
            return Ok(excerpt);
        }
        length /= 2;
    }
}

fn convert_page(page: &Page, excerpt: &Excerpt<'_>) -> types::WebPage {
    types::WebPage {
        url: page.url.clone(),
        title: page.title.clone(),
        content_type: page.media_type.clone(),
        content: excerpt.text.to_owned(),
        length: to_integer(excerpt.length),
        truncated: excerpt.next.map(|_| true),
        next_index: excerpt.next.map(to_integer),
    }
}

/// Gives an error its code and a hint.
fn fault(error: &WebError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        WebError::BadUrl(_) => Fault::validation(message)
            .with_path("/url")
            .expecting("the URL of a page, such as https://example.com/page"),
        WebError::NotPublic { address, .. } => Fault::validation(message)
            .with_path("/url")
            .expecting("a host with a public address")
            .hinting(format!("The operator can allow it with --web-allow {address}.")),
        WebError::Disallowed { .. } => {
            final_failure(message).hinting("Ask the user for the text, or use another source.")
        }
        WebError::Status { status: 404 | 410, .. } => Fault::not_found(message),
        WebError::Status { status, retry_after, .. } => {
            let is_temporary = matches!(*status, 408 | 425 | 429 | 500..);
            let fault = Fault::upstream(message).retryable(is_temporary);
            match retry_after {
                Some(seconds) if is_temporary => fault.retry_after((*seconds).into()),
                _ => fault,
            }
        }
        WebError::RobotsFailed { .. } | WebError::Unreachable { .. } => Fault::upstream(message),
        WebError::Redirect { .. } => final_failure(message),
        WebError::NotText { .. } => {
            final_failure(message).hinting("Only pages and other texts can be fetched.")
        }
        WebError::TooLarge { .. } => Fault::too_large(message),
        WebError::TooComplex => {
            Fault::too_large(message).hinting("Use `raw: true` to read its HTML.")
        }
        WebError::Timeout { .. } => Fault::new(Code::Timeout, message),
        WebError::Cancelled => Fault::cancelled(message),
        WebError::BeyondEnd { length } => Fault::validation(message)
            .with_path("/start_index")
            .expecting(format!("less than {length}")),
    }
}

/// A failure that another try would meet again.
fn final_failure(message: String) -> Fault {
    Fault::upstream(message).retryable(false)
}
