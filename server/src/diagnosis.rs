//! What `doctor` tells of the vault.

use toolwrit::Check;
use toolwrit_vault::{Depth, Folder, Interruptions, ObsidianSettings, Vault, VaultError};

use crate::rest_api::{ApiError, RestApi};

/// Whether it can be read and written, whose vault it is, and whether Obsidian can be asked.
pub(crate) fn checks(vault: &Vault, read_only: bool, api: Option<&RestApi>) -> Vec<Check> {
    let what = "vault writing";
    let writing = if read_only {
        Check::ok(what, "not needed: --read-only changes nothing")
    } else {
        writing(what, vault)
    };
    let mut checks = vec![reading(vault), writing];
    let recording = if read_only { Ok(()) } else { vault.check_journal() };
    checks.extend(journal(recording, vault.interruptions()));
    checks.extend([obsidian(vault.obsidian()), rest_api(api)]);
    checks
}

fn reading(vault: &Vault) -> Check {
    match vault.list(&Folder::ROOT, Depth::SHALLOW, None, &|| false) {
        Ok(listing) => {
            Check::ok("vault", format!("`{}`, {} at the top", vault.name(), listing.entries.len()))
        }
        Err(error) => {
            Check::fail("vault", error.to_string(), "Let the user of the server read the folder.")
        }
    }
}

fn writing(what: &str, vault: &Vault) -> Check {
    match vault.check_writable() {
        Ok(()) => Check::ok(what, "notes can be changed"),
        Err(error @ VaultError::Busy) => {
            Check::warn(what, error.to_string(), "Wait until the other program has written.")
        }
        Err(error) => Check::fail(
            what,
            error.to_string(),
            "Let the user of the server write the folder, or serve it with --read-only.",
        ),
    }
}

/// Of changes of several files: each finding, or one that all is well.
fn journal(recording: toolwrit_vault::Result<()>, found: Interruptions) -> Vec<Check> {
    let what = "vault journal";
    let mut checks = Vec::new();
    if let Err(error) = recording {
        checks.push(Check::fail(
            what,
            error.to_string(),
            "Name a folder outside the vault with --data-dir that the user of the server can write.",
        ));
    }
    if found.is_pending {
        checks.push(Check::warn(
            what,
            "a change of several files is half done: a program is at work on it, or was interrupted",
            "Unless one is at work, start the server without --read-only, which finishes it.",
        ));
    }
    if let Some(refused) = found.refused {
        checks.push(Check::warn(
            what,
            "a record of an interrupted change was not carried out: it is not of this vault, user and machine",
            format!("If a move or deletion is half done, finish it by hand; then delete {}.", refused.display()),
        ));
    }
    if let Some((list, files)) = found.blocked {
        let some = files.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more =
            if files.len() > 5 { format!(" and {} more", files.len() - 5) } else { String::new() };
        checks.push(Check::warn(
            what,
            format!(
                "an interrupted change left files alone that had been edited since: {some}{more}"
            ),
            format!("Look whether they are as they should be; then delete {}.", list.display()),
        ));
    }
    if !found.foreign.is_empty() {
        checks.push(Check::warn(
            what,
            format!("there is what looks like a change of somebody else: {}", found.foreign.join(", ")),
            "It is never carried out. Delete it, unless another user's server is to finish its change.",
        ));
    }
    if checks.is_empty() {
        checks.push(Check::ok(what, "changes of several files happen whole or not at all"));
    }
    checks
}

fn obsidian(settings: ObsidianSettings) -> Check {
    let what = "vault settings";
    match (settings.config_folder, settings.warning) {
        (_, Some(warning)) => {
            Check::warn(what, warning, "Correct the file, in Obsidian or by hand.")
        }
        (Some(folder), None) => Check::ok(what, format!("an Obsidian vault, with {folder}")),
        (None, None) => Check::warn(
            what,
            "no folder .obsidian: any folder of Markdown works, with Obsidian's default settings",
            "If another folder was meant, name it with --vault DIR.",
        ),
    }
}

fn rest_api(api: Option<&RestApi>) -> Check {
    let what = "local rest api";
    let Some(api) = api else {
        return Check::ok(what, "not used: the active file is that of workspace.json");
    };
    match api.active_file() {
        Ok(_) | Err(ApiError::NothingOpen) => {
            Check::ok(what, format!("answers at {}", api.address()))
        }
        Err(error @ ApiError::NotRunning { .. }) => {
            Check::warn(what, error.to_string(), "Start Obsidian with this vault and the plugin.")
        }
        Err(error) => Check::fail(
            what,
            error.to_string(),
            "Compare the address, the key and the certificate with the plugin's settings.",
        ),
    }
}
