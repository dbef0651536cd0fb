//! The operations that are asked for: by `operationId`, by method and path, or by a pattern of either.

use toolwrit_text::nearest;

use crate::document::documents::ImportError;
use crate::document::endpoint::Endpoint;
use toolwrit_text::wildcard;

/// Keeps the operations that a selector names; all of them without a selector.
pub(crate) fn select_endpoints<'a>(
    endpoints: Vec<Endpoint<'a>>,
    selectors: &[String],
) -> Result<Vec<Endpoint<'a>>, ImportError> {
    let selectors: Vec<&str> = selectors
        .iter()
        .flat_map(|selector| selector.split(','))
        .map(str::trim)
        .filter(|selector| !selector.is_empty())
        .collect();
    if selectors.is_empty() {
        return Ok(endpoints);
    }
    for selector in &selectors {
        if !endpoints.iter().any(|endpoint| selects(selector, endpoint)) {
            let hint = suggest_endpoint(selector, &endpoints);
            return Err(ImportError::NoOperation { name: (*selector).to_owned(), hint });
        }
    }
    let is_selected =
        |endpoint: &Endpoint<'_>| selectors.iter().any(|selector| selects(selector, endpoint));
    Ok(endpoints.into_iter().filter(is_selected).collect())
}

fn selects(selector: &str, endpoint: &Endpoint<'_>) -> bool {
    let is_named = endpoint.id.is_some_and(|id| wildcard::matches(selector, id));
    let (method, path) = selector.split_once(' ').unwrap_or_default();
    is_named
        || (method.eq_ignore_ascii_case(endpoint.method)
            && wildcard::matches(path.trim(), endpoint.path))
}

/// The most similar name of an operation, in words.
fn suggest_endpoint(selector: &str, endpoints: &[Endpoint<'_>]) -> String {
    let candidates: Vec<String> = endpoints
        .iter()
        .flat_map(|endpoint| {
            let by_path = format!("{} {}", endpoint.method.to_ascii_uppercase(), endpoint.path);
            endpoint.id.map(str::to_owned).into_iter().chain([by_path])
        })
        .collect();
    match nearest::nearest(selector, candidates.iter().map(String::as_str)) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => {
            "; name one by its operationId, as `GET /path`, or as a pattern with `*`".to_owned()
        }
    }
}
