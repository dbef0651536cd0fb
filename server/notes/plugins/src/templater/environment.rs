//! What a running template sees of the vault and of the call.

use std::cell::RefCell;

use serde_json::{Map, Value as Json};
use toolwrit_vault::frontmatter::{self, Properties};
use toolwrit_vault::target::BlockId;
use toolwrit_vault::{CancelCheck, Note, NotePart, Vault, VaultPath};

use super::settings::Settings;
use toolwrit_moment::Moment;

/// How long a template may be, in bytes.
pub(super) const TEMPLATE_LIMIT: usize = 1 << 20;
/// How a note without a name is called, as in Obsidian.
const UNTITLED: &str = "Untitled.md";

/// What a template sees.
pub(super) struct Environment<'v> {
    pub(super) vault: &'v Vault,
    pub(super) settings: &'v Settings,
    pub(super) now: Moment,
    pub(super) template: VaultPath,
    /// The note that the template is for. The template may move it, as long as it does not exist.
    pub(super) target: RefCell<Option<VaultPath>>,
    /// That note, if it exists.
    pub(super) note: Option<Note>,
    pub(super) arguments: &'v Map<String, Json>,
    pub(super) cancelled: CancelCheck<'v>,
}

impl Environment<'_> {
    pub(super) fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// The answer to a prompt.
    pub(super) fn argument(&self, name: &str) -> Option<&Json> {
        self.arguments.get(name).filter(|answer| !answer.is_null())
    }

    pub(super) fn template(&self) -> &str {
        self.template.as_str()
    }

    pub(super) fn target_path(&self) -> String {
        self.target.borrow().as_ref().map_or_else(|| UNTITLED.to_owned(), ToString::to_string)
    }

    pub(super) fn title(&self) -> String {
        let target = self.target.borrow();
        target.as_ref().map_or("Untitled", VaultPath::stem).to_owned()
    }

    pub(super) fn content(&self) -> &str {
        self.note.as_ref().map_or("", |note| &note.content)
    }

    /// The properties of the note. Invalid frontmatter counts as empty.
    pub(super) fn properties(&self) -> Properties {
        frontmatter::read(self.content()).unwrap_or_default()
    }

    /// The tags of the note's properties.
    pub(super) fn tags(&self) -> Vec<String> {
        frontmatter::tags(&self.properties())
    }

    /// When the note was changed; now if it does not exist.
    pub(super) fn modified_time(&self) -> Moment {
        let zone = self.now.zoned().map(|now| now.time_zone().clone());
        let modified = self.note.as_ref().and_then(|note| note.modified);
        modified.zip(zone).map_or_else(|| self.now.clone(), |(at, zone)| at.to_zoned(zone).into())
    }

    /// Replaces the placeholders of the core plugin Templates.
    pub(super) fn fill_placeholders(&self, text: &str) -> String {
        self.settings.placeholders.fill(text, &self.title(), &self.now)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        VaultPath::parse(path).is_ok_and(|path| self.vault.locate(&path).is_ok())
    }

    /// The note with this path or name.
    pub(super) fn find(&self, name: &str) -> Option<String> {
        let path = VaultPath::parse(name.trim_start_matches('/')).ok()?;
        let in_folder =
            || VaultPath::parse(&format!("{}/{path}", self.settings.folder.as_str())).ok();
        let found = self.vault.locate(&path).ok().or_else(|| self.vault.locate(&in_folder()?).ok());
        found.or_else(|| self.find_by_name(&path)).map(|path| path.to_string())
    }

    /// The note of this name with the shortest path.
    fn find_by_name(&self, path: &VaultPath) -> Option<VaultPath> {
        let is_wanted = |found: &VaultPath| {
            found.name() == path.name() || found.is_note() && found.stem() == path.name()
        };
        let root = toolwrit_vault::Folder::ROOT;
        let listing =
            self.vault.list(&root, toolwrit_vault::Depth::DEEP, None, self.cancelled).ok()?;
        let found = listing.entries.into_iter().map(|entry| entry.path).filter(is_wanted);
        found.min_by_key(|path| path.as_str().len())
    }

    /// The text that a link to a note, or to a part of one, includes; and the note's path.
    pub(super) fn read_included(&self, link: &str) -> Result<(String, String), String> {
        let inner = link.trim().strip_prefix("[[").and_then(|link| link.strip_suffix("]]"));
        let inner = inner.unwrap_or(link);
        let inner = inner.split_once('|').map_or(inner, |(target, _)| target);
        let (name, part) = inner.split_once('#').map_or((inner, None), |(a, b)| (a, Some(b)));
        let path = self.find(name).ok_or_else(|| format!("`{link}` names no note of the vault"))?;
        let found = VaultPath::parse(&path).map_err(|error| error.to_string())?;
        let limit = Some(TEMPLATE_LIMIT);
        let note = match part.map(parse_part).transpose()? {
            Some(part) => self.vault.read_part(&found, &part, limit),
            None => self.vault.read(&found, limit),
        };
        note.map(|note| (path, note.content)).map_err(|error| error.to_string())
    }

    /// Gives the note another name in its folder.
    pub(super) fn rename(&self, name: &str) -> Result<(), String> {
        if name.contains('/') {
            return Err(format!("the name `{name}` contains `/`"));
        }
        let path = self.target_path();
        let folder =
            path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        self.relocate(&format!("{folder}{name}"))
    }

    /// Gives the note another path.
    pub(super) fn relocate(&self, path: &str) -> Result<(), String> {
        if self.note.is_some() {
            return Err("the note exists already; use `vault.move` to move it".to_owned());
        }
        let path = path.trim_start_matches('/');
        let path = VaultPath::parse(path).and_then(|path| {
            if path.is_note() { Ok(path) } else { VaultPath::parse(&format!("{path}.md")) }
        });
        *self.target.borrow_mut() = Some(path.map_err(|error| error.to_string())?);
        Ok(())
    }
}

fn parse_part(subpath: &str) -> Result<NotePart, String> {
    let part = match subpath.strip_prefix('^') {
        Some(id) => BlockId::parse(id).map(NotePart::Block),
        None => Ok(NotePart::Linked(subpath.to_owned())),
    };
    part.map_err(|error| error.to_string())
}
