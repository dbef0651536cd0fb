//! Names and folders of new notes.

use super::Words;
use crate::model::id::EntityId;
use crate::model::kind::EntityKind;

/// Longest title in a name, in characters.
const LONGEST: usize = 100;

impl Words {
    /// The path of a new note below the folder of the workspace, `copy` being greater than 1 if the name is taken.
    pub(crate) fn path_of_new(&self, id: EntityId, title: &str, copy: usize) -> String {
        let name = if self.names.is_empty() { id.to_string() } else { self.fill_name(id, title) };
        let name = if copy > 1 { format!("{name} {copy}") } else { name };
        match self.folders.get(&id.kind()) {
            Some(folder) => format!("{folder}/{name}.md"),
            None => format!("{name}.md"),
        }
    }

    /// Whether new notes are named after their ids, so that their names tell which ids are taken.
    pub(crate) fn are_named_by_id(&self, kind: EntityKind) -> bool {
        self.names.is_empty() && !self.folders.contains_key(&kind)
    }

    fn fill_name(&self, id: EntityId, title: &str) -> String {
        let title = file_name(title);
        let joined = |separator: &str| title.split(' ').collect::<Vec<_>>().join(separator);
        let id_text = id.to_string();
        let name = self.names.replace("{id}", &id_text);
        let name = name.replace("{id-lower}", &id_text.to_lowercase());
        let name = name.replace("{title-dashes}", &joined("-"));
        let name = name.replace("{title_underscores}", &joined("_"));
        let name = name.replace("{title}", &title);
        if name.trim().is_empty() { id_text } else { name.trim().to_owned() }
    }
}

/// A title without what names of files and targets of links cannot have.
fn file_name(title: &str) -> String {
    let is_kept = |c: char| !c.is_control() && !"\\/:*?\"<>|#^[]%".contains(c);
    let kept: String = title.chars().map(|c| if is_kept(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(LONGEST).collect();
    name.trim_matches(['.', ' ']).to_owned()
}
