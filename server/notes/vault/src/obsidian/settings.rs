//! The vault's own settings, which Obsidian keeps in a hidden folder.

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use serde_json::Value;

use crate::storage::root::{ReadOutcome, read_limited};

pub(crate) const CONFIG_FOLDER: &str = ".obsidian";
const APP_SETTINGS: &str = "app.json";
/// Largest file of Obsidian that is read, in bytes. Parsed JSON takes up to forty times as much
/// memory.
const FILE_LIMIT: u64 = 1 << 20;

/// Where deleted files go: `trashOption` in `app.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrashOption {
    /// The system's trash. Obsidian's default.
    #[default]
    System,
    /// The vault's `.trash` folder.
    Local,
    /// Permanently deleted.
    None,
}

/// How new links name notes: `newLinkFormat` in `app.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFormat {
    /// By the bare name if no other file has it, otherwise by the path from the vault's root.
    /// Obsidian's default.
    Shortest,
    /// By the path from the note's folder.
    Relative,
    /// By the path from the vault's root.
    Absolute,
}

/// The settings that the vault engine follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObsidianSettings {
    /// Name of the configuration folder, if there is one. Obsidian allows renaming it.
    pub config_folder: Option<String>,
    /// Where deleted files go.
    pub trash: TrashOption,
    /// How rewritten links are spelled; `None` if the settings do not say.
    pub link_format: Option<LinkFormat>,
    /// Which settings could not be understood. Their defaults apply.
    pub warning: Option<String>,
}

/// `.obsidian`, otherwise the first other hidden folder that contains Obsidian's settings.
pub(crate) fn find_config(root: &Dir) -> Option<(String, Dir)> {
    if let Ok(dir) = root.open_dir_nofollow(CONFIG_FOLDER) {
        return Some((CONFIG_FOLDER.to_owned(), dir));
    }
    let mut hidden: Vec<String> = root
        .entries()
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with('.'))
        .collect();
    hidden.sort_unstable();
    hidden.into_iter().find_map(|name| {
        let dir = root.open_dir_nofollow(&name).ok()?;
        dir.symlink_metadata(APP_SETTINGS).is_ok_and(|file| file.is_file()).then_some((name, dir))
    })
}

/// A parsed file of Obsidian; `None` if it does not exist.
pub(crate) fn read_json(config: &Dir, name: &str) -> Result<Option<Value>, String> {
    let bytes = match read_limited(config, name, FILE_LIMIT) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(ReadOutcome::TooLarge) => return Err("it is too large".to_owned()),
        Ok(ReadOutcome::Whole(bytes)) => bytes,
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| error.to_string())
}

impl ObsidianSettings {
    /// Reads the current settings. Invalid settings become defaults and a warning.
    pub(crate) fn read(root: &Dir) -> Self {
        let Some((config_folder, dir)) = find_config(root) else { return Self::default() };
        let mut settings = Self { config_folder: Some(config_folder), ..Self::default() };
        let app = read_json(&dir, APP_SETTINGS).map(Option::unwrap_or_default);
        let problem = app.and_then(|app| settings.apply(&app));
        settings.warning = problem.err().map(|problem| {
            let folder = settings.config_folder.as_deref().unwrap_or(CONFIG_FOLDER);
            format!("{folder}/{APP_SETTINGS}: {problem}; using the defaults")
        });
        settings
    }

    /// Takes over the settings in the file that are valid.
    fn apply(&mut self, app: &Value) -> Result<(), String> {
        let text = |key: &str| app.get(key).map(|value| value.as_str().unwrap_or_default());
        match text("newLinkFormat") {
            None => {}
            Some("shortest") => self.link_format = Some(LinkFormat::Shortest),
            Some("relative") => self.link_format = Some(LinkFormat::Relative),
            Some("absolute") => self.link_format = Some(LinkFormat::Absolute),
            Some(_) => {
                return Err("`newLinkFormat` is not `shortest`, `relative` or `absolute`".into());
            }
        }
        match text("trashOption") {
            None | Some("system") => {}
            Some("local") => self.trash = TrashOption::Local,
            Some("none") => self.trash = TrashOption::None,
            Some(_) => return Err("`trashOption` is not `system`, `local` or `none`".into()),
        }
        Ok(())
    }
}
