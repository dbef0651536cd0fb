//! `batch.update`: several updates in one call.

use serde_json::Value;
use toolwrit::{Context, Fault, Result};

use super::to_integer;
use crate::app::Site;
use crate::operations::{batch, types};

impl batch::Handlers for Site {
    async fn update(&self, cx: &Context, p: batch::Update) -> Result<batch::UpdateResult> {
        let mut results = Vec::with_capacity(p.updates.len());
        for (position, update) in p.updates.into_iter().enumerate() {
            if cx.is_cancelled() {
                return Err(Fault::cancelled(format!(
                    "The call ended after {position} of its updates."
                )));
            }
            let (kind, id) = (update.kind, update.id);
            let (result, error) = match run_update(cx, update).await {
                Ok(result) => (Some(result), None),
                Err(fault) => (None, Some(fault.to_json()["error"].take())),
            };
            results.push(types::BatchResult { kind, id, result, error });
        }
        let updated = results.iter().filter(|result| result.error.is_none()).count();
        Ok(batch::UpdateResult { updated: to_integer(updated), results })
    }
}

async fn run_update(cx: &Context, update: types::BatchUpdate) -> Result<Value> {
    let Value::Object(mut arguments) = update.set else {
        let message = "The new values are not an object.";
        return Err(Fault::validation(message).with_path("/set").expecting("names and new values"));
    };
    arguments.insert("id".to_owned(), update.id.into());
    cx.call_bound(update_operation(update.kind), arguments).await
}

/// The operation that updates one of a kind.
fn update_operation(kind: types::UpdateKind) -> &'static str {
    match kind {
        types::UpdateKind::Post => "content.update_post",
        types::UpdateKind::Page => "content.update_page",
        types::UpdateKind::Media => "media.update_media",
        types::UpdateKind::Category => "taxonomy.update_category",
        types::UpdateKind::Tag => "taxonomy.update_tag",
        types::UpdateKind::Comment => "comments.update_comment",
    }
}
