//! What changed since an older manifest, as callers notice it.

use toolwrit_manifest::{Model, Operation, OperationId};

use super::difference::{self, Change};
use super::operation_link;
use crate::document::{Block, Inline, Line, Term, badge, code, heading, paragraph, text};
use crate::page::Page;

const PATH: &str = "reference/changes";

pub(super) fn page(older: &Model, model: &Model) -> Page {
    let compared = Compared::of(older, model);
    let added = compared.added.iter().map(|id| {
        let meaning = vec![paragraph(&model[*id].summary)];
        Term { anchor: None, name: vec![operation_link(model, *id)], meaning }
    });
    let renamed = compared.renamed.iter().map(|(own, id)| {
        let name = vec![code(&own.id), text(" is now "), operation_link(model, *id)];
        Term { anchor: None, name, meaning: vec![paragraph("The older name still works.")] }
    });
    let removed = compared.removed.iter().map(|own| removed(model, own));
    let changed = compared.kept().filter_map(|(own, id)| {
        let changes = difference::of_operations((older, own), (model, id));
        let lines: Vec<Line> = changes.into_iter().map(Change::line).collect();
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
    blocks.extend(names(older, model));
    if blocks.is_empty() {
        blocks.push(paragraph("Nothing that callers notice."));
    }
    Page::new(PATH, "What changed", "What changed since the older manifest.", blocks)
}

/// An operation that is gone without an older name that leads on.
fn removed(model: &Model, own: &Operation) -> Term {
    let gone = model.removed.iter().find(|gone| gone.name == own.wire_name);
    let mut words = match gone {
        Some(gone) => vec![text(&gone.note)],
        None => vec![text("Calls of it fail with "), code("TOOL_NOT_FOUND"), text(".")],
    };
    if let Some(id) = gone.and_then(|gone| gone.replacement) {
        words.extend([text(" Use "), operation_link(model, id), text(" instead.")]);
    }
    let name = vec![code(&own.id), text(" "), badge("deprecated", "may break calls")];
    Term { anchor: None, name, meaning: vec![Block::Paragraph(words)] }
}

/// The operations of two manifests.
struct Compared<'a> {
    added: Vec<OperationId>,
    removed: Vec<&'a Operation>,
    renamed: Vec<(&'a Operation, OperationId)>,
    same: Vec<(&'a Operation, OperationId)>,
}

impl<'a> Compared<'a> {
    fn of(older: &'a Model, model: &Model) -> Self {
        let mut own = Self { added: vec![], removed: vec![], renamed: vec![], same: vec![] };
        for id in older.governed_ids() {
            let operation = &older[id];
            let same = model.governed_ids().find(|at| model[*at].id == operation.id);
            let leads_on = |at: &OperationId| {
                let mut aliases = model[*at].aliases.iter();
                aliases.any(|alias| alias.name == operation.wire_name || alias.name == operation.id)
            };
            match (same, model.governed_ids().find(leads_on)) {
                (Some(at), _) => own.same.push((operation, at)),
                (None, Some(at)) => own.renamed.push((operation, at)),
                (None, None) => own.removed.push(operation),
            }
        }
        let is_new = |id: &OperationId| own.kept().all(|(_, at)| at != *id);
        own.added = model.governed_ids().filter(is_new).collect();
        own
    }

    /// The operations that both manifests have, by whatever name.
    fn kept(&self) -> impl Iterator<Item = (&'a Operation, OperationId)> {
        self.same.iter().chain(&self.renamed).copied()
    }
}

/// Which of everything else is new or gone.
fn names(older: &Model, model: &Model) -> Vec<Block> {
    let lists = [
        (
            "Categories",
            each(older, model, |own| own.categories.iter().map(|one| &one.name).collect()),
        ),
        ("Types", each(older, model, |own| own.types.iter().map(|one| &one.name).collect())),
        ("Roles", each(older, model, |own| own.roles.iter().map(|one| &one.name).collect())),
        ("Focus modes", each(older, model, |own| own.focus.iter().map(|one| &one.name).collect())),
        ("Error codes", each(older, model, |own| own.errors.iter().map(|one| &one.name).collect())),
        (
            "Providers",
            each(older, model, |own| own.providers.iter().map(|one| &one.name).collect()),
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

fn each(older: &Model, model: &Model, names: impl Fn(&Model) -> Vec<&String>) -> Vec<Line> {
    let (before, now) = (names(older), names(model));
    let line = |words: &str, name: &String| -> Line {
        let own: Inline = code(name);
        vec![own, text(format!(" is {words}."))]
    };
    let gone = before.iter().filter(|name| !now.contains(name)).map(|name| line("gone", name));
    let new = now.iter().filter(|name| !before.contains(name)).map(|name| line("new", name));
    gone.chain(new).collect()
}
