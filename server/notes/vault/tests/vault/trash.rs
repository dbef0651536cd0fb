//! Deleting as the vault's settings say.

use std::process::Command;
use std::{env, fs};

use tempfile::TempDir;
use toolwrit_vault::{Disposal, TrashOption, VaultError};

use crate::{Sandbox, path};

#[test]
fn the_vaults_trash_keeps_folders_and_earlier_files() {
    let sandbox = Sandbox::new();
    for (content, trashed) in
        [("1", ".trash/x/a.md"), ("2", ".trash/x/a 2.md"), ("3", ".trash/x/a 3.md")]
    {
        sandbox.put("x/a.md", content);
        let deleted = sandbox.vault.delete(&path("x/a"), None).unwrap();
        assert_eq!(deleted.path.as_str(), "x/a.md");
        assert_eq!(deleted.disposal, Disposal::VaultTrash(trashed.to_owned()));
        assert_eq!(deleted.warning, None);
    }
    assert_eq!(sandbox.files(), [".trash/x/a 2.md", ".trash/x/a 3.md", ".trash/x/a.md"]);
    assert_eq!(sandbox.bytes(".trash/x/a.md"), b"1");
}

#[test]
fn a_name_too_long_for_a_number_is_shortened() {
    let sandbox = Sandbox::new();
    let name = format!("{}.md", "é".repeat(126));
    let short = format!(".trash/{} 2.md", "é".repeat(125));
    for trashed in [format!(".trash/{name}"), short] {
        sandbox.put(&name, "x");
        let deleted = sandbox.vault.delete(&path(&name), None).unwrap();
        assert_eq!(deleted.disposal, Disposal::VaultTrash(trashed));
    }
}

#[test]
fn with_the_trash_off_files_are_deleted_permanently() {
    let sandbox = Sandbox::new();
    sandbox.put(".obsidian/app.json", r#"{"trashOption":"none"}"#);
    sandbox.put("a.md", "a");
    let deleted = sandbox.vault.delete(&path("a"), None).unwrap();
    assert_eq!(deleted.disposal, Disposal::Permanent);
    assert_eq!(sandbox.files(), Vec::<String>::new());
}

#[test]
fn deleting_folders_or_missing_files_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.put("x/a.md", "a");
    let folder = sandbox.vault.delete(&path("x"), None);
    assert!(matches!(folder, Err(VaultError::InvalidPath(_))), "{folder:?}");
    let missing = sandbox.vault.delete(&path("x/b"), None);
    assert!(matches!(missing, Err(VaultError::NotFound { .. })), "{missing:?}");
    assert_eq!(sandbox.files(), ["x/a.md"]);
}

#[test]
fn settings_are_read_from_any_configuration_folder() {
    let sandbox = Sandbox::new();
    let settings = sandbox.vault.obsidian();
    assert_eq!(settings.config_folder.as_deref(), Some(".obsidian"));
    assert_eq!(settings.trash, TrashOption::Local);
    fs::rename(sandbox.file(".obsidian"), sandbox.file(".config-work")).unwrap();
    let settings = sandbox.vault.obsidian();
    assert_eq!(settings.config_folder.as_deref(), Some(".config-work"));
    assert_eq!(settings.trash, TrashOption::Local);
    fs::remove_dir_all(sandbox.file(".config-work")).unwrap();
    assert_eq!(sandbox.vault.obsidian(), toolwrit_vault::ObsidianSettings::default());
}

#[test]
fn broken_settings_are_defaults_and_a_warning() {
    for (text, problem) in [
        ("{", "EOF"),
        (r#"{"trashOption":"burn"}"#, "is not `system`, `local` or `none`"),
        (r#"{"newLinkFormat":"long"}"#, "is not `shortest`, `relative` or `absolute`"),
        (r#"{"trashOption":7}"#, "is not `system`, `local` or `none`"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.put(".obsidian/app.json", text);
        let settings = sandbox.vault.obsidian();
        assert_eq!(settings.trash, TrashOption::System);
        let warning = settings.warning.unwrap();
        assert!(warning.starts_with(".obsidian/app.json: "), "{warning}");
        assert!(warning.contains(problem), "{warning}");
    }
}

/// Runs one test of this program again, with another data folder for the system's trash.
fn run_again(test: &str, data: &std::path::Path) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("XDG_DATA_HOME", data)
        .env("TOOLWRIT_TEST_DATA", data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The system's trash is found through the environment, so this runs in a separate process.
#[cfg(target_os = "linux")]
#[test]
fn the_system_trash_receives_the_file() {
    let Some(data) = env::var_os("TOOLWRIT_TEST_DATA") else {
        let data = TempDir::new().unwrap();
        return run_again("trash::the_system_trash_receives_the_file", data.path());
    };
    let sandbox = Sandbox::new();
    sandbox.put(".obsidian/app.json", "{}");
    sandbox.put("x/a.md", "a");
    let deleted = sandbox.vault.delete(&path("x/a"), None).unwrap();
    assert_eq!((deleted.disposal, deleted.warning), (Disposal::SystemTrash, None));
    assert_eq!(sandbox.files(), Vec::<String>::new());
    let trash = std::path::Path::new(&data).join("Trash");
    assert_eq!(fs::read(trash.join("files/a.md")).unwrap(), b"a");
    let info = fs::read_to_string(trash.join("info/a.md.trashinfo")).unwrap();
    let from = if cfg!(toolwrit_portable) { "vault/.trash/.toolwrit-" } else { "vault/x/a.md" };
    assert!(info.contains(from), "{info}");
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_system_trash_the_vaults_own_is_used_with_a_warning() {
    if env::var_os("TOOLWRIT_TEST_DATA").is_none() {
        let data = TempDir::new().unwrap();
        let file = data.path().join("not a folder");
        fs::write(&file, "").unwrap();
        let test = "trash::without_a_system_trash_the_vaults_own_is_used_with_a_warning";
        return run_again(test, &file);
    }
    let sandbox = Sandbox::new();
    sandbox.put(".obsidian/app.json", "{}");
    sandbox.put("a.md", "a");
    let deleted = sandbox.vault.delete(&path("a"), None).unwrap();
    assert_eq!(deleted.disposal, Disposal::VaultTrash(".trash/a.md".to_owned()));
    let warning = deleted.warning.unwrap();
    assert!(warning.contains("system trash is not available"), "{warning}");
    assert_eq!(sandbox.bytes(".trash/a.md"), b"a");
}
