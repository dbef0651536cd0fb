//! Error codes: those of every server, which the guide explains, and those that the manifest declares.

use toolwrit_manifest::{Effect, ErrorDef, Model, Operation, OperationId};

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
    let built_in = ErrorDef::BUILT_IN.iter().filter_map(|code| built_in_page(model, code));
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

fn built_in_page(model: &Model, code: &'static str) -> Option<Page> {
    let EngineError { meaning, cure, raised_by, .. } =
        ENGINE_ERRORS.iter().find(|error| error.code == code)?;
    let mut blocks = vec![
        guide::error_section(model, code).unwrap_or_else(|| paragraph(*meaning)),
        heading("What to do", "cure"),
        paragraph(*cure),
    ];
    match raised_by {
        RaisedBy::Every => {
            blocks.push(heading("Operations that can fail with it", "operations"));
            blocks.push(paragraph("Every operation can."));
        }
        RaisedBy::Some(raises) => {
            blocks.extend(failing_operations(model, |id| raises(&model[*id])))
        }
    }
    Some(Page::new(&error_path(code), code, meaning, blocks))
}

fn failing_operations(model: &Model, raises: impl Fn(&OperationId) -> bool) -> [Block; 2] {
    let users = model.governed_ids().filter(|id| raises(id));
    let users = join_with_commas(users.map(|id| operation_link(model, id)));
    [heading("Operations that can fail with it", "operations"), Block::Paragraph(users)]
}

/// An error code of the engine.
struct EngineError {
    code: &'static str,
    meaning: &'static str,
    /// What a caller can do about it.
    cure: &'static str,
    raised_by: RaisedBy,
}

/// Which operations can fail with a code.
#[derive(Clone, Copy)]
enum RaisedBy {
    Every,
    Some(fn(&Operation) -> bool),
}

const ENGINE_ERRORS: [EngineError; 17] = [
    engine_error(
        "TOOL_NOT_FOUND",
        "There is no such operation for this caller.",
        "Use a name of did_you_mean, or search for the operation. The caller's role may not allow it.",
        RaisedBy::Every,
    ),
    engine_error(
        "VALIDATION_ERROR",
        "The arguments do not match the parameters.",
        "Change the argument that path names to what expected says; example is a valid call.",
        RaisedBy::Every,
    ),
    engine_error(
        "WRITES_DISABLED",
        "The server is read-only.",
        "Ask the operator to start the server without read-only mode.",
        RaisedBy::Some(|operation| operation.effect != Effect::Read),
    ),
    engine_error(
        "FOCUS_RESTRICTED",
        "The focus mode does not allow the operation.",
        "Ask the operator for a focus mode that the hint names.",
        RaisedBy::Every,
    ),
    engine_error(
        "PROVIDER_UNAVAILABLE",
        "Software that the operation needs is not available.",
        "Do what the hint says, such as to start the other software. Then call again.",
        RaisedBy::Some(|operation| operation.requires.is_some()),
    ),
    engine_error(
        "CONFIRMATION_REQUIRED",
        "The user must confirm the call.",
        "Ask the user. If the user agrees, send the same call with the token in expected.",
        RaisedBy::Some(|operation| operation.confirm),
    ),
    engine_error(
        "NOT_FOUND",
        "What the call names does not exist.",
        "Use a name of did_you_mean, or list what exists.",
        RaisedBy::Every,
    ),
    engine_error(
        "ALREADY_EXISTS",
        "What the call would create exists.",
        "Choose another name, or allow that it is replaced where the operation can do so.",
        RaisedBy::Some(changes_data),
    ),
    engine_error(
        "CONFLICT",
        "It changed since the caller read it.",
        "Read it again, and repeat the change on what you read.",
        RaisedBy::Some(changes_data),
    ),
    engine_error(
        "INVALID_PATH",
        "The path is not allowed.",
        "Name a path of the form in expected.",
        RaisedBy::Every,
    ),
    engine_error(
        "TIMEOUT",
        "The operation took too long.",
        "Check whether it was done in part. Then ask for less, or try again if retryable is true.",
        RaisedBy::Every,
    ),
    engine_error(
        "CANCELLED",
        "The caller cancelled the call.",
        "Nothing is wrong. Call again only if the user asks for it.",
        RaisedBy::Every,
    ),
    engine_error(
        "LIMIT_EXCEEDED",
        "The caller sent too much at once.",
        "Wait as long as retry_after says, or end the session if it has no such field.",
        RaisedBy::Every,
    ),
    engine_error(
        "RESULT_TOO_LARGE",
        "The result is larger than the limit.",
        "Ask for less at once: a part, fewer fields, or a smaller page.",
        RaisedBy::Every,
    ),
    engine_error(
        "UPSTREAM_ERROR",
        "Other software that the operation uses failed.",
        "Try again later if retryable is true. Otherwise the message says what the other software refused.",
        RaisedBy::Some(|operation| operation.requires.is_some() || operation.uses_network()),
    ),
    engine_error(
        "UPSTREAM_FORBIDDEN",
        "Other software refused the request.",
        "Give the server's credentials more rights there, or act as another user.",
        RaisedBy::Some(|operation| operation.binding.is_some()),
    ),
    engine_error(
        "INTERNAL",
        "The server has a defect.",
        "Give the id in the message to the operator, who finds the details in the log.",
        RaisedBy::Every,
    ),
];

const fn engine_error(
    code: &'static str,
    meaning: &'static str,
    cure: &'static str,
    raised_by: RaisedBy,
) -> EngineError {
    EngineError { code, meaning, cure, raised_by }
}

fn changes_data(operation: &Operation) -> bool {
    operation.effect != Effect::Read
}

/// The errors with which an operation can fail.
pub(super) fn section(model: &Model, operation: &Operation) -> Vec<Block> {
    let declared = operation
        .errors
        .iter()
        .map(|id| [vec![code_link(&model[*id].name)], vec![text(&model[*id].summary)]]);
    let special = ENGINE_ERRORS.iter().filter(|error| match error.raised_by {
        RaisedBy::Every => false,
        RaisedBy::Some(raises) => raises(operation),
    });
    let special = special.map(|error| [vec![code_link(error.code)], vec![text(error.meaning)]]);
    let rows: Vec<[Line; 2]> = declared.chain(special).collect();
    let every = ENGINE_ERRORS.iter().filter(|error| matches!(error.raised_by, RaisedBy::Every));
    let mut blocks = vec![heading("Errors", "errors")];
    if !rows.is_empty() {
        blocks.push(table("Errors of this operation", ["Code", "Meaning"], rows));
    }
    let mut words = vec![text("As every operation: ")];
    words.extend(join_with_commas(every.map(|error| code_link(error.code))));
    blocks.push(Block::Paragraph(words));
    blocks
}
