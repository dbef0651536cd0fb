//! Which endpoint one request chooses: by its path, its credential and its headers.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};

use super::refusal::Refusal;
use toolwrit_core::principal::Identity;
use toolwrit_mcp::surface::SurfaceChoice;

/// Narrows the focus mode of one request.
const FOCUS: &str = "toolwrit-focus";
/// Narrows the role of one request.
const ROLE: &str = "toolwrit-role";
/// What one request chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct EndpointKey {
    /// Of the path; without one, the operator's choice for the client.
    surface: Option<&'static str>,
    pub(super) focus: Option<String>,
    /// Of the credential.
    pub(super) role: Option<Arc<str>>,
    pub(super) narrow_focus: Option<String>,
    pub(super) narrow_role: Option<String>,
}

impl EndpointKey {
    /// Reads the headers, and puts them beside what the path and the credential say.
    ///
    /// # Errors
    /// 400 for a header that is there twice, or is no text.
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
        Refusal::new(StatusCode::BAD_REQUEST, format!("the header {name} holds one name"))
    })
}
