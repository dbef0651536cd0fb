//! The server, its limits and budgets, categories and providers.

use std::num::NonZeroU32;

use super::text;
use crate::check::names::lookup::DeclaredNames;
use crate::check::names::spelling::{self, Style};
use crate::diagnostics::{Problem, Report};
use crate::model::{Budget, Category, Effect, Limits, Provider, ProviderId, ServerInfo};
use crate::raw::{
    Entries, Entry, Located, RawBudget, RawCategory, RawLimits, RawProvider, RawServer,
};
use crate::yaml::Text;

pub(super) fn server(raw: &RawServer, report: &mut Report) -> ServerInfo {
    let prefix = raw.prefix.as_ref().filter(|prefix| {
        !prefix.value.is_empty() && spelling::wire_name(&prefix.value, "", prefix.place, report)
    });
    let name = text::optional("the server's name", raw.name.as_ref(), report).unwrap_or_default();
    ServerInfo {
        env: match &raw.env {
            Some(env) => spelling::key("variable", env, Style::Variable, report),
            None => variable_of(&name),
        },
        name,
        title: text::optional("the title", raw.title.as_ref(), report),
        summary: text::optional_summary(raw.summary.as_ref(), report),
        instructions: text::optional("the text", raw.instructions.as_ref(), report),
        logging: raw.logging.as_ref().is_some_and(|logging| logging.value),
        serde: raw.serde.as_ref().is_some_and(|serde| serde.value),
        prefix: prefix.map(|prefix| prefix.value.clone()).unwrap_or_default(),
    }
}

/// A server's name as the first word of its environment variables: `notes-api` as `NOTES_API`.
fn variable_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_uppercase).collect();
    match words.join("_") {
        joined if joined.is_empty() => "TOOLWRIT".to_owned(),
        // A shell takes no name that begins with a digit.
        joined if joined.starts_with(|c: char| c.is_ascii_digit()) => format!("_{joined}"),
        joined => joined,
    }
}

pub(super) fn limits(raw: &RawLimits) -> Limits {
    let default = Limits::default();
    Limits {
        timeout: raw.timeout.as_ref().map_or(default.timeout, |period| period.value.0),
        concurrency: raw
            .concurrency
            .as_ref()
            .map_or(default.concurrency, |count| count.value.get()),
        result_bytes: raw.result_bytes.as_ref().map_or(default.result_bytes, |size| size.value.0),
        session_calls: raw
            .session_calls
            .as_ref()
            .and_then(|most| most.value.0)
            .map(NonZeroU32::get),
    }
}

pub(super) fn budget(raw: &RawBudget) -> Budget {
    let tokens = |tokens: &Located<NonZeroU32>| u64::from(tokens.value.get());
    Budget {
        flat: raw.flat.as_ref().map(tokens),
        dispatch: raw.dispatch.as_ref().map(tokens),
        meta: raw.meta.as_ref().map(tokens),
    }
}

pub(super) fn categories(
    raw: &[Entry<RawCategory>],
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<Category> {
    raw.iter()
        .map(|Entry { key, value }| {
            let name = spelling::key("category", key, Style::Kebab, report);
            Category {
                title: text::title(&name, value.title.as_ref(), report),
                summary: text::summary(value.summary.as_ref(), report),
                keywords: text::words("the keyword", value.keywords.as_ref(), report),
                synonyms: synonyms(value.synonyms.as_ref(), report),
                wire_name: value.tool.as_ref().map_or(&name, |tool| &tool.value).clone(),
                direct: value.direct.as_ref().is_some_and(|direct| direct.value),
                instance: instance(value.instance.as_ref(), report),
                providers: joining(value.providers.as_ref(), lookup, report),
                name,
            }
        })
        .collect()
}

fn instance(raw: Option<&Text>, report: &mut Report) -> Option<String> {
    Some(spelling::key("parameter", raw?, Style::Snake, report))
}

/// The providers that may add operations. An effect that cannot be read is reported, and allows only reads.
fn joining(
    raw: Option<&Entries<Option<Located<Effect>>>>,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<(ProviderId, Effect)> {
    let entries = raw.into_iter().flat_map(|entries| &entries.0);
    let joining = entries.filter_map(|Entry { key, value }| {
        let most = value.as_ref().map_or(Effect::Read, |effect| effect.value);
        Some((lookup.provider(key, report)?, most))
    });
    joining.collect()
}

fn synonyms(raw: Option<&Entries<Vec<Text>>>, report: &mut Report) -> Vec<(String, Vec<String>)> {
    let mut read = |Entry { key, value }: &Entry<Vec<Text>>| {
        if value.is_empty() {
            report.push(
                Problem::error(key.place, format!("`{}` has no synonyms", key.value))
                    .expected("a list of words"),
            );
        }
        let word = text::non_empty("the word", key, report);
        (word, text::words("the synonym", Some(value), report))
    };
    raw.into_iter().flat_map(|entries| &entries.0).map(&mut read).collect()
}

pub(super) fn providers(raw: &[Entry<RawProvider>], report: &mut Report) -> Vec<Provider> {
    raw.iter()
        .map(|Entry { key, value }| {
            let name = spelling::key("provider", key, Style::Kebab, report);
            Provider {
                title: text::title(&name, value.title.as_ref(), report),
                summary: text::summary(value.summary.as_ref(), report),
                name,
                // Bound when all types are known.
                settings: Vec::new(),
                binding: None,
            }
        })
        .collect()
}

/// Checks that the version, if it is given, is 1.
pub(crate) fn version(version: Option<&Located<u64>>, report: &mut Report) {
    if let Some(version) = version.filter(|version| version.value != 1) {
        report.push(
            Problem::error(
                version.place,
                format!("version {} of the language is not known", version.value),
            )
            .expected("`toolwrit: 1`"),
        );
    }
}
