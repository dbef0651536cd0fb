//! The findings of `doctor`.

use serde::Serialize;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing is wrong.
    Ok,
    /// It works, but probably not as intended.
    Warn,
    /// It does not work.
    Fail,
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}

/// One check of `doctor`, and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What was checked, in a word.
    #[serde(rename = "check")]
    what: String,
    #[serde(rename = "status")]
    verdict: Verdict,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Check {
    /// `what` is correct.
    pub fn ok(what: impl Into<String>, message: impl Into<String>) -> Self {
        Self { what: what.into(), verdict: Verdict::Ok, message: message.into(), fix: None }
    }

    /// `what` works, but probably not as intended; `fix` says what to do.
    pub fn warn(
        what: impl Into<String>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { verdict: Verdict::Warn, fix: Some(fix.into()), ..Self::ok(what, message) }
    }

    /// `what` does not work; `fix` says what to do.
    pub fn fail(
        what: impl Into<String>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { verdict: Verdict::Fail, fix: Some(fix.into()), ..Self::ok(what, message) }
    }

    /// Returns the severity.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the cells of a table row: what was checked, severity, message, fix.
    pub fn cells(&self) -> [&str; 4] {
        let fix = self.fix.as_deref().unwrap_or_default();
        [&self.what, self.verdict.as_str(), &self.message, fix]
    }
}
