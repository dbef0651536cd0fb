//! MCP prompts and their templates.

use super::arguments::arguments;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Problem, Report};
use crate::model::{Argument, Prompt, PromptText};
use crate::raw::{Entry, RawPrompt};
use crate::yaml::Text;

pub(in crate::check) fn prompts(raw: &[Entry<RawPrompt>], report: &mut Report) -> Vec<Prompt> {
    raw.iter()
        .map(|Entry { key, value }| {
            let arguments = arguments(value.arguments.as_ref(), report);
            if let Some(template) = &value.template {
                check_template(template, &arguments, report);
            }
            Prompt {
                name: spelling::key("prompt", key, Style::Kebab, report),
                title: text::optional("the title", value.title.as_ref(), report),
                summary: text::summary(value.summary.as_ref(), report),
                text: text::optional("the template", value.template.as_ref(), report)
                    .map(PromptText::Template),
                tags: text::words("the tag", value.tags.as_ref(), report),
                arguments,
            }
        })
        .collect()
}

/// Every `{{place}}` is a declared argument.
fn check_template(template: &Text, arguments: &[Argument], report: &mut Report) {
    let mut rest = template.value.as_str();
    while let Some((_, behind)) = rest.split_once("{{") {
        let Some((name, behind)) = behind.split_once("}}") else {
            report.push(
                Problem::error(template.place, "`{{` is not closed in the template")
                    .expected("`{{argument}}`"),
            );
            return;
        };
        let name = name.trim();
        if arguments.iter().all(|argument| argument.name != name) {
            let known: Vec<&str> =
                arguments.iter().map(|argument| argument.name.as_str()).collect();
            let message = format!("the template uses `{name}`, which is not an argument");
            if known.is_empty() {
                let problem = Problem::error(template.place, message);
                report.push(problem.help(format!("declare it: `arguments: {{ {name}: .. }}`")));
            } else {
                report.unknown_word(template.place, message, name, &known);
            }
        }
        rest = behind;
    }
}
