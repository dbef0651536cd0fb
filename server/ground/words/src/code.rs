//! The codes of failures: those of the engine, in one table, and those that a manifest declares.

use std::borrow::Cow;
use std::fmt;

macro_rules! built_in_codes {
    ($($code:ident = $name:literal, $retryable:literal, $meaning:literal, $remedy:literal;)*) => {
        /// The kind of a failure. The wire form is `SCREAMING_SNAKE_CASE`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $code,)*
            /// A failure that the manifest declares, or of which another server tells.
            Declared(DeclaredCode),
        }

        impl Code {
            /// The codes of the engine.
            pub const BUILT_IN: [BuiltInCode; [$($name),*].len()] = [$(BuiltInCode {
                code: Self::$code,
                name: $name,
                meaning: $meaning,
                remedy: $remedy,
                is_retryable: $retryable,
            }),*];

            /// Returns the code of the engine with this name.
            pub fn built_in(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$code),)*
                    _ => None,
                }
            }

            /// Returns the name on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$code => $name,)*
                    Self::Declared(declared) => declared.as_str(),
                }
            }

            /// Whether the same call may succeed later. A declaration of a code, and a failure itself, may say otherwise.
            pub fn is_retryable(&self) -> bool {
                match self {
                    $(Self::$code => $retryable,)*
                    Self::Declared(_) => false,
                }
            }
        }
    };
}

// The name on the wire, whether the same call may succeed later, the meaning, and what a caller can do.
built_in_codes! {
    ToolNotFound = "TOOL_NOT_FOUND", false,
        "There is no such operation for this caller.",
        "Use a name of did_you_mean, or search for the operation. The caller's role may not allow it.";
    ValidationError = "VALIDATION_ERROR", false,
        "The arguments do not match the parameters.",
        "Change the argument that path names to what expected says; example is a valid call.";
    WritesDisabled = "WRITES_DISABLED", false,
        "The server is read-only.",
        "Ask the operator to start the server without read-only mode.";
    FocusRestricted = "FOCUS_RESTRICTED", false,
        "The focus mode does not allow the operation.",
        "Ask the operator for a focus mode that the hint names.";
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", false,
        "Software that the operation needs is not available.",
        "Do what the hint says, such as to start the other software. Then call again.";
    ConfirmationRequired = "CONFIRMATION_REQUIRED", false,
        "The user must confirm the call.",
        "Ask the user. If the user agrees, send the same call with the token in expected.";
    NotFound = "NOT_FOUND", false,
        "What the call names does not exist.",
        "Use a name of did_you_mean, or list what exists.";
    AlreadyExists = "ALREADY_EXISTS", false,
        "What the call would create exists.",
        "Choose another name, or allow that it is replaced where the operation can do so.";
    Conflict = "CONFLICT", false,
        "It changed since the caller read it.",
        "Read it again, and repeat the change on what you read.";
    InvalidPath = "INVALID_PATH", false,
        "The path is not allowed.",
        "Name a path of the form in expected.";
    Timeout = "TIMEOUT", true,
        "The operation took too long.",
        "Check whether it was done in part. Then ask for less, or try again if retryable is true.";
    Cancelled = "CANCELLED", false,
        "The caller cancelled the call.",
        "Nothing is wrong. Call again only if the user asks for it.";
    LimitExceeded = "LIMIT_EXCEEDED", true,
        "The caller sent too much at once.",
        "Wait as long as retry_after says, or end the session if it has no such field.";
    ResultTooLarge = "RESULT_TOO_LARGE", false,
        "The result is larger than the limit.",
        "Ask for less at once: a part, fewer fields, or a smaller page.";
    UpstreamError = "UPSTREAM_ERROR", true,
        "Other software that the operation uses failed.",
        "Try again later if retryable is true. Otherwise the message says what the other software refused.";
    UpstreamForbidden = "UPSTREAM_FORBIDDEN", false,
        "Other software refused the request.",
        "Give the server's credentials more rights there, or act as another user.";
    Internal = "INTERNAL", false,
        "The server has a defect.",
        "Give the id in the message to the operator, who finds the details in the log.";
}

/// What is known about a code of the engine.
#[derive(Debug, Clone)]
pub struct BuiltInCode {
    /// The code.
    pub code: Code,
    /// The name on the wire.
    pub name: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// What a caller can do about it.
    pub remedy: &'static str,
    /// Whether the same call may succeed later.
    pub is_retryable: bool,
}

/// The code of a failure that the manifest declares under `errors`. The generated module has a constructor for each.
///
/// A declared code is static. One that is read from JSON belongs to whoever has read it, because other servers could invent
/// any number of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeclaredCode(Cow<'static, str>);

impl DeclaredCode {
    /// Returns the code as in the manifest and on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Code {
    /// The names of the codes of the engine.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        Self::BUILT_IN.into_iter().map(|built_in| built_in.name)
    }

    /// Returns the code of a failure that the manifest declares.
    pub const fn declared(name: &'static str) -> Self {
        Self::Declared(DeclaredCode(Cow::Borrowed(name)))
    }
}

impl From<String> for Code {
    /// Reads the name on the wire. One that is no code of the engine is a declared one.
    fn from(name: String) -> Self {
        Self::built_in(&name).unwrap_or(Self::Declared(DeclaredCode(Cow::Owned(name))))
    }
}

impl fmt::Display for Code {
    /// Writes the name on the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_code_once() {
        for BuiltInCode { code, name, is_retryable, .. } in Code::BUILT_IN {
            assert_eq!(Code::from(name.to_owned()), code);
            assert_eq!((code.as_str(), code.is_retryable()), (name, is_retryable));
            assert_eq!(Code::built_in_names().filter(|other| *other == name).count(), 1);
        }
    }

    /// Nothing is kept of codes that other servers invent: each is freed with its owner.
    #[test]
    fn codes_that_are_read_own_their_names() {
        for at in 0..20_000 {
            let code = Code::from(format!("INVENTED_{at}"));
            assert!(matches!(code, Code::Declared(DeclaredCode(Cow::Owned(_)))), "{code}");
        }
        let declared = Code::declared("OUT_OF_INK");
        assert!(matches!(declared, Code::Declared(DeclaredCode(Cow::Borrowed(_)))));
        assert_eq!(Code::from("OUT_OF_INK".to_owned()), declared);
    }
}
