//! What a user adds to a note.

use toolwrit_chat::format::{Document, Kind, Part, Status};

use crate::problem::Problem;

/// Checks that a text stays the user's where it is added.
pub(crate) fn fits(text: &str) -> Result<(), Problem> {
    // Properties are such only at the beginning of a note.
    let within = format!("\n{text}\n");
    let document = Document::parse(&within);
    if let Some(mistake) = document.mistakes().first() {
        return Err(Problem::Text(format!("line {}: {}", mistake.line - 1, mistake.message)));
    }
    let is_block = |part: &Part| matches!(part, Part::Block(_));
    if document.parts().iter().any(is_block) {
        return Err(Problem::Text(
            "it contains a block of a conversation. Quote it with `> > ` instead.".to_owned(),
        ));
    }
    Ok(())
}

/// Whether the last thing that the user has said is this text, and calls that answer it have not ended.
pub(crate) fn has_begun(document: &Document<'_>, text: &str) -> bool {
    let mut pending = false;
    for part in document.parts().iter().rev() {
        match part {
            Part::Block(block) => {
                pending |= block.header.kind == Kind::Tool
                    && matches!(block.header.state.status, Status::Asks | Status::Unfinished);
            }
            Part::Text(user) => {
                let visible = user.visible(document);
                if !visible.is_empty() {
                    return pending && visible.ends_with(text);
                }
            }
            Part::NewChat(_) | Part::Properties(_) => return false,
        }
    }
    false
}
