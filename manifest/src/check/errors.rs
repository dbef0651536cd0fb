//! Error codes that the author declares.

use toolwrit_words::Code;

use super::text;
use crate::check::names::spelling::{self, Style};
use crate::diagnostics::{Problem, Report};
use crate::model::ErrorDef;
use crate::raw::{Entry, RawError};

pub(super) fn errors(raw: &[Entry<RawError>], report: &mut Report) -> Vec<ErrorDef> {
    raw.iter().map(|entry| error(entry, report)).collect()
}

fn error(Entry { key, value }: &Entry<RawError>, report: &mut Report) -> ErrorDef {
    if Code::built_in(&key.value).is_some() {
        report.push(
            Problem::error(key.place, format!("`{}` is an error code of the engine", key.value))
                .help("handlers can use it already; choose another name for your own error"),
        );
    }
    ErrorDef {
        name: spelling::key("error", key, Style::Screaming, report),
        summary: text::summary(value.summary.as_ref(), report),
        hint: text::optional("the hint", value.hint.as_ref(), report),
        retryable: value.retryable.as_ref().is_some_and(|retryable| retryable.value),
    }
}
