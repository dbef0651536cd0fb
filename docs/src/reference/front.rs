//! The front page: an overview of what the server offers.

use toolwrit_manifest::{Effect, Model, Operation};

use super::{count, policy};
use crate::markdown::{paragraphs, table, text};
use crate::page::Chapter;

/// The server's name for people.
pub(crate) fn title(model: &Model) -> &str {
    model.server.title.as_deref().unwrap_or(&model.server.name)
}

/// The first page, and the only one outside a folder.
pub(crate) fn front(model: &Model) -> Chapter {
    let mut body = format!("# {}\n\n", text(title(model)));
    if let Some(instructions) = &model.server.instructions {
        body.push_str(&paragraphs(instructions));
    }
    body.push_str(
        "The tables below, and every page under Operations and Reference, are generated from the \
         server's manifest. To connect a client, see the [quick start](guide/quick-start.md).\n\n",
    );
    body.push_str("## Operations\n\n");
    body.push_str(&categories(model));
    body.push_str("## Focus modes and roles\n\n");
    body.push_str(
        "A call runs when the focus mode and the role both allow it. \
         [The complete matrix](reference/policy.md) lists every operation.\n\n",
    );
    body.push_str(&policy::overview(model));
    Chapter::new("index.md", "Overview", body)
}

fn categories(model: &Model) -> String {
    let rows = super::categories(model).into_iter().map(|id| {
        let category = &model[id];
        let operations: Vec<&Operation> = model.operations_of(id).collect();
        let mut row = vec![
            format!("[{}](operations/{}.md)", text(&category.title), category.name),
            text(&category.summary),
        ];
        row.extend(Effect::ALL.map(|effect| count(&operations, effect).to_string()));
        row
    });
    table(&["Category", "What for", "read", "write", "destroy"], rows)
}
