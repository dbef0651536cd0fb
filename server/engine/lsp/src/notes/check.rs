//! The faults of blocks, as running them would report them before anything is called.

use gen_lsp_types::{Diagnostic, DiagnosticSeverity};
use serde_json::Value;
use toolwrit_chat::format::{Document, Mistake, RunBlock};
use toolwrit_chat::tools::{Tools as _, find_tool};
use toolwrit_mcp::endpoint::Request;

use super::{Block, Notes, is_tool};
use crate::answers;
use crate::text::Lines;

impl Notes {
    /// The faults of all blocks of a note. Runs nothing.
    pub(crate) async fn check(&self, text: &str, lines: &Lines<'_>) -> Vec<Diagnostic> {
        let document = Document::parse(text);
        let blocks = self.blocks(text);
        let mut diagnostics = Vec::new();
        // Other notes may have what a conversation may not.
        if !blocks.is_empty() || document.blocks().next().is_some() {
            diagnostics
                .extend(document.mistakes().iter().map(|found| mistake_diagnostic(found, lines)));
        }
        for block in &blocks {
            match document.run_block(&block.fence) {
                Err(found) => diagnostics.push(mistake_diagnostic(&found, lines)),
                Ok(call) => {
                    let error = self.find_fault(call).await;
                    diagnostics.extend(error.map(|error| fault_diagnostic(&error, block, lines)));
                }
            }
        }
        diagnostics
    }

    /// The error with which a call would fail, as callers receive it.
    async fn find_fault(&self, call: RunBlock) -> Option<Value> {
        let mut fault = match find_tool(&self.tools, &call) {
            Some(tool) => {
                let id = tool.id.clone();
                let checked = self.blocks.check(id, call.arguments, Request::default());
                checked.await.err()?.to_json()
            }
            None => match call.names().find_map(|name| self.operations.refusal(&name)) {
                Some((_, fault)) => fault,
                None => self.blocks.policy.not_found(&call.tool).to_json(),
            },
        };
        Some(fault["error"].take())
    }
}

fn mistake_diagnostic(mistake: &Mistake, lines: &Lines<'_>) -> Diagnostic {
    let range = lines.words(mistake.line.saturating_sub(1));
    answers::diagnostic(range, DiagnosticSeverity::Error, mistake.message.clone())
}

/// A fault at the part of the block that it is about.
fn fault_diagnostic(error: &Value, block: &Block<'_>, lines: &Lines<'_>) -> Diagnostic {
    let entry = block.find_entry(error["path"].as_str().unwrap_or_default());
    let part = entry.map(|entry| {
        if is_tool(&entry.path) || entry.key.is_empty() {
            entry.value
        } else {
            entry.key.start..entry.value.end.max(entry.key.end)
        }
    });
    let range = match part {
        Some(part) => lines.range(&block.range_in_note(&part)),
        None => lines.words(block.fence.line.saturating_sub(1)),
    };
    let code = error["code"].as_str().map(|code| code.to_owned().into());
    Diagnostic {
        code,
        ..answers::diagnostic(range, DiagnosticSeverity::Error, fault_message(error))
    }
}

/// The message of a fault, with what helps to correct it.
fn fault_message(error: &Value) -> String {
    let mut lines = vec![error["message"].as_str().unwrap_or_default().to_owned()];
    if let Some(expected) = error["expected"].as_str() {
        lines.push(format!("Expected: {expected}"));
    }
    let names = error["did_you_mean"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        lines.push(format!("Did you mean: {}", names.join(", ")));
    }
    lines.extend(error["hint"].as_str().map(str::to_owned));
    lines.join("\n")
}
