//! How operations continue after their calls were answered.

/// How an operation continues after its call was answered, as an [MCP task].
///
/// [MCP task]: https://modelcontextprotocol.io/seps/2663-tasks-extension
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub struct Task {
    /// With which clients.
    pub support: TaskSupport,
    /// When a call becomes a task.
    pub begins: Begins,
}

/// With which clients an operation continues as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TaskSupport {
    /// With clients that support tasks.
    Optional,
    /// With all clients. A client whose protocol has tasks but which does not declare them is refused.
    Required,
}

impl TaskSupport {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Optional, Self::Required];

    /// Returns the name in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }
}

/// When a call becomes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Begins {
    /// Before anything else is done.
    #[default]
    AtOnce,
    /// When its handler says so. Questions that the handler asks before that belong to the call.
    ByHandler,
}

impl Begins {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::AtOnce, Self::ByHandler];

    /// Returns the name in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtOnce => "at_once",
            Self::ByHandler => "by_handler",
        }
    }
}
