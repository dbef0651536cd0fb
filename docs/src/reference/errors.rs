//! Error codes: those of every server, which the guide explains, and those that the manifest declares.

use toolwrit_manifest::{Effect, ErrorDef, Model, Operation, OperationId};

use super::operation_link;
use crate::document::{
    Block, Line, Row, Table, TableKind, code, heading, link, listed, paragraph, table, text,
};
use crate::guide;
use crate::page::Page;

const PATH: &str = "reference/errors";

fn path(code: &str) -> String {
    format!("{PATH}/{code}")
}

fn code_link(name: &str) -> crate::document::Inline {
    link(path(name), code(name))
}

pub(super) fn pages(model: &Model) -> Vec<Page> {
    let declared = model.errors.iter().map(|own| declared(model, own));
    let built_in = ErrorDef::BUILT_IN.iter().filter_map(|own| built_in(model, own));
    let pages: Vec<Page> = declared.chain(built_in).map(|page| page.below(PATH)).collect();
    [list(&pages)].into_iter().chain(pages).collect()
}

fn list(pages: &[Page]) -> Page {
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

fn declared(model: &Model, own: &ErrorDef) -> Page {
    let mut blocks = vec![paragraph(&own.summary), heading("What to do", "cure")];
    blocks.push(paragraph(own.hint.as_deref().unwrap_or("The manifest gives no hint.")));
    blocks.push(paragraph(if own.retryable {
        "The same call may succeed later."
    } else {
        "The same call fails again."
    }));
    let declares =
        |id: &OperationId| model[*id].errors.iter().any(|error| model[*error].name == own.name);
    blocks.extend(users(model, declares));
    Page::new(&path(&own.name), &own.name, &own.summary, blocks)
}

fn built_in(model: &Model, own: &'static str) -> Option<Page> {
    let Known { meaning, cure, of, .. } = KNOWN.iter().find(|known| known.code == own)?;
    let mut blocks = vec![
        guide::error(model, own).unwrap_or_else(|| paragraph(*meaning)),
        heading("What to do", "cure"),
        paragraph(*cure),
    ];
    match of {
        Of::Every => {
            blocks.push(heading("Operations that can fail with it", "operations"));
            blocks.push(paragraph("Every operation can."));
        }
        Of::Some(raises) => blocks.extend(users(model, |id| raises(&model[*id]))),
    }
    Some(Page::new(&path(own), own, meaning, blocks))
}

fn users(model: &Model, raises: impl Fn(&OperationId) -> bool) -> [Block; 2] {
    let users = model.governed_ids().filter(|id| raises(id));
    let users = listed(users.map(|id| operation_link(model, id)));
    [heading("Operations that can fail with it", "operations"), Block::Paragraph(users)]
}

/// An error code of the engine.
struct Known {
    code: &'static str,
    meaning: &'static str,
    /// What a caller can do about it.
    cure: &'static str,
    of: Of,
}

/// Which operations can fail with a code.
#[derive(Clone, Copy)]
enum Of {
    Every,
    Some(fn(&Operation) -> bool),
}

const KNOWN: [Known; 17] = [
    known(
        "TOOL_NOT_FOUND",
        "There is no such operation for this caller.",
        "Use a name of did_you_mean, or search for the operation. The caller's role may not allow it.",
        Of::Every,
    ),
    known(
        "VALIDATION_ERROR",
        "The arguments do not match the parameters.",
        "Change the argument that path names to what expected says; example is a valid call.",
        Of::Every,
    ),
    known(
        "WRITES_DISABLED",
        "The server is read-only.",
        "Ask the operator to start the server without read-only mode.",
        Of::Some(|own| own.effect != Effect::Read),
    ),
    known(
        "FOCUS_RESTRICTED",
        "The focus mode does not allow the operation.",
        "Ask the operator for a focus mode that the hint names.",
        Of::Every,
    ),
    known(
        "PROVIDER_UNAVAILABLE",
        "Software that the operation needs is not available.",
        "Do what the hint says, such as to start the other software. Then call again.",
        Of::Some(|own| own.requires.is_some()),
    ),
    known(
        "CONFIRMATION_REQUIRED",
        "The user must confirm the call.",
        "Ask the user. If the user agrees, send the same call with the token in expected.",
        Of::Some(|own| own.confirm),
    ),
    known(
        "NOT_FOUND",
        "What the call names does not exist.",
        "Use a name of did_you_mean, or list what exists.",
        Of::Every,
    ),
    known(
        "ALREADY_EXISTS",
        "What the call would create exists.",
        "Choose another name, or allow that it is replaced where the operation can do so.",
        Of::Some(changes),
    ),
    known(
        "CONFLICT",
        "It changed since the caller read it.",
        "Read it again, and repeat the change on what you read.",
        Of::Some(changes),
    ),
    known(
        "INVALID_PATH",
        "The path is not allowed.",
        "Name a path of the form in expected.",
        Of::Every,
    ),
    known(
        "TIMEOUT",
        "The operation took too long.",
        "Check whether it was done in part. Then ask for less, or try again if retryable is true.",
        Of::Every,
    ),
    known(
        "CANCELLED",
        "The caller cancelled the call.",
        "Nothing is wrong. Call again only if the user asks for it.",
        Of::Every,
    ),
    known(
        "LIMIT_EXCEEDED",
        "The caller sent too much at once.",
        "Wait as long as retry_after says, or end the session if it has no such field.",
        Of::Every,
    ),
    known(
        "RESULT_TOO_LARGE",
        "The result is larger than the limit.",
        "Ask for less at once: a part, fewer fields, or a smaller page.",
        Of::Every,
    ),
    known(
        "UPSTREAM_ERROR",
        "Other software that the operation uses failed.",
        "Try again later if retryable is true. Otherwise the message says what the other software refused.",
        Of::Some(|own| own.requires.is_some() || own.uses_network()),
    ),
    known(
        "UPSTREAM_FORBIDDEN",
        "Other software refused the request.",
        "Give the server's credentials more rights there, or act as another user.",
        Of::Some(|own| own.binding.is_some()),
    ),
    known(
        "INTERNAL",
        "The server has a defect.",
        "Give the id in the message to the operator, who finds the details in the log.",
        Of::Every,
    ),
];

const fn known(code: &'static str, meaning: &'static str, cure: &'static str, of: Of) -> Known {
    Known { code, meaning, cure, of }
}

fn changes(own: &Operation) -> bool {
    own.effect != Effect::Read
}

/// The errors with which an operation can fail.
pub(super) fn of_operation(model: &Model, operation: &Operation) -> Vec<Block> {
    let declared = operation
        .errors
        .iter()
        .map(|id| [vec![code_link(&model[*id].name)], vec![text(&model[*id].summary)]]);
    let own = KNOWN.iter().filter(|known| match known.of {
        Of::Every => false,
        Of::Some(raises) => raises(operation),
    });
    let own = own.map(|known| [vec![code_link(known.code)], vec![text(known.meaning)]]);
    let rows: Vec<[Line; 2]> = declared.chain(own).collect();
    let every = KNOWN.iter().filter(|known| matches!(known.of, Of::Every));
    let mut blocks = vec![heading("Errors", "errors")];
    if !rows.is_empty() {
        blocks.push(table("Errors of this operation", ["Code", "Meaning"], rows));
    }
    let mut words = vec![text("As every operation: ")];
    words.extend(listed(every.map(|known| code_link(known.code))));
    blocks.push(Block::Paragraph(words));
    blocks
}
