//! Converts errors of the vault, of its plugins and of Obsidian's REST API to faults for the caller.

use toolwrit::{Code, Fault};
use toolwrit_dataview::QueryError;
use toolwrit_dataview::bases::BaseError;
use toolwrit_plugins::periodic::PeriodicError;
use toolwrit_plugins::smart_connections::SearchError;
use toolwrit_plugins::templater::TemplateError;
use toolwrit_project::ProjectError;
use toolwrit_text::to_sentence;
use toolwrit_vault::patch::PatchError;
use toolwrit_vault::target::TargetError;
use toolwrit_vault::{LayoutError, VaultError};

use crate::rest_api::{ApiError, ENABLE};

/// The hint when no file is active.
pub(crate) const OPEN_ONE: &str =
    "Open a file in Obsidian, or name a note with the operations of vault.";

/// Gives an error its code and a hint.
pub(crate) fn fault(error: VaultError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        VaultError::NotFound { similar, .. } => {
            let similar: Vec<String> = similar.iter().map(ToString::to_string).collect();
            let hint = match similar.first() {
                Some(path) => {
                    format!("Did you mean {path}? Use vault.search to find notes by text or path.")
                }
                None => "Use vault.list or vault.search to find existing files.".to_owned(),
            };
            Fault::not_found(message).did_you_mean(similar).hinting(hint)
        }
        VaultError::AlreadyExists { .. } => {
            Fault::already_exists(message).hinting("Choose another path; nothing was changed.")
        }
        VaultError::Conflict { current, .. } => Fault::conflict(message)
            .expecting(format!("if_match {current}"))
            .hinting("Read the note again and repeat the change with its new etag."),
        VaultError::ChangedMeanwhile { .. } => {
            Fault::conflict(message).retryable(true).hinting("Send the call again.")
        }
        VaultError::NotDownloaded { .. } => Fault::new(Code::ProviderUnavailable, message)
            .hinting("The user must download the file, by opening it in Finder or in Obsidian."),
        VaultError::Leased { .. } => Fault::conflict(message)
            .hinting("Nothing was changed. Change other notes, or wait until the conversation has ended."),
        VaultError::NotDeleted { .. } => Fault::conflict(message).retryable(false).hinting(
            "Its attachments may be deleted already. Use vault.history to see what was deleted, and vault.undo to restore it.",
        ),
        VaultError::NoSuchChange { .. } => {
            Fault::not_found(message).hinting("Use vault.history to list what can be undone.")
        }
        VaultError::NotUndone { .. } => Fault::conflict(message)
            .retryable(false)
            .hinting("Nothing was changed. Change the note with the operations of vault."),
        VaultError::NotAgreed => Fault::conflict(message)
            .hinting("Send the call again without `confirm`, and let the user confirm what it would do now."),
        VaultError::InvalidPath(_) => {
            Fault::invalid_path(message).expecting("a vault-relative path such as Projects/Plan.md")
        }
        VaultError::TooComplex { .. } => Fault::too_large(message).hinting(
            "Read it as markdown, without heading and block; use lines or max_bytes to read a part.",
        ),
        VaultError::NoSuchPart { reason, .. } => target_fault(&reason, message),
        VaultError::NotPatched { reason, .. } => match reason {
            PatchError::Target(reason) => target_fault(&reason, message),
            PatchError::TooComplex(_) => Fault::too_large(message).hinting(
                "Use vault.append or vault.write instead. Properties can still be patched.",
            ),
            PatchError::AlreadyPresent => Fault::already_exists(message),
            PatchError::Property(_)
            | PatchError::ColumnCount { .. }
            | PatchError::Unsupported(_)
            | PatchError::Refused(_) => Fault::validation(message),
        },
        VaultError::Settings { .. } => Fault::new(Code::ProviderUnavailable, message)
            .hinting("The user must correct the file, or save the settings in Obsidian."),
        VaultError::NoActiveFile(reason) => Fault::not_found(message).hinting(match reason {
            LayoutError::Missing { .. } => {
                "Open the vault in Obsidian, which creates its workspace file, or name a note with the operations of vault."
            }
            LayoutError::Malformed { .. } => {
                "Open a file in Obsidian, which rewrites its workspace file, or name a note with the operations of vault."
            }
            LayoutError::NothingOpen { .. } => OPEN_ONE,
        }),
        VaultError::InvalidTag(_) => {
            Fault::validation(message).expecting("a tag such as project/garden")
        }
        VaultError::TooMany { .. } => Fault::new(Code::LimitExceeded, message)
            .retryable(false)
            .hinting("Nothing was changed. Change the notes of one folder after another."),
        VaultError::TooLarge { .. } => Fault::too_large(message),
        VaultError::NotText { .. } => Fault::validation(message)
            .hinting("`vault.attachment` shows pictures, recordings and PDF documents."),
        VaultError::BadPattern { .. } | VaultError::Malformed { .. } => Fault::validation(message),
        VaultError::NotMarkdown { .. } => Fault::validation(message)
            .expecting("a note, .md")
            .hinting("`vault.write` writes a whole file of another kind."),
        VaultError::NoJournal { .. } => Fault::new(Code::WritesDisabled, message).hinting(
            "Files without backlinks can still be changed one by one. The operator of the server can run `doctor` for details.",
        ),
        VaultError::ReadOnly { .. } => Fault::new(Code::WritesDisabled, message),
        VaultError::Obstructed { path, .. } => Fault::new(Code::WritesDisabled, message)
            .hinting(format!("Nothing was changed. The user must remove `{path}`; the server then creates its own.")),
        VaultError::Busy | VaultError::Crowded | VaultError::OpenFiles { .. } => Fault::new(Code::LimitExceeded, message).retry_after(1.0),
        VaultError::Cancelled => Fault::cancelled("Cancelled."),
        VaultError::Unopenable { .. } | VaultError::Io { .. } => Fault::internal(message),
    }
}

/// Converts an error of periodic notes.
pub(crate) fn periodic_fault(error: PeriodicError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        PeriodicError::Vault(error) | PeriodicError::Template(TemplateError::Vault(error)) => {
            fault(error)
        }
        PeriodicError::NoDay(_) => {
            Fault::validation(message).with_path("/date").expecting("a day of the calendar")
        }
        PeriodicError::Off(_) => Fault::new(Code::ProviderUnavailable, message).hinting(
            "The user must switch these notes on in Obsidian. `period: day` needs no plugin.",
        ),
        PeriodicError::Settings(_) => Fault::validation(message).hinting(
            "The user must correct the file, or save the settings of these notes in Obsidian.",
        ),
        PeriodicError::Template(TemplateError::Exceeded(_)) => {
            Fault::new(Code::LimitExceeded, message)
                .retryable(false)
                .hinting("The user must shorten the template of the note. Nothing was written.")
        }
        PeriodicError::Template(_) => Fault::validation(message)
            .hinting("The user must change the template of the note. Nothing was written."),
    }
}

/// The fault of a call that needs the REST API where none is configured.
pub(crate) fn api_not_configured() -> Fault {
    Fault::new(Code::ProviderUnavailable, "Obsidian's Local REST API is not configured.")
        .hinting(ENABLE)
}

/// Converts an error of the REST API.
pub(crate) fn api_fault(error: &ApiError) -> Fault {
    let message = error.to_string();
    match error {
        ApiError::NothingOpen => Fault::not_found(message).hinting(OPEN_ONE),
        ApiError::NotRunning { .. } => Fault::new(Code::ProviderUnavailable, message)
            .hinting("Start Obsidian with this vault and its plugin Local REST API.")
            .retryable(true),
        ApiError::WrongKey => Fault::upstream(message)
            .hinting(
                "The operator must copy the key from the plugin's settings to \
                 TOOLWRIT_OBSIDIAN_API_KEY and restart this server.",
            )
            .retryable(false),
        ApiError::WrongCertificate(_) => Fault::upstream(message)
            .hinting(
                "If the plugin has created a new certificate, the operator must set \
                 TOOLWRIT_OBSIDIAN_CERT to it and restart this server.",
            )
            .retryable(false),
        ApiError::Script(_) => Fault::validation(message).with_path("/code"),
        ApiError::Failed(_) => Fault::upstream(message),
    }
}

/// Converts an error of Dataview queries.
pub(crate) fn query_fault(error: QueryError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        QueryError::Syntax(_) => Fault::validation(message).with_path("/query").expecting(
            "LIST, TABLE, TASK or CALENDAR, then FROM, WHERE, SORT, GROUP BY, FLATTEN or LIMIT",
        ),
        QueryError::Failed(_) => Fault::validation(message).with_path("/query"),
        QueryError::Time(_) => Fault::new(Code::Timeout, message),
        QueryError::Rows(_) => Fault::too_large(message),
        QueryError::Vault(error) => fault(error),
    }
}

/// Converts an error of bases.
pub(crate) fn base_fault(error: BaseError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        BaseError::Vault(error) => fault(error),
        BaseError::Invalid(_) => {
            Fault::validation(message).with_path("/path").hinting("Correct the file there.")
        }
        BaseError::NoView { views, .. } if views.is_empty() => Fault::not_found(message)
            .with_path("/path")
            .hinting("Add a view to the file: `views: [{ type: table, name: All }]`."),
        BaseError::NoView { views, .. } => {
            let hint = format!("Its views are: {}.", views.join(", "));
            Fault::not_found(message).with_path("/view").did_you_mean(views).hinting(hint)
        }
        BaseError::NoBlock { .. } => Fault::not_found(message)
            .with_path("/block")
            .hinting("Choose a .base file, or a note with a fenced block of the language `base`."),
        BaseError::Origin(error) => fault(*error).with_path("/origin"),
        BaseError::Size(_) => Fault::too_large(message),
        BaseError::Time(_) => Fault::new(Code::Timeout, message),
    }
}

/// Converts an error of a template.
pub(crate) fn template_fault(error: TemplateError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        TemplateError::Vault(error) => fault(error),
        TemplateError::NoFolder => Fault::new(Code::ProviderUnavailable, message)
            .hinting("The user must choose a folder of templates in the settings of Templater."),
        TemplateError::Settings(_) => Fault::new(Code::ProviderUnavailable, message)
            .hinting("The user must correct the file, or save the plugin's settings in Obsidian."),
        TemplateError::NotFound { similar, .. } => {
            let hint = match similar.first() {
                Some(name) => format!("Did you mean {name}?"),
                None => "Use vault.list to find the templates in the folder.".to_owned(),
            };
            Fault::not_found(message).with_path("/template").did_you_mean(similar).hinting(hint)
        }
        TemplateError::Missing(missing) => {
            let names: Vec<_> = missing.into_iter().map(|parameter| parameter.name).collect();
            Fault::validation(message).expecting(format!("arguments: {}", names.join(", ")))
        }
        TemplateError::Unknown { known, .. } if known.is_empty() => {
            Fault::validation(message).expecting("no arguments")
        }
        TemplateError::Unknown { known, .. } => {
            Fault::validation(message).expecting(format!("arguments: {}", known.join(", ")))
        }
        TemplateError::Argument(_) => Fault::validation(message),
        TemplateError::Exceeded(_) => {
            Fault::new(Code::LimitExceeded, message).retryable(false).hinting(
                "The user must shorten the template, or let it repeat less. Nothing was written.",
            )
        }
        TemplateError::Failed(_) => Fault::validation(message).hinting(
            "The user must change the template, or run it in Obsidian. Nothing was written.",
        ),
    }
}

/// Converts an error of the search by meaning.
pub(crate) fn search_fault(error: SearchError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        SearchError::Building => Fault::new(Code::LimitExceeded, message)
            .retry_after(1.0)
            .hinting("Until then, vault.search finds notes by their words."),
        SearchError::Vault(error) => fault(error),
    }
}

/// Converts an error of a project. The caller adds the argument that it is about.
pub(crate) fn project_fault(error: ProjectError) -> Fault {
    let message = to_sentence(&error.to_string());
    match error {
        ProjectError::Vault(error) => fault(error),
        ProjectError::UnknownWorkspace { known, .. } => Fault::not_found(message)
            .with_path("/workspace")
            .expecting(known.join("|"))
            .hinting("Use project.list_workspaces to see the workspaces."),
        ProjectError::InvalidId(_) => Fault::validation(message)
            .expecting("an id such as T-001")
            .hinting("Use project.search_entities to find ids."),
        ProjectError::NoSuchEntity { .. } => Fault::not_found(message)
            .hinting("Use project.search_entities to find existing entities."),
        ProjectError::Unreadable { .. } => Fault::validation(message)
            .hinting("Correct the note, with the operations of vault or by hand."),
        ProjectError::UnknownField { similar, known, .. } => Fault::validation(message)
            .expecting(known.join("|"))
            .did_you_mean(similar),
        ProjectError::InvalidField { .. } => Fault::validation(message),
        ProjectError::InvalidChoice { expected, similar, .. } => {
            Fault::validation(message).expecting(expected.join("|")).did_you_mean(similar)
        }
        ProjectError::MissingReference { .. } => Fault::validation(message)
            .expecting("the id of an entity that exists")
            .hinting("Create it first, or use project.search_entities to find it."),
        ProjectError::Cycle { .. } => Fault::validation(message)
            .hinting("Remove one of the other links of the cycle first."),
        ProjectError::Conflict { current, .. } => Fault::conflict(message)
            .expecting(format!("if_match {current}"))
            .hinting("Get the entity again and repeat the change with its new etag."),
        ProjectError::Ambiguous { .. } => Fault::conflict(message)
            .hinting("Give the copy another `id` in Obsidian or with vault.patch, or delete it."),
        ProjectError::InvalidWords { .. } => {
            Fault::validation(message).hinting("Correct the file; the guide describes it.")
        }
        ProjectError::CreatedOtherwise { .. } | ProjectError::Aborted => Fault::conflict(message),
        ProjectError::InvalidBatch(_) => Fault::validation(message).with_path("/ops"),
        ProjectError::InvalidCanvas { .. } => Fault::validation(message)
            .with_path("/options/canvas_source")
            .expecting("a file that ends with .canvas, in the format JSON Canvas 1.0"),
        ProjectError::OutsideWorkspace { folder, .. } => Fault::invalid_path(message)
            .expecting(format!("a path such as {folder}/Plan.md"))
            .hinting("Other notes are read and written with the operations of vault."),
        ProjectError::Memory(_) => Fault::new(Code::WritesDisabled, message).hinting(
            "Entities can still be changed one by one. The operator of the server can run `doctor` for details.",
        ),
        ProjectError::Settings(_) => Fault::internal(message),
    }
}

/// Converts an error about a place in a note.
fn target_fault(reason: &TargetError, message: String) -> Fault {
    match reason {
        TargetError::Missing { near, .. } => Fault::not_found(message).did_you_mean(near.clone()),
        TargetError::BeyondEnd { .. } | TargetError::NoTask { .. } => Fault::not_found(message),
        TargetError::Malformed { .. } | TargetError::SeveralTasks { .. } => {
            Fault::validation(message)
        }
        TargetError::Ambiguous { places, .. } => {
            let names = places.iter().filter_map(|place| place.name.clone());
            Fault::validation(message).did_you_mean(names.collect::<Vec<_>>())
        }
        TargetError::Elsewhere { there, .. } => {
            Fault::validation(message).did_you_mean(there.clone())
        }
    }
}
