//! The models that an endpoint offers, and how long their contexts are.

use futures::{StreamExt as _, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::dialect::Dialect;
use super::failure::Failure;
use super::model::{ModelError, OfferedModel};
use super::remote::{RemoteModel, connection_failure};
use super::wire::listing::ollama_context;

/// The largest page of a list, and the most pages.
const MOST_BYTES: usize = 8 << 20;
const MOST_PAGES: usize = 20;
/// How many models are asked about at once.
const TOGETHER: usize = 8;

impl RemoteModel {
    /// The models that the endpoint offers, by name.
    ///
    /// # Errors
    /// If the endpoint cannot be reached, refuses, or has no such list.
    pub async fn offered(&self) -> Result<Vec<OfferedModel>, ModelError> {
        let listing = &self.options.dialect.wire().listing;
        let mut path = listing.path.to_owned();
        let mut models = Vec::new();
        for _ in 0..MOST_PAGES {
            let request = self.client.get(self.address(&path)?);
            let page = self.read_whole(self.send(request).await?).await?;
            let page = (listing.read)(&page).map_err(|failure| self.to_model_error(&failure))?;
            models.extend(page.models);
            let Some(next) = page.next else { break };
            let mut url = self.address(listing.path)?;
            url.query_pairs_mut().append_pair(listing.next, &next);
            path = url.as_str().strip_prefix(self.base.as_str()).unwrap_or_default().to_owned();
        }
        if self.options.dialect == Dialect::Ollama {
            models = stream::iter(models)
                .map(async |model| OfferedModel {
                    context: self.described_context(&model.name).await.ok().flatten(),
                    ..model
                })
                .buffered(TOGETHER)
                .collect()
                .await;
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// The context of a model, as Ollama describes it; `None` if the description has none.
    pub(super) async fn described_context(&self, model: &str) -> Result<Option<u64>, ModelError> {
        let body = json!({ "model": model }).to_string();
        let request = self.client.post(self.address("api/show")?);
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let description = self.read_whole(self.send(request).await?).await?;
        Ok(ollama_context(&description))
    }

    /// The body of an answer.
    async fn read_whole(&self, mut answer: Response) -> Result<String, ModelError> {
        let mut body = Vec::new();
        loop {
            let next = answer.chunk().await;
            match next.map_err(|error| self.to_model_error(&connection_failure(&error)))? {
                Some(bytes) => body.extend_from_slice(&bytes),
                None => return Ok(String::from_utf8_lossy(&body).into_owned()),
            }
            if body.len() > MOST_BYTES {
                let limit = format!("it has more than {} MiB", MOST_BYTES >> 20);
                return Err(self.to_model_error(&Failure::TooLarge(limit)));
            }
        }
    }
}
