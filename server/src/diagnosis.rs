//! The checks of the vault and its projects for `doctor`.

use toolwrit::Check;
use toolwrit_plugins::community::CommunityPlugins;
use toolwrit_project::Workspace;
use toolwrit_vault::{Depth, Folder, Interruptions, ObsidianSettings, Vault, VaultError};

use crate::plugins::{smart_connections, templater};
use crate::rest_api::{ApiError, RestApi};
use crate::served_vault::ServedVault;
use crate::setup_mode;

/// Most problems of a workspace that are listed.
const MOST_PROBLEMS: usize = 20;

/// Checks whether the vault can be read and written, its settings, whether the REST API answers, and the
/// notes of the projects.
pub(crate) fn run_checks(served: &ServedVault) -> Vec<Check> {
    let ServedVault { vault, rest_api, workspaces, .. } = served;
    let read_only = served.is_read_only();
    let name = "vault writing";
    let writing = if read_only {
        Check::ok(name, "not needed with --read-only")
    } else {
        check_writing(name, vault)
    };
    let mut checks = vec![check_reading(vault), writing];
    checks.extend(check_names(vault));
    let recording = if read_only { Ok(()) } else { vault.check_journal() };
    checks.extend(check_journal(recording, vault.interruptions()));
    checks.extend([check_settings(vault.obsidian()), check_rest_api(rest_api.as_ref())]);
    checks.extend(CommunityPlugins::read(vault).problems.into_iter().map(|problem| {
        Check::warn(
            "obsidian plugins",
            problem,
            "Correct the file, or install the plugin again in Obsidian.",
        )
    }));
    checks.extend(templater::find_problems(vault).into_iter().map(|problem| {
        Check::warn("templates", problem, "Correct the template, or run it in Obsidian.")
    }));
    checks.extend(smart_connections::find_problems(vault).into_iter().map(|problem| {
        Check::warn(
            "smart connections",
            problem,
            "The server does not need the line. Let the plugin save its data again in Obsidian.",
        )
    }));
    checks.extend(workspaces.iter().flat_map(check_workspace));
    checks
}

/// That no vault is chosen.
pub(crate) fn no_vault() -> Check {
    Check::warn(
        "vault",
        "no folder of notes is chosen, so no notes are served",
        setup_mode::remedy(),
    )
}

fn check_reading(vault: &Vault) -> Check {
    match vault.list(&Folder::ROOT, Depth::SHALLOW, None, &|| false) {
        Ok(listing) => {
            Check::ok("vault", format!("`{}`, {} at the top", vault.name(), listing.entries.len()))
        }
        Err(error) => Check::fail(
            "vault",
            error.to_string(),
            "Give the user of the server permission to read the folder.",
        ),
    }
}

/// Names what is in the vault's folders and not part of the vault.
fn check_names(vault: &Vault) -> Option<Check> {
    // `check_reading` says why the folder cannot be read.
    let left_out = vault.left_out(&|| false).ok().filter(|left_out| !left_out.is_empty())?;
    Some(Check::warn(
        "vault names",
        format!("not part of the vault: {}", list_some(&left_out)),
        "Symbolic links are not followed. Rename the other files and folders there, and make sure that the server may read \
         them.",
    ))
}

/// The first few of many names.
fn list_some(names: &[String]) -> String {
    let some = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more =
        if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
    format!("{some}{more}")
}

fn check_writing(name: &str, vault: &Vault) -> Check {
    match vault.check_writable() {
        Ok(()) => Check::ok(name, "notes can be changed"),
        Err(error @ VaultError::Busy) => Check::warn(
            name,
            error.to_string(),
            "Wait until the other program has finished writing.",
        ),
        Err(error) => Check::fail(
            name,
            error.to_string(),
            "Give the user of the server permission to write to the folder, or use --read-only.",
        ),
    }
}

/// Checks the journal of changes to several files: returns each problem found, or one success.
fn check_journal(recording: toolwrit_vault::Result<()>, found: Interruptions) -> Vec<Check> {
    let name = "vault journal";
    let mut checks = Vec::new();
    if let Err(error) = recording {
        checks.push(Check::fail(
            name,
            error.to_string(),
            "Use --data-dir to name a folder outside the vault that the user of the server can write to.",
        ));
    }
    if found.is_pending {
        checks.push(Check::warn(
            name,
            "a change of several files is incomplete: a program is working on it, or was interrupted",
            "If no program is working on it, start the server without --read-only to complete it.",
        ));
    }
    if let Some(refused) = found.refused {
        checks.push(Check::warn(
            name,
            "the record of an interrupted change was not applied: it belongs to another vault, user or machine",
            format!("If a move or deletion is incomplete, complete it by hand; then delete {}.", refused.display()),
        ));
    }
    if let Some((list, files)) = found.blocked {
        let files = list_some(&files);
        checks.push(Check::warn(
            name,
            format!("an interrupted change skipped files that had been edited since: {files}"),
            format!("Check the content of these files; then delete {}.", list.display()),
        ));
    }
    if !found.foreign.is_empty() {
        checks.push(Check::warn(
            name,
            format!("found what looks like the change of another user: {}", found.foreign.join(", ")),
            "It is never applied. Delete it, unless another user's server must complete the change.",
        ));
    }
    if checks.is_empty() {
        checks.push(Check::ok(name, "changes of several files are atomic"));
    }
    checks
}

fn check_settings(settings: ObsidianSettings) -> Check {
    let name = "vault settings";
    match (settings.config_folder, settings.warning) {
        (_, Some(warning)) => Check::warn(name, warning, "Fix the file, in Obsidian or by hand."),
        (Some(folder), None) => Check::ok(name, format!("an Obsidian vault, with {folder}")),
        (None, None) => Check::warn(
            name,
            "no folder .obsidian: any folder of Markdown works, with Obsidian's default settings",
            "If you meant another folder, name it with --vault DIR.",
        ),
    }
}

fn check_rest_api(api: Option<&RestApi>) -> Check {
    let name = "local rest api";
    let Some(api) = api else {
        return Check::ok(name, "not used: workspace.json names the active file");
    };
    match api.active_file() {
        Ok(_) | Err(ApiError::NothingOpen) => {
            Check::ok(name, format!("answers at {}", api.address()))
        }
        Err(error @ ApiError::NotRunning { .. }) => {
            Check::warn(name, error.to_string(), "Start Obsidian with this vault and the plugin.")
        }
        Err(error) => Check::fail(
            name,
            error.to_string(),
            "Compare the address, the key and the certificate with the plugin's settings.",
        ),
    }
}

/// Returns how many entities a workspace has, and what is wrong in its notes.
fn check_workspace(workspace: &Workspace) -> Vec<Check> {
    let name = "project workspace";
    let shown = format!("`{}` in `{}`", workspace.name(), workspace.folder());
    let project = match workspace.project(&|| false) {
        Ok(project) => project,
        Err(error) => {
            let fix = "Give the user of the server permission to read the folder.";
            return vec![Check::fail(name, format!("{shown}: {error}"), fix)];
        }
    };
    let (entities, problems) = (project.entities().count(), project.problems());
    let found = format!("{shown}: {entities} entities, {} problems", problems.len());
    let mut checks = vec![Check::ok(name, found)];
    checks.extend(
        problems
            .iter()
            .take(MOST_PROBLEMS)
            .map(|problem| Check::warn("project notes", problem.to_string(), "Correct the note.")),
    );
    if let Some(more) = problems.len().checked_sub(MOST_PROBLEMS).filter(|more| *more > 0) {
        let fix = "Correct the notes above; `project.analyze_project_state` lists the others.";
        checks.push(Check::warn("project notes", format!("{more} more problems"), fix));
    }
    checks
}
