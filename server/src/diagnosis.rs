//! What `doctor` tells of the vault.

use toolwrit::Check;
use toolwrit_vault::{Depth, Folder, ObsidianSettings, Vault, VaultError};

use crate::rest_api::{ApiError, RestApi};

/// Whether it can be read and written, whose vault it is, and whether Obsidian can be asked.
pub(crate) fn checks(vault: &Vault, api: Option<&RestApi>) -> Vec<Check> {
    vec![reading(vault), writing(vault), obsidian(vault.obsidian()), rest_api(api)]
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

fn writing(vault: &Vault) -> Check {
    let what = "vault writing";
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
