//! Error codes: those of every server, which the guide explains, and those that the manifest declares.

use toolwrit_manifest::{Effect, ErrorDef, Model, Operation, OperationId};
use toolwrit_words::{BuiltInCode, Code};

use super::operation_link;
use crate::document::{
    Block, Inline, Line, Row, Table, TableKind, code, heading, join_with_commas, link, paragraph,
    table, text,
};
use crate::guide;
use crate::page::Page;

const PATH: &str = "reference/errors";

fn error_path(code: &str) -> String {
    format!("{PATH}/{code}")
}

fn code_link(name: &str) -> Inline {
    link(error_path(name), code(name))
}

pub(super) fn pages(model: &Model) -> Vec<Page> {
    let declared = model.errors.iter().map(|error| declared_page(model, error));
    let built_in = Code::BUILT_IN.into_iter().map(|error| built_in_page(model, &error));
    let pages: Vec<Page> = declared.chain(built_in).map(|page| page.with_parent(PATH)).collect();
    [list_page(&pages)].into_iter().chain(pages).collect()
}

fn list_page(pages: &[Page]) -> Page {
    let row = |page: &Page| Row {
        anchor: Some(page.title.clone()),
        cells: vec![vec![link(&page.path, code(&page.title))], vec![text(&page.summary)]],
    };
    let table = Block::Table(Table {
        caption: "Error codes".to_owned(),
        kind: TableKind::Plain,
        head: ["Code", "Meaning"].map(|words| vec![text(words)]).into(),
        rows: pages.iter().map(row).collect(),
    });
    let how = vec![link("guide/errors", text("What an error looks like"))];
    let summary = "Why a call can fail, and what to do.";
    Page::new(PATH, "Error codes", summary, vec![Block::Paragraph(how), table])
}

fn declared_page(model: &Model, error: &ErrorDef) -> Page {
    let mut blocks = vec![paragraph(&error.summary), heading("What to do", "cure")];
    blocks.push(paragraph(error.hint.as_deref().unwrap_or("The manifest gives no hint.")));
    blocks.push(paragraph(if error.retryable {
        "The same call may succeed later."
    } else {
        "The same call fails again."
    }));
    let declares =
        |id: &OperationId| model[*id].errors.iter().any(|id| model[*id].name == error.name);
    blocks.extend(failing_operations(model, declares));
    Page::new(&error_path(&error.name), &error.name, &error.summary, blocks)
}

fn built_in_page(model: &Model, error: &BuiltInCode) -> Page {
    let BuiltInCode { code, name, meaning, remedy, .. } = error;
    let mut blocks = vec![
        guide::error_section(model, name).unwrap_or_else(|| paragraph(*meaning)),
        heading("What to do", "cure"),
        paragraph(*remedy),
    ];
    match raised_by(code) {
        RaisedBy::Every => {
            blocks.push(heading("Operations that can fail with it", "operations"));
            blocks.push(paragraph("Every operation can."));
        }
        RaisedBy::Some(raises) => {
            blocks.extend(failing_operations(model, |id| raises(&model[*id])));
        }
    }
    Page::new(&error_path(name), name, meaning, blocks)
}

fn failing_operations(model: &Model, raises: impl Fn(&OperationId) -> bool) -> [Block; 2] {
    let users = model.governed_ids().filter(|id| raises(id));
    let users = join_with_commas(users.map(|id| operation_link(model, id)));
    [heading("Operations that can fail with it", "operations"), Block::Paragraph(users)]
}

/// Which operations can fail with a code.
#[derive(Clone, Copy)]
enum RaisedBy {
    Every,
    Some(fn(&Operation) -> bool),
}

/// Which operations can fail with a code of the engine.
fn raised_by(code: &Code) -> RaisedBy {
    match code {
        Code::WritesDisabled | Code::AlreadyExists | Code::Conflict => {
            RaisedBy::Some(|operation| operation.effect != Effect::Read)
        }
        Code::ProviderUnavailable => RaisedBy::Some(|operation| operation.requires.is_some()),
        Code::ConfirmationRequired => RaisedBy::Some(|operation| operation.confirm),
        Code::UpstreamError => {
            RaisedBy::Some(|operation| operation.requires.is_some() || operation.uses_network())
        }
        Code::UpstreamForbidden => RaisedBy::Some(|operation| operation.binding.is_some()),
        _ => RaisedBy::Every,
    }
}

/// The errors with which an operation can fail.
pub(super) fn section(model: &Model, operation: &Operation) -> Vec<Block> {
    let declared = operation
        .errors
        .iter()
        .map(|id| [vec![code_link(&model[*id].name)], vec![text(&model[*id].summary)]]);
    let special = Code::BUILT_IN.into_iter().filter(|error| match raised_by(&error.code) {
        RaisedBy::Every => false,
        RaisedBy::Some(raises) => raises(operation),
    });
    let special = special.map(|error| [vec![code_link(error.name)], vec![text(error.meaning)]]);
    let rows: Vec<[Line; 2]> = declared.chain(special).collect();
    let every = Code::BUILT_IN.into_iter();
    let every = every.filter(|error| matches!(raised_by(&error.code), RaisedBy::Every));
    let mut blocks = vec![heading("Errors", "errors")];
    if !rows.is_empty() {
        blocks.push(table("Errors of this operation", ["Code", "Meaning"], rows));
    }
    let mut words = vec![text("As every operation: ")];
    words.extend(join_with_commas(every.map(|error| code_link(error.name))));
    blocks.push(Block::Paragraph(words));
    blocks
}
