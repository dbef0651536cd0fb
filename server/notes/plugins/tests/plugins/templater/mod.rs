//! Templates and daily notes in real vaults.

mod daily;
mod execution;
mod limits;
mod methods;
mod parameters;
mod refusals;

use std::fs;

use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use tempfile::TempDir;
use toolwrit_plugins::Moment;
use toolwrit_plugins::templater::{Executed, Execution, TemplateError, Templater};
use toolwrit_vault::{Vault, VaultPath};

/// A vault of some files, with Templater and its folder `Templates`.
struct Notes {
    folder: TempDir,
    vault: Vault,
}

impl Notes {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let notes = Self { folder, vault };
        notes.put(".obsidian/community-plugins.json", r#"["templater-obsidian"]"#);
        let plugin = ".obsidian/plugins/templater";
        notes.put(&format!("{plugin}/manifest.json"), r#"{"id": "templater-obsidian"}"#);
        notes.put(&format!("{plugin}/data.json"), r#"{"templates_folder": "Templates"}"#);
        fs::create_dir_all(notes.folder.path().join("Templates")).unwrap();
        for (path, text) in files {
            notes.put(path, text);
        }
        notes
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(path)).ok()
    }

    fn run(
        &self,
        template: &str,
        arguments: Value,
        target: Option<&str>,
    ) -> Result<Executed, TemplateError> {
        self.execute(template, arguments, target, false)
    }

    fn execute(
        &self,
        template: &str,
        arguments: Value,
        target: Option<&str>,
        dry_run: bool,
    ) -> Result<Executed, TemplateError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let target = target.map(|target| VaultPath::parse(target).unwrap());
        let target = target.as_ref();
        let execution = Execution { template, arguments: &arguments, target, dry_run, now: now() };
        Templater::open(&self.vault)?.execute(&execution, &|| false)
    }
}

/// The text that a template gives.
fn text(template: &str) -> Result<String, TemplateError> {
    let notes = Notes::new(&[("Templates/T.md", template)]);
    notes.run("T", Value::Object(Map::new()), None).map(|done| done.content)
}

/// What a template fails with.
fn failure(template: &str) -> String {
    text(template).unwrap_err().to_string()
}

/// 9 March 2026, 14:05 in UTC.
fn now() -> Moment {
    date(2026, 3, 9).at(14, 5, 0, 0).to_zoned(TimeZone::UTC).unwrap().into()
}
