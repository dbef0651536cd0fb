//! The Content-Security-Policy of each kind of page (Content Security Policy Level 3, Trusted Types).

use axum::http::HeaderValue;

/// The documentation loads scripts and styles of this origin only, has none of its own, and never turns text into markup.
#[cfg(feature = "docs")]
pub(super) const DOCUMENTATION: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'",
);

/// A refusal has a style of its own, and nothing else.
#[cfg(feature = "docs")]
pub(super) const REFUSAL: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; \
     form-action 'none'",
);

/// The tool browser. Its scripts may not write markup, and nothing comes from elsewhere. Images that an operation returns are
/// part of its result. The page asks the authorization server for tokens, if there is one: `issuer` is its scheme, host and
/// port.
#[cfg(feature = "browser")]
pub(super) fn tool_browser(issuer: Option<&str>) -> HeaderValue {
    // A host with one of these would add to the policy.
    let issuer = issuer.filter(|issuer| !issuer.contains([';', ',', ' ']));
    let issuer = issuer.map(|issuer| format!(" {issuer}")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'{issuer}; base-uri \
         'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    // An issuer is an address without control characters.
    HeaderValue::try_from(policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}
