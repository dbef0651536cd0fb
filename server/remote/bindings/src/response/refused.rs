//! Answers that are failures.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use toolwrit_text::Secrets;
use toolwrit_text::shorten::visible_line;

use crate::client::Received;
use crate::failure::Failure;
use crate::model::{Api, Body, Code, Mark, Method, PartContent, Request, Template};
use crate::render::{literal_value, same};

/// Length limit of what an API says about a failure, in characters.
const MAX_MESSAGE: usize = 500;
/// The longest pause that an API may ask for.
const MAX_PAUSE: Duration = Duration::from_hours(24);

/// What is needed to explain the failures of one request.
pub(crate) struct Refusals<'a> {
    pub(crate) api: &'a Api,
    pub(crate) request: &'a Request,
    /// What to do if the API refuses the credentials.
    pub(crate) fix: &'a str,
    pub(crate) is_idempotent: bool,
}

impl Refusals<'_> {
    /// Returns the failure that an answer means; `None` if it is none.
    pub(crate) fn find_failure(&self, received: &Received) -> Option<Box<Failure>> {
        let is_success = matches!(received.status, 200..=299);
        if is_success && self.api.errors.rules.is_empty() {
            return None;
        }
        let body = received.json().unwrap_or(&Value::Null);
        let rule = self.api.errors.rules.iter().find(|rule| {
            rule.when.iter().all(|mark| fits(mark, received, body)) && !rule.when.is_empty()
        });
        let failure = match rule {
            Some(rule) => {
                let failure = self.failure(rule.code.clone(), received, body);
                match &rule.at {
                    Some(at) => failure.at_pointer(at.as_ref()),
                    None => failure,
                }
            }
            None if is_success => return None,
            None => self.by_status(received, body),
        };
        let mut failure = failure.sent();
        if !self.is_idempotent && failure.code != Code::LimitExceeded {
            failure = failure.not_repeated();
        }
        failure.retry_after = retry_after(received).filter(|_| failure.retryable);
        Some(failure)
    }

    fn by_status(&self, received: &Received, body: &Value) -> Box<Failure> {
        let status = received.status;
        let code = match status {
            400 | 422 => Code::ValidationError,
            401 => Code::ProviderUnavailable,
            403 => Code::UpstreamForbidden,
            404 | 410 => Code::NotFound,
            408 => Code::Timeout,
            409 | 412 => Code::Conflict,
            429 => Code::LimitExceeded,
            _ => Code::UpstreamError,
        };
        let failure = self.failure(code, received, body);
        match status {
            // The API has done it, and has the result elsewhere.
            303 if self.request.method != Method::Get => failure.made(),
            300..=399 => failure.permanent().hinting(
                "The API redirects, which is not followed. The operator of this server checks its URL.",
            ),
            403 => failure.hinting("The account that this server uses is not allowed to do this."),
            400..=499 if failure.code == Code::UpstreamError => failure.permanent(),
            501 | 505 => failure.permanent(),
            _ => failure,
        }
    }

    fn failure(&self, code: Code, received: &Received, body: &Value) -> Box<Failure> {
        let (provider, status) = (&self.api.name, received.status);
        let said =
            self.said(body, &received.secrets).map(|said| format!(": {said}")).unwrap_or_default();
        let end = if said.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        let message = format!("{provider} answered with status {status}{said}{end}");
        let mut failure = Failure::new(code, message);
        if failure.code == Code::ValidationError {
            let first = self.complaints(body).next();
            failure.path = first.and_then(|(field, _)| argument(self.request, field));
        }
        if failure.code == Code::ProviderUnavailable {
            return failure.hinting(self.fix);
        }
        failure
    }

    /// What the answer says in words.
    fn said(&self, body: &Value, secrets: &Secrets) -> Option<String> {
        let message = self.api.errors.message.as_ref().and_then(|path| path.select(body));
        let message = message.as_deref().and_then(Value::as_str).map(str::to_owned);
        let complaints = self.complaints(body).map(|(field, said)| format!("{field}: {said}"));
        let complaints = complaints.collect::<Vec<_>>().join("; ");
        let said = match message {
            Some(message) if complaints.is_empty() => message,
            Some(message) => format!("{message} ({complaints})"),
            None => complaints,
        };
        let said = visible_line(&secrets.mask(&said), MAX_MESSAGE);
        Some(said).filter(|said| !said.is_empty())
    }

    /// The fields of the request that the answer complains of, and the complaints.
    fn complaints<'b>(&self, body: &'b Value) -> impl Iterator<Item = (&'b str, &'b str)> {
        let fields = self.api.errors.fields.as_ref().and_then(|path| path.find(body));
        let fields = fields.and_then(Value::as_object).into_iter().flatten();
        fields.map(|(field, said)| {
            let first = said.as_array().and_then(|said| said.first()).unwrap_or(said);
            (field.as_str(), first.as_str().unwrap_or("is not valid"))
        })
    }
}

fn fits(mark: &Mark, received: &Received, body: &Value) -> bool {
    match mark {
        Mark::Body(path, wanted) => {
            path.select(body).is_some_and(|found| same(&found, &literal_value(wanted)))
        }
        Mark::Header(name, wanted) => received.header(name) == Some(wanted.as_ref()),
        Mark::Status(status) => received.status == *status,
    }
}

/// Returns the JSON pointer of the argument that becomes a field of a request.
fn argument(request: &Request, field: &str) -> Option<String> {
    let mut parameters = request.query.iter();
    let in_query = parameters.find(|parameter| parameter.entry.name == field);
    let value = match (in_query, &request.body) {
        (Some(parameter), _) => Some(&parameter.entry.value),
        (None, Body::Json(template)) => return find_member_argument(template, field),
        (None, Body::Form(parameters)) => {
            let found = parameters.iter().find(|parameter| parameter.entry.name == field);
            found.map(|parameter| &parameter.entry.value)
        }
        (None, Body::Multipart(parts)) => {
            match &parts.iter().find(|part| part.name == field)?.content {
                PartContent::Text(template) => Some(template),
                PartContent::File { content, .. } => return content.pointer(),
            }
        }
        (None, Body::None | Body::Text(_) | Body::Bytes { .. }) => None,
    };
    first_argument(value?)
}

/// Finds the member of a name in a template, and the argument in it.
fn find_member_argument(template: &Template, field: &str) -> Option<String> {
    match template {
        Template::Object(entries) => {
            let member = entries.iter().find(|entry| entry.name == field);
            let member = member.and_then(|entry| first_argument(&entry.value));
            member.or_else(|| {
                entries.iter().find_map(|entry| find_member_argument(&entry.value, field))
            })
        }
        Template::List(items) => items.iter().find_map(|item| find_member_argument(item, field)),
        Template::Literal(_) | Template::Value(_) => None,
    }
}

fn first_argument(template: &Template) -> Option<String> {
    match template {
        Template::Literal(_) => None,
        Template::Value(reference) => reference.pointer(),
        Template::List(items) => items.iter().find_map(first_argument),
        Template::Object(entries) => entries.iter().find_map(|entry| first_argument(&entry.value)),
    }
}

/// The pause that an API asks for, in seconds or until a date.
fn retry_after(received: &Received) -> Option<Duration> {
    let text = received.header("retry-after")?.trim();
    let pause = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(text)
            .ok()?
            .duration_since(SystemTime::now())
            .unwrap_or_default(),
    };
    Some(pause.min(MAX_PAUSE))
}
