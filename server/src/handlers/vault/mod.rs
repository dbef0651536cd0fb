//! `vault.*`: operations on files and folders of the vault, a file for each kind.

mod base;
mod daily;
mod deletion;
mod links;
mod listing;
mod many;
mod media;
mod moving;
mod reading;
mod search;
mod tasks;
mod undoing;
mod writing;

use std::sync::Arc;

use toolwrit::{Context, Result};
use toolwrit_vault::{CancelCheck, Vault};

use crate::app::Vaults;
use crate::author::author;
use crate::faults::fault;
use crate::operations::vault;
use undoing::{Undoable, visible_authors};

impl vault::Handlers for Vaults {
    async fn read(&self, cx: &Context, p: vault::Read) -> Result<vault::ReadResult> {
        let most = usize::try_from(cx.result_bytes()).unwrap_or(usize::MAX);
        self.with_vault(cx, move |vault, _| reading::read(vault, &p, most)).await
    }

    async fn attachment(
        &self,
        cx: &Context,
        p: vault::Attachment,
    ) -> Result<vault::AttachmentResult> {
        let vault = self.vault(cx)?.vault.clone();
        cx.blocking(move |_| media::attachment(&vault, &p)).await
    }

    async fn write(&self, cx: &Context, p: vault::Write) -> Result<vault::WriteResult> {
        self.change_with(cx, move |vault, _| writing::write(vault, &p)).await
    }

    async fn append(&self, cx: &Context, p: vault::Append) -> Result<vault::AppendResult> {
        self.change(cx, move |vault, _| writing::append(vault, &p)).await
    }

    async fn patch(&self, cx: &Context, p: vault::Patch) -> Result<vault::PatchResult> {
        self.change(cx, move |vault, _| writing::patch(vault, p)).await
    }

    async fn daily(&self, cx: &Context, p: vault::Daily) -> Result<vault::DailyResult> {
        self.change_with(cx, move |vault, cancelled| daily::daily(vault, &p, cancelled)).await
    }

    async fn task(&self, cx: &Context, p: vault::Task) -> Result<vault::TaskResult> {
        self.change_with(cx, move |vault, _| tasks::task(vault, &p)).await
    }

    async fn r#move(&self, cx: &Context, p: vault::Move) -> Result<vault::MoveResult> {
        self.change(cx, move |vault, cancelled| moving::move_note(vault, &p, cancelled)).await
    }

    async fn rename(&self, cx: &Context, p: vault::Rename) -> Result<vault::RenameResult> {
        self.change(cx, move |vault, cancelled| moving::rename(vault, &p, cancelled)).await
    }

    async fn list(&self, cx: &Context, p: vault::List) -> Result<vault::ListResult> {
        self.with_vault(cx, move |vault, cancelled| listing::list(vault, &p, cancelled)).await
    }

    async fn search(&self, cx: &Context, p: vault::Search) -> Result<vault::SearchResult> {
        self.with_vault(cx, move |vault, cancelled| search::search(vault, &p, cancelled)).await
    }

    async fn backlinks(&self, cx: &Context, p: vault::Backlinks) -> Result<vault::BacklinksResult> {
        self.with_vault(cx, move |vault, cancelled| search::backlinks(vault, &p, cancelled)).await
    }

    async fn tags(&self, cx: &Context, p: vault::Tags) -> Result<vault::TagsResult> {
        self.with_vault(cx, move |vault, cancelled| search::tags(vault, &p, cancelled)).await
    }

    async fn tag(&self, cx: &Context, p: vault::Tag) -> Result<vault::TagResult> {
        self.change_with(cx, move |vault, cancelled| many::tag(vault, &p, cancelled)).await
    }

    async fn links(&self, cx: &Context, p: vault::Links) -> Result<vault::LinksResult> {
        let vault = self.vault(cx)?.vault.clone();
        cx.blocking(move |cancelled| links::links(&vault, &p, cancelled)).await
    }

    async fn bulk_properties(
        &self,
        cx: &Context,
        p: vault::BulkProperties,
    ) -> Result<vault::BulkPropertiesResult> {
        self.change_with(cx, move |vault, cancelled| many::bulk_properties(vault, p, cancelled))
            .await
    }

    async fn base(&self, cx: &Context, p: vault::Base) -> Result<vault::BaseResult> {
        let dataview = Arc::clone(&self.vault(cx)?.dataview);
        cx.blocking(move |cancelled| base::show(&dataview, &p, cancelled)).await
    }

    async fn delete(&self, cx: &Context, p: vault::Delete) -> Result<vault::DeleteResult> {
        let confirmed = cx.confirmed();
        self.change(cx, move |vault, cancelled| deletion::delete(vault, &p, &confirmed, cancelled))
            .await
    }

    async fn bulk_delete(
        &self,
        cx: &Context,
        p: vault::BulkDelete,
    ) -> Result<vault::BulkDeleteResult> {
        let confirmed = cx.confirmed();
        self.change(cx, move |vault, cancelled| {
            deletion::bulk_delete(vault, &p, &confirmed, cancelled)
        })
        .await
    }

    async fn history(&self, cx: &Context, p: vault::History) -> Result<vault::HistoryResult> {
        let authors = visible_authors(cx);
        self.with_vault(cx, move |vault, _| undoing::history(vault, &p, &authors)).await
    }

    async fn undo(&self, cx: &Context, p: vault::Undo) -> Result<vault::UndoResult> {
        let authors = visible_authors(cx);
        self.change(cx, move |vault, _| undoing::undo(vault, &p, &authors)).await
    }
}

impl Vaults {
    /// Runs blocking work that changes the vault, and records it, so that it can be undone.
    async fn change<T: Undoable + Send + 'static>(
        &self,
        cx: &Context,
        work: impl FnOnce(&Vault, CancelCheck<'_>) -> toolwrit_vault::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.change_with(cx, move |vault, cancelled| work(vault, cancelled).map_err(fault)).await
    }

    /// As [`change`](Self::change), for work whose errors are faults already.
    async fn change_with<T: Undoable + Send + 'static>(
        &self,
        cx: &Context,
        work: impl FnOnce(&Vault, CancelCheck<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (vault, author) = (self.vault(cx)?.vault.clone(), author(cx));
        cx.blocking(move |cancelled| {
            let (done, id) = vault.record(author, || work(&vault, cancelled));
            vault.start_index();
            let mut done = done?;
            if let Some(id) = id {
                done.set_undo(id.to_string());
            }
            Ok(done)
        })
        .await
    }

    /// Runs blocking work on the vault, outside the async threads.
    async fn with_vault<T: Send + 'static>(
        &self,
        cx: &Context,
        work: impl FnOnce(&Vault, CancelCheck<'_>) -> toolwrit_vault::Result<T> + Send + 'static,
    ) -> Result<T> {
        let vault = self.vault(cx)?.vault.clone();
        cx.blocking(move |cancelled| {
            let done = work(&vault, cancelled).map_err(fault);
            // Start building the index after the first answer, which need not wait for it. Later
            // searches then find it built.
            vault.start_index();
            done
        })
        .await
    }
}
