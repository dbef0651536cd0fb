//! Contexts: their keywords and patterns, and whether these can reach the threshold.

use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::check::types::pattern::pattern;
use crate::diagnostics::{Problem, Report};
use crate::model::{DeclaredContext, Pattern, Selector, Weighted};
use crate::raw::{Entry, Located, RawContext, RawKeyword, Weight};

/// A context with the operations that it includes. It needs at least one keyword or pattern.
pub(super) fn context(
    entry: &Entry<RawContext>,
    include: Vec<Selector>,
    report: &mut Report,
) -> DeclaredContext {
    let Entry { key, value } = entry;
    if value.subjects.is_none() && value.keywords.is_none() && value.patterns.is_none() {
        report.push(
            Problem::error(
                key.place,
                format!("the context `{}` has no subjects, keywords or patterns", key.value),
            )
            .expected("`subjects`, `keywords` or `patterns`"),
        );
    }
    let threshold = value.threshold.as_ref().map(|threshold| threshold.value.0);
    let context = DeclaredContext {
        name: spelling::key("context", key, Style::Kebab, report),
        subjects: words(value.subjects.as_deref(), "subject", report),
        keywords: words(value.keywords.as_deref(), "keyword", report),
        patterns: patterns(value, report),
        threshold: threshold.unwrap_or(DeclaredContext::THRESHOLD),
        include,
    };
    let most = DeclaredContext::confidence(context.total_weight());
    // The sum is too small if a keyword or pattern could not be read.
    if most < context.threshold && !report.has_errors() {
        let place = value.threshold.as_ref().map_or(key.place, |threshold| threshold.place);
        let message = format!("no message can reach the threshold of the context `{}`", key.value);
        report.push(
            Problem::error(place, message)
                .expected(format!("a threshold of at most {most}, or greater weights"))
                .help("subjects, keywords and patterns with the total weight w give a confidence of w / (1 + w)"),
        );
    }
    context
}

fn words(raw: Option<&[RawKeyword]>, what: &str, report: &mut Report) -> Vec<Weighted<String>> {
    let mut keywords: Vec<Weighted<String>> = Vec::new();
    for raw in raw.into_iter().flatten() {
        let Some(word) = &raw.0.keyword else { continue };
        let sign = text::non_empty(&format!("the {what}"), word, report);
        if keywords.iter().any(|keyword| keyword.sign == sign) {
            let message = format!("the {what} `{sign}` is given twice");
            report.push(Problem::error(word.place, message));
        } else if !sign.trim().is_empty() && !sign.contains(char::is_alphanumeric) {
            report.push(
                Problem::error(word.place, format!("the {what} contains no word"))
                    .expected("letters or digits")
                    .help("use `patterns` to find other characters"),
            );
        } else {
            keywords.push(Weighted { sign, weight: weight(raw.0.weight.as_ref()) });
        }
    }
    keywords
}

fn patterns(value: &RawContext, report: &mut Report) -> Vec<Weighted<Pattern>> {
    let mut patterns: Vec<Weighted<Pattern>> = Vec::new();
    for raw in value.patterns.iter().flatten() {
        let Some(text) = &raw.0.pattern else { continue };
        let Some(sign) = pattern(text, report) else { continue };
        if patterns.iter().any(|pattern| pattern.sign == sign) {
            let message = format!("the pattern `{}` is given twice", text.value);
            report.push(Problem::error(text.place, message));
        } else if sign.regex().is_match("") {
            report.push(
                Problem::error(text.place, "the pattern matches an empty text")
                    .expected("an expression that requires at least one character"),
            );
        } else {
            patterns.push(Weighted { sign, weight: weight(raw.0.weight.as_ref()) });
        }
    }
    patterns
}

fn weight(given: Option<&Located<Weight>>) -> f64 {
    given.map_or(1.0, |weight| weight.value.0)
}
