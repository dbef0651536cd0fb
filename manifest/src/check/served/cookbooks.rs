//! Cookbooks, and the prompts that they are, too.

use crate::check::names::lookup::DeclaredNames;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Problem, Report, Source};
use crate::model::{Cookbook, CookbookId, OperationId, Prompt, PromptText};
use crate::raw::{Entry, RawCookbook, RawManifest};

/// All cookbooks, parallel to the raw list.
pub(in crate::check) fn cookbooks(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<Cookbook> {
    let all = raw.cookbooks.iter().zip(&raw.guides);
    let read = |(Entry { key, value }, guide): (&Entry<RawCookbook>, &Source)| {
        if let Some(prompt) = raw.prompts.iter().find(|prompt| prompt.key.value == key.value) {
            let message = format!("the prompt `{}` is declared twice", key.value);
            report.push(
                Problem::error(key.place, message)
                    .note("first declared at", prompt.key.place)
                    .help("a cookbook is a prompt, too; give one of them another name"),
            );
        }
        Cookbook {
            name: spelling::key("cookbook", key, Style::Kebab, report),
            summary: text::summary(value.summary.as_ref(), report),
            file: guide.path.clone(),
            text: guide.text.clone(),
            operations: operations(value, raw.operations.len(), lookup, report),
        }
    };
    all.map(read).collect()
}

/// The operations that it uses, each once. They must be tools.
fn operations(
    raw: &RawCookbook,
    tools: usize,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Vec<OperationId> {
    let mut operations = Vec::new();
    for name in raw.operations.iter().flatten() {
        let Some(id) = lookup.operation(name, report) else { continue };
        let message = if id.index() >= tools {
            format!("`{}` is not an operation that a tool runs", name.value)
        } else if operations.contains(&id) {
            format!("the operation `{}` is listed twice", name.value)
        } else {
            operations.push(id);
            continue;
        };
        report.push(Problem::error(name.place, message));
    }
    operations
}

/// The prompts of the cookbooks.
pub(in crate::check) fn prompts(
    raw: &RawManifest,
    cookbooks: &[Cookbook],
    report: &mut Report,
) -> Vec<Prompt> {
    let all = raw.cookbooks.iter().zip(cookbooks).enumerate();
    let prompt = |(at, (entry, cookbook)): (usize, (&Entry<RawCookbook>, &Cookbook))| Prompt {
        name: cookbook.name.clone(),
        title: text::optional("the title", entry.value.title.as_ref(), report),
        summary: cookbook.summary.clone(),
        arguments: Vec::new(),
        text: Some(PromptText::Cookbook(CookbookId(at))),
        tags: text::words("the tag", entry.value.tags.as_ref(), report),
    };
    all.map(prompt).collect()
}
