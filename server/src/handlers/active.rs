//! `active.*`: operations on the file that is open in Obsidian. `vault.*` does the work once it is located.

use toolwrit::{Context, Fault, Result};
use toolwrit_vault::{VaultError, VaultPath};

use crate::app::Vaults;
use crate::faults::{OPEN_ONE, api_fault, api_not_configured, fault};
use crate::operations::{active, types, vault};
use crate::rest_api::ApiError;

impl active::Handlers for Vaults {
    async fn read(&self, cx: &Context, p: active::Read) -> Result<active::ReadResult> {
        let read = vault::Read {
            path: self.active_file(cx).await?.to_string(),
            format: p.format,
            lines: p.lines,
            heading: p.heading,
            block: p.block,
            max_bytes: p.max_bytes,
        };
        vault::Handlers::read(self, cx, read).await
    }

    async fn write(&self, cx: &Context, p: active::Write) -> Result<active::WriteResult> {
        let write = vault::Write {
            path: self.active_file(cx).await?.to_string(),
            content: p.content,
            mode: Some(vault::WriteMode::Overwrite),
            if_match: p.if_match,
        };
        vault::Handlers::write(self, cx, write).await
    }

    async fn append(&self, cx: &Context, p: active::Append) -> Result<active::AppendResult> {
        let append = vault::Append {
            path: self.active_note(cx).await?.to_string(),
            content: p.content,
            create: false,
            if_match: p.if_match,
        };
        vault::Handlers::append(self, cx, append).await
    }

    async fn patch(&self, cx: &Context, p: active::Patch) -> Result<active::PatchResult> {
        let patch = vault::Patch {
            path: self.active_note(cx).await?.to_string(),
            target_type: p.target_type,
            target: p.target,
            operation: p.operation,
            content: p.content,
            scope: p.scope,
            create_if_missing: p.create_if_missing,
            reject_if_present: p.reject_if_present,
            if_match: p.if_match,
        };
        vault::Handlers::patch(self, cx, patch).await
    }

    async fn show(&self, cx: &Context, p: active::Show) -> Result<active::ShowResult> {
        let (vault, api) = (self.vault(cx)?.vault.clone(), self.vault(cx)?.rest_api.clone());
        cx.blocking(move |_| {
            let api = api.ok_or_else(api_not_configured)?;
            let path = VaultPath::parse(&p.path).map_err(|error| fault(error.into()))?;
            let path = vault.locate(&path).map_err(fault)?;
            api.open(&path, p.new_leaf).map_err(|error| api_fault(&error))?;
            Ok(types::Shown { path: path.to_string() })
        })
        .await
    }

    async fn delete(&self, cx: &Context, p: active::Delete) -> Result<active::DeleteResult> {
        let delete = vault::Delete {
            path: self.active_file(cx).await?.to_string(),
            attachments: vault::DeleteAttachments::Keep,
            if_match: p.if_match,
            dry_run: p.dry_run,
        };
        vault::Handlers::delete(self, cx, delete).await
    }
}

impl Vaults {
    /// Returns the active file: from the REST API if it is running, otherwise from the saved workspace.
    async fn active_file(&self, cx: &Context) -> Result<VaultPath> {
        let (vault, api) = (self.vault(cx)?.vault.clone(), self.vault(cx)?.rest_api.clone());
        cx.blocking(move |_| {
            let found = match api.map(|api| api.active_file()) {
                Some(Ok(path)) => vault.locate(&path),
                None | Some(Err(ApiError::NotRunning { .. })) => vault.active_file(),
                Some(Err(error)) => return Err(api_fault(&error)),
            };
            found.map_err(|error| match error {
                VaultError::NotFound { path, similar } => outside_vault(&path, &similar),
                other => fault(other),
            })
        })
        .await
    }

    /// Returns the active file if it is a note; inserting text into other formats would break them.
    async fn active_note(&self, cx: &Context) -> Result<VaultPath> {
        let path = self.active_file(cx).await?;
        if path.is_note() {
            return Ok(path);
        }
        let message = format!("The active file `{path}` is not a Markdown note.");
        Err(Fault::validation(message)
            .expecting("a note, .md")
            .hinting("`active.write` writes a whole file of another kind."))
    }
}

/// The fault for an active file that is not in the served vault.
fn outside_vault(path: &str, similar: &[VaultPath]) -> Fault {
    Fault::not_found(format!("The active file `{path}` is not in the vault."))
        .did_you_mean(similar.iter().map(ToString::to_string).collect())
        .hinting(OPEN_ONE)
}
