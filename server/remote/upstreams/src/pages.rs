//! Requests all pages of a list, within limits.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};

use crate::causes::why;
use crate::whole::WholeList;
use crate::written::to_json_text;

/// Pages of a list.
const MAX_PAGES: usize = 64;
/// Size limit of a list as compact JSON, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Items of a list.
const MAX_ITEMS: usize = 2000;

/// A list of MCP.
pub(crate) struct List {
    pub(crate) method: &'static str,
    /// The key of its items.
    pub(crate) key: &'static str,
    /// What its items are called.
    pub(crate) items: &'static str,
    /// Makes the request of a page.
    pub(crate) request: fn(PaginatedRequestParams) -> ClientRequest,
    /// Whether a result is a page.
    pub(crate) is_page: fn(&ServerResult) -> bool,
}

/// Why a list cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    #[error("{}", why(.0))]
    Request(ServiceError),
    #[error("the answer to `{}` is not a list of {}", .0.method, .0.items)]
    Unexpected(&'static List),
    #[error("the list did not come with all its fields")]
    Unheard,
    #[error("the list has more than {MAX_PAGES} pages")]
    Pages,
    #[error("the list has more than {MAX_ITEMS} {}", .0.items)]
    Items(&'static List),
    #[error("the list is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    Bytes,
}

impl std::fmt::Debug for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method)
    }
}

impl List {
    /// Requests all pages. With `whole`, the items have fields that rmcp does not know, too.
    pub(crate) async fn all(
        &'static self,
        peer: &Peer<RoleClient>,
        whole: Option<&WholeList>,
    ) -> Result<Vec<Map<String, Value>>, ListError> {
        let mut listed = Vec::new();
        let mut bytes = 0;
        let (mut known, mut cursors) = (HashSet::new(), HashSet::new());
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let (items, next) = self.page(peer, cursor, whole).await?;
            let texts: Vec<String> = items.iter().map(to_json_text).collect();
            if !texts.is_empty() && texts.iter().all(|text| known.contains(text)) {
                return Ok(self.stuck(listed));
            }
            bytes += texts.iter().map(String::len).sum::<usize>();
            listed.extend(items);
            known.extend(texts);
            if listed.len() > MAX_ITEMS {
                return Err(ListError::Items(self));
            }
            if bytes > MAX_BYTES {
                return Err(ListError::Bytes);
            }
            match next {
                None => return Ok(listed),
                Some(next) if !cursors.insert(next.clone()) => return Ok(self.stuck(listed)),
                next => cursor = next,
            }
        }
        Err(ListError::Pages)
    }

    /// A list whose pages come again. What was read is all of it.
    fn stuck<T>(&self, listed: T) -> T {
        tracing::warn!(method = self.method, "a page comes again, so that the list ends here");
        listed
    }

    async fn page(
        &'static self,
        peer: &Peer<RoleClient>,
        cursor: Option<String>,
        whole: Option<&WholeList>,
    ) -> Result<(Vec<Map<String, Value>>, Option<String>), ListError> {
        let expected = whole.map(WholeList::expect);
        let request = (self.request)(PaginatedRequestParams::default().with_cursor(cursor));
        let options = PeerRequestOptions::no_options();
        let sent = peer.send_cancellable_request(request, options).await;
        let answer = sent.map_err(ListError::Request)?.await_response().await;
        let answer = answer.map_err(ListError::Request)?;
        let unexpected = || ListError::Unexpected(self);
        if !(self.is_page)(&answer) {
            return Err(unexpected());
        }
        // A result that was read from JSON can be written as JSON.
        let Ok(Value::Object(mut page)) = serde_json::to_value(answer) else {
            return Err(unexpected());
        };
        let Some(Value::Array(items)) = page.remove(self.key) else { return Err(unexpected()) };
        let object = |item| if let Value::Object(item) = item { Some(item) } else { None };
        let items: Option<Vec<_>> = items.into_iter().map(object).collect();
        let items = items.ok_or_else(unexpected)?;
        let items = match expected {
            Some(expected) => kept(expected.tools().ok_or(ListError::Unheard)?, &items),
            None => items,
        };
        let next = page.get("nextCursor").and_then(Value::as_str);
        // Some servers end with an empty cursor.
        let next = next.filter(|next| !next.is_empty()).map(str::to_owned);
        Ok((items, next))
    }
}

/// The whole items, without those whose names rmcp has refused.
fn kept(
    whole: Vec<Map<String, Value>>,
    accepted: &[Map<String, Value>],
) -> Vec<Map<String, Value>> {
    let names: HashSet<_> = accepted.iter().map(|item| item.get("name")).collect();
    whole.into_iter().filter(|item| names.contains(&item.get("name"))).collect()
}
