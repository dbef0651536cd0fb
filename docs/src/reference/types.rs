//! The declared types.

use toolwrit_manifest::{Model, Shape, TypeDef};

use super::shape;
use crate::markdown::{badge, code_block, entry_heading, label, paragraphs};
use crate::page::Chapter;

pub(super) fn page(model: &Model) -> Option<Chapter> {
    if model.types.is_empty() {
        return None;
    }
    let mut body = "# Types\n\nThe types that the manifest declares.\n\n".to_owned();
    for declared in &model.types {
        body.push_str(&entry(model, declared));
    }
    Some(Chapter::new("reference/types.md", "Types", body))
}

fn entry(model: &Model, declared: &TypeDef) -> String {
    let mut entry = entry_heading(&declared.name, &declared.name);
    let mut about = vec![shape::type_cell(model, &declared.shape)];
    about.extend(shape::bounds(model.resolve(&declared.shape)));
    if declared.sensitive {
        about.push(badge("flag", "never logged"));
    }
    entry.push_str(&format!("{}\n\n", about.join(" · ")));
    if let Some(description) = &declared.description {
        entry.push_str(&paragraphs(description));
    }
    if let Some(meanings) = shape::meanings(model, &declared.shape) {
        entry.push_str(&format!("{meanings}\n\n"));
    }
    if !matches!(declared.shape, Shape::Named(_)) {
        entry.push_str(&shape::results(model, &declared.shape));
    }
    if let Some(example) = &declared.example {
        entry.push_str(&label("Example"));
        entry.push_str(&code_block("json", &format!("{example:#}")));
    }
    entry
}
