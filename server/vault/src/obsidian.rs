//! The vault's own settings, kept by Obsidian in a hidden folder.

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use serde_json::Value;

use crate::root::{open_file, read_up_to};
use crate::vault::Vault;

const CONFIG_FOLDER: &str = ".obsidian";
const APP_SETTINGS: &str = "app.json";
const SETTINGS_LIMIT: u64 = 1024 * 1024;

/// Where deleted files go: `trashOption` in `app.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrashOption {
    /// The system's trash. Obsidian's default.
    #[default]
    System,
    /// The vault's `.trash` folder.
    Local,
    /// Nowhere: they are gone.
    None,
}

/// The settings that the vault engine follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObsidianSettings {
    /// Name of the configuration folder, if there is one. Obsidian lets people rename it.
    pub config_folder: Option<String>,
    /// Where deleted files go.
    pub trash: TrashOption,
    /// What in the settings could not be understood; the defaults were used instead.
    pub warning: Option<String>,
}

impl Vault {
    /// Reads the vault's settings as they are now. Broken settings are defaults and a warning.
    pub fn obsidian(&self) -> ObsidianSettings {
        let Some((config_folder, dir)) = find_config(&self.root().dir) else {
            return ObsidianSettings::default();
        };
        let (trash, warning) = match trash_option(&dir) {
            Ok(trash) => (trash, None),
            Err(problem) => {
                let text = format!("{config_folder}/{APP_SETTINGS}: {problem}; using the defaults");
                (TrashOption::default(), Some(text))
            }
        };
        ObsidianSettings { config_folder: Some(config_folder), trash, warning }
    }
}

/// `.obsidian`, else the first other hidden folder that holds Obsidian's settings.
fn find_config(root: &Dir) -> Option<(String, Dir)> {
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

fn trash_option(config: &Dir) -> Result<TrashOption, String> {
    let (mut file, metadata) = match open_file(config, APP_SETTINGS) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(TrashOption::default());
        }
        opened => opened.map_err(|error| error.to_string())?,
    };
    let bytes = read_up_to(&mut file, SETTINGS_LIMIT, metadata.len().min(SETTINGS_LIMIT))
        .map_err(|error| error.to_string())?
        .ok_or("it is too large")?;
    let settings: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    match settings.get("trashOption").map(Value::as_str) {
        None | Some(Some("system")) => Ok(TrashOption::System),
        Some(Some("local")) => Ok(TrashOption::Local),
        Some(Some("none")) => Ok(TrashOption::None),
        Some(_) => Err("`trashOption` is not `system`, `local` or `none`".to_owned()),
    }
}
