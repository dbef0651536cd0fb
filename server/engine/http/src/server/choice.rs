//! The endpoint that a request chooses by its path, credential and headers.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};

use super::refusal::Refusal;
use toolwrit_core::caller::principal::Identity;
use toolwrit_mcp::surface::SurfaceChoice;

/// The header that narrows the focus mode of a request.
const FOCUS: &str = "toolwrit-focus";
/// The header that narrows the role of a request.
const ROLE: &str = "toolwrit-role";
/// What a request chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct EndpointKey {
    /// From the path. `None` means the operator's choice for the client.
    surface: Option<&'static str>,
    pub(super) focus: Option<String>,
    /// From the credential.
    pub(super) role: Option<Arc<str>>,
    pub(super) narrow_focus: Option<String>,
    pub(super) narrow_role: Option<String>,
}

impl EndpointKey {
    /// Combines the headers with what the path and the credential choose.
    ///
    /// # Errors
    /// 400 if a header is repeated or is not visible ASCII.
    pub(super) fn read(
        kind: Option<SurfaceChoice>,
        focus: Option<&str>,
        headers: &HeaderMap,
        identity: &Identity,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            surface: kind.map(SurfaceChoice::as_str),
            focus: focus.map(str::to_owned),
            role: identity.role.clone(),
            narrow_focus: header(headers, FOCUS)?,
            narrow_role: header(headers, ROLE)?,
        })
    }
}

fn header(headers: &HeaderMap, name: &str) -> Result<Option<String>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    let text = text.map(|text| Some(text.trim().to_owned()));
    text.ok_or_else(|| {
        Refusal::new(
            StatusCode::BAD_REQUEST,
            format!("the header {name} must contain exactly one name"),
        )
    })
}
