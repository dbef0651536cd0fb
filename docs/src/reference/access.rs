//! Who may call an operation.

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{Effect, Model, OperationId};

use super::policy::{focus_path, role_path};
use crate::document::{Block, Inline, Line, code, heading, join_with_commas, link, text};

/// The roles and the focus modes that allow an operation. A call needs one of each.
pub(super) fn section(model: &Model, id: OperationId) -> Vec<Block> {
    let roles: Vec<bool> = model.role_ids().map(|role| role_allows(model, role, id)).collect();
    let allowing: Vec<bool> =
        model.focus_ids().map(|focus| focus_allows(model, focus, id)).collect();
    let role_links = model.roles.iter().map(|role| link(role_path(&role.name), code(&role.name)));
    let mode_links = model.focus.iter().map(|mode| link(focus_path(&mode.name), code(&mode.name)));
    let mut blocks = vec![heading("Who may call it", "access")];
    if !roles.contains(&true) || !allowing.contains(&true) {
        blocks
            .push(Block::Paragraph(vec![text("No combination of role and focus mode allows it.")]));
        return blocks;
    }
    blocks.push(Block::List(vec![
        allowed_line("Roles", "Every role", &roles, role_links),
        allowed_line("Focus modes", "Every focus mode", &allowing, mode_links),
    ]));
    if model[id].effect != Effect::Read {
        blocks.push(Block::Paragraph(vec![text("Not while the server is read-only.")]));
    }
    blocks
}

fn allowed_line(
    title: &str,
    all: &str,
    answers: &[bool],
    links: impl Iterator<Item = Inline>,
) -> Line {
    if answers.iter().all(|allows| *allows) {
        return vec![text(format!("{all}."))];
    }
    let links = links.zip(answers).filter(|(_, allows)| **allows).map(|(link, _)| link);
    let mut line = vec![text(format!("{title}: "))];
    line.extend(join_with_commas(links));
    line.push(text("."));
    line
}
