//! The header `Link`: RFC 8288.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::{HeaderMap, LINK};

use crate::failure::{Failure, Result};

/// Returns the target of the link `next`.
pub(crate) fn next(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(LINK).into_iter();
    values.filter_map(|value| value.to_str().ok()).find_map(|mut rest| {
        loop {
            let (_, link) = rest.split_once('<')?;
            let (target, parameters) = link.split_once('>')?;
            let (is_next, after) = read_parameters(parameters);
            if is_next {
                return Some(target.to_owned());
            }
            rest = after;
        }
    })
}

/// Reads the parameters of one link. Tells whether it is `next`, and returns what follows the link.
fn read_parameters(mut rest: &str) -> (bool, &str) {
    let mut is_next = false;
    while let Some(parameter) = rest.trim_start().strip_prefix(';') {
        let end = parameter.find(['=', ';', ',']).unwrap_or(parameter.len());
        let (name, after) = parameter.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let value = value.trim_start();
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => value.split_at(value.find([';', ',']).unwrap_or(value.len())),
        };
        let is_relation = name.trim().eq_ignore_ascii_case("rel");
        is_next |= is_relation
            && value.split_whitespace().any(|relation| relation.eq_ignore_ascii_case("next"));
        rest = after;
    }
    (is_next, rest)
}

/// Returns the path and query of a link in the answer to `url`, without the parameters `keys`, which have keys of the
/// API and are added to each request.
///
/// # Errors
/// `UPSTREAM_ERROR` if the link does not continue the base: credentials go nowhere else.
pub(crate) fn below(target: &str, base: &Url, url: &Url, keys: &[&str]) -> Result<String> {
    let root = base.path().trim_end_matches('/');
    let target = url.join(target).ok().filter(|target| {
        let rest = target.path().strip_prefix(root);
        target.origin() == base.origin()
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let target = target.ok_or_else(|| {
        Failure::upstream("The API names a next page that is not below its URL.").sent().permanent()
    })?;
    let query = target.query().unwrap_or_default().split('&');
    let query: Vec<&str> = query.filter(|pair| !keys.iter().any(|key| sets(pair, key))).collect();
    let query = query.join("&");
    let path = target.path();
    Ok(if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") })
}

/// Whether a part of a query sets a parameter.
fn sets(pair: &str, parameter: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().replace('+', " ");
    percent_decode_str(&name).decode_utf8_lossy() == parameter
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::{HeaderMap, HeaderValue, LINK};

    use super::{below, next};

    fn found(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(LINK, HeaderValue::from_str(value).unwrap());
        }
        next(&headers)
    }

    #[test]
    fn the_next_link_is_found_among_others() {
        let next = Some("/n?page=2".to_owned());
        assert_eq!(found(&["</n?page=2>; rel=next"]), next);
        assert_eq!(
            found(&["</p>; rel=\"prev\", </n?page=2>; title=\"a, b; c\"; rel=\"x NEXT\""]),
            next
        );
        assert_eq!(found(&["</p>; rel=prev", "</n?page=2>;rel = \"next\""]), next);
        for none in
            ["", "</a>", "</a>; rel=prev", "</a; rel=next", "</a>; title=\"rel=next\"", "</a>; rel"]
        {
            assert_eq!(found(&[none]), None, "{none}");
        }
    }

    #[test]
    fn links_lead_nowhere_but_below_the_base() {
        let base = "https://api.example/v1".parse().unwrap();
        let url = "https://api.example/v1/items?page=1".parse().unwrap();
        let below = |target: &str| below(target, &base, &url, &[]).ok();
        assert_eq!(below("?page=2").as_deref(), Some("/v1/items?page=2"));
        assert_eq!(below("https://api.example/v1/other").as_deref(), Some("/v1/other"));
        for elsewhere in [
            "https://evil.example/v1/items",
            "//evil.example/v1/items",
            "http://api.example/v1/items",
            "https://api.example:444/v1/items",
            "/v2/items",
            "/v10/items",
            "../admin",
            "javascript:alert(1)",
        ] {
            assert_eq!(below(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn links_have_no_key() {
        let base = "https://api.example/v1".parse().unwrap();
        let below = |target: &str| below(target, &base, &base, &["api key"]).unwrap();
        assert_eq!(below("?api+key=s3cret&page=2&api%20key=s3cret"), "/v1?page=2");
        assert_eq!(below("?%61pi%20key"), "/v1");
        assert_eq!(below("?q=a+b&api=key&q=%20"), "/v1?q=a+b&api=key&q=%20");
    }

    proptest! {
        #[test]
        fn any_header_is_read(text in "[ -~]{0,60}") {
            found(&[&text]);
        }
    }
}
