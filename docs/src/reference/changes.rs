//! What changed since an older manifest, as callers notice it.

use toolwrit_manifest::{Model, Operation, OperationId};

use super::difference::{self, Change};
use super::operation_link;
use crate::document::{Block, Line, Term, badge, code, heading, paragraph, plain_text, text};
use crate::page::Page;

const PATH: &str = "reference/changes";

pub(super) fn page(older: &Model, model: &Model) -> Page {
    let compared = Comparison::new(older, model);
    let added = compared.added.iter().map(|id| {
        let meaning = vec![paragraph(&model[*id].summary)];
        Term { anchor: None, name: vec![operation_link(model, *id)], meaning }
    });
    let renamed = compared.renamed.iter().map(|(before, id)| {
        let name = vec![code(&before.id), text(" is now "), operation_link(model, *id)];
        Term { anchor: None, name, meaning: vec![paragraph("The older name still works.")] }
    });
    let removed = compared.removed.iter().map(|operation| removed_term(model, operation));
    let changed = compared.kept_operations().filter_map(|(before, id)| {
        let changes = difference::compare_operations((older, before), (model, id));
        let lines: Vec<Line> = changes.into_iter().map(Change::into_line).collect();
        let name = vec![operation_link(model, id)];
        (!lines.is_empty()).then(|| Term { anchor: None, name, meaning: vec![Block::List(lines)] })
    });
    let sections = [
        ("Removed operations", "removed", removed.collect::<Vec<_>>()),
        ("Renamed operations", "renamed", renamed.collect()),
        ("Changed operations", "changed", changed.collect()),
        ("New operations", "added", added.collect()),
    ];
    let mut blocks = Vec::new();
    for (title, anchor, terms) in sections {
        if !terms.is_empty() {
            blocks.extend([heading(title, anchor), Block::Terms(terms)]);
        }
    }
    blocks.extend(other_changes(older, model));
    if blocks.is_empty() {
        blocks.push(paragraph("Nothing that callers notice."));
    }
    Page::new(PATH, "What changed", "What changed since the older manifest.", blocks)
}

/// What callers notice of the changes of operations since an older manifest: lines of text, the removed ones first.
pub(crate) fn lines(older: &Model, model: &Model) -> Vec<String> {
    let compared = Comparison::new(older, model);
    let removed = compared.removed.iter().map(|operation| format!("removed: {}", operation.id));
    let renamed = compared
        .renamed
        .iter()
        .map(|(before, id)| format!("renamed: {} is now {}", before.id, model[*id].id));
    let changed = compared.kept_operations().flat_map(|(before, id)| {
        let changes = difference::compare_operations((older, before), (model, id)).into_iter();
        let line = move |change: Change| {
            format!("changed: {}: {}", model[id].id, plain_text(&change.into_line()))
        };
        changes.map(line)
    });
    let added =
        compared.added.iter().map(|id| format!("new: {}: {}", model[*id].id, model[*id].summary));
    removed.chain(renamed).chain(changed).chain(added).collect()
}

/// An operation that is gone without an older name that leads on.
fn removed_term(model: &Model, operation: &Operation) -> Term {
    let gone = model.removed.iter().find(|gone| gone.name == operation.wire_name);
    let mut words = match gone {
        Some(gone) => vec![text(&gone.note)],
        None => vec![text("Calls of it fail with "), code("TOOL_NOT_FOUND"), text(".")],
    };
    if let Some(id) = gone.and_then(|gone| gone.replacement) {
        words.extend([text(" Use "), operation_link(model, id), text(" instead.")]);
    }
    let name = vec![code(&operation.id), text(" "), badge("deprecated", "may break calls")];
    Term { anchor: None, name, meaning: vec![Block::Paragraph(words)] }
}

/// The operations of two manifests.
struct Comparison<'a> {
    added: Vec<OperationId>,
    removed: Vec<&'a Operation>,
    renamed: Vec<(&'a Operation, OperationId)>,
    same: Vec<(&'a Operation, OperationId)>,
}

impl<'a> Comparison<'a> {
    fn new(older: &'a Model, model: &Model) -> Self {
        let mut compared = Self { added: vec![], removed: vec![], renamed: vec![], same: vec![] };
        for id in older.governed_ids() {
            let operation = &older[id];
            let same = model.governed_ids().find(|at| model[*at].id == operation.id);
            let leads_on = |at: &OperationId| {
                let mut aliases = model[*at].aliases.iter();
                aliases.any(|alias| alias.name == operation.wire_name || alias.name == operation.id)
            };
            match (same, model.governed_ids().find(leads_on)) {
                (Some(at), _) => compared.same.push((operation, at)),
                (None, Some(at)) => compared.renamed.push((operation, at)),
                (None, None) => compared.removed.push(operation),
            }
        }
        let is_new = |id: &OperationId| compared.kept_operations().all(|(_, at)| at != *id);
        compared.added = model.governed_ids().filter(is_new).collect();
        compared
    }

    /// The operations that both manifests have, by whatever name.
    fn kept_operations(&self) -> impl Iterator<Item = (&'a Operation, OperationId)> {
        self.same.iter().chain(&self.renamed).copied()
    }
}

/// Which of everything else is new or gone.
fn other_changes(older: &Model, model: &Model) -> Vec<Block> {
    let lists = [
        (
            "Categories",
            added_and_gone(older, model, |model| {
                model.categories.iter().map(|declared| &declared.name).collect()
            }),
        ),
        (
            "Types",
            added_and_gone(older, model, |model| {
                model.types.iter().map(|declared| &declared.name).collect()
            }),
        ),
        (
            "Roles",
            added_and_gone(older, model, |model| {
                model.roles.iter().map(|declared| &declared.name).collect()
            }),
        ),
        (
            "Focus modes",
            added_and_gone(older, model, |model| {
                model.focus.iter().map(|declared| &declared.name).collect()
            }),
        ),
        (
            "Error codes",
            added_and_gone(older, model, |model| {
                model.errors.iter().map(|declared| &declared.name).collect()
            }),
        ),
        (
            "Providers",
            added_and_gone(older, model, |model| {
                model.providers.iter().map(|declared| &declared.name).collect()
            }),
        ),
    ];
    let terms: Vec<Term> = lists
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| Term {
            anchor: None,
            name: vec![text(title)],
            meaning: vec![Block::List(lines)],
        })
        .collect();
    if terms.is_empty() {
        return Vec::new();
    }
    vec![heading("Everything else", "else"), Block::Terms(terms)]
}

fn added_and_gone(
    older: &Model,
    model: &Model,
    names: impl Fn(&Model) -> Vec<&String>,
) -> Vec<Line> {
    let (before, now) = (names(older), names(model));
    let line =
        |words: &str, name: &String| -> Line { vec![code(name), text(format!(" is {words}."))] };
    let gone = before.iter().filter(|name| !now.contains(name)).map(|name| line("gone", name));
    let new = now.iter().filter(|name| !before.contains(name)).map(|name| line("new", name));
    gone.chain(new).collect()
}
