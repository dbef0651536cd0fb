//! The fields of entities.

use std::fmt;

use super::kind::EntityKind;

/// A field of an entity, a property of its note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Id,
    /// The kind.
    Type,
    /// What it is called.
    Title,
    /// How far it is.
    Status,
    /// The part of the project that it belongs to.
    Workstream,
    /// How urgent it is.
    Priority,
    /// The entity that it is a part of.
    Parent,
    /// Entities that must be done before it.
    DependsOn,
    /// Entities that can be done after it: the opposite of `depends_on`, written on this side.
    Enables,
    /// Whether it is put aside.
    Archived,
    /// The entity with which it was archived.
    ArchivedWith,
    /// When it was created.
    Created,
    /// When it last changed through the engine.
    Updated,
    /// Tags, without `#`.
    Tags,
    /// Who does it.
    Assignee,
    /// The day until which it must be done.
    Due,
    /// How much work it is.
    Estimate,
    /// Words that it is found by.
    Labels,
    /// What must hold when it is done, as items that are checked off.
    AcceptanceCriteria,
    /// Why a decision is needed.
    Context,
    /// What was decided.
    Decision,
    /// Why it was decided so.
    Rationale,
    /// Who decided.
    DecidedBy,
    /// The decision or document that it replaces.
    Supersedes,
    /// The decision or document that replaces it.
    SupersededBy,
    /// The version of a document.
    Version,
    /// The decisions behind a document.
    Decisions,
    /// What has changed since the version of a document before.
    ChangeSummary,
}

impl Field {
    /// All fields, in the order in which they are written.
    pub const ALL: [Self; 28] = [
        Self::Id,
        Self::Type,
        Self::Title,
        Self::Status,
        Self::Workstream,
        Self::Priority,
        Self::Assignee,
        Self::Due,
        Self::Estimate,
        Self::Parent,
        Self::DependsOn,
        Self::Enables,
        Self::Context,
        Self::Decision,
        Self::Rationale,
        Self::DecidedBy,
        Self::Version,
        Self::ChangeSummary,
        Self::Decisions,
        Self::Supersedes,
        Self::SupersededBy,
        Self::Labels,
        Self::Tags,
        Self::AcceptanceCriteria,
        Self::Archived,
        Self::ArchivedWith,
        Self::Created,
        Self::Updated,
    ];

    /// Its name in the frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Type => "type",
            Self::Title => "title",
            Self::Status => "status",
            Self::Workstream => "workstream",
            Self::Priority => "priority",
            Self::Parent => "parent",
            Self::DependsOn => "depends_on",
            Self::Enables => "enables",
            Self::Archived => "archived",
            Self::ArchivedWith => "archived_with",
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Tags => "tags",
            Self::Assignee => "assignee",
            Self::Due => "due",
            Self::Estimate => "estimate",
            Self::Labels => "labels",
            Self::AcceptanceCriteria => "acceptance_criteria",
            Self::Context => "context",
            Self::Decision => "decision",
            Self::Rationale => "rationale",
            Self::DecidedBy => "decided_by",
            Self::Supersedes => "supersedes",
            Self::SupersededBy => "superseded_by",
            Self::Version => "version",
            Self::Decisions => "decisions",
            Self::ChangeSummary => "change_summary",
        }
    }

    /// The field with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Whether entities of a kind have it.
    pub fn applies_to(self, kind: EntityKind) -> bool {
        match self {
            Self::Context | Self::Decision | Self::Rationale | Self::DecidedBy => {
                kind == EntityKind::Decision
            }
            Self::Version | Self::Decisions | Self::ChangeSummary => kind == EntityKind::Document,
            Self::Supersedes | Self::SupersededBy => !kind.is_work(),
            _ => true,
        }
    }

    /// Whether it names other entities.
    pub(crate) fn is_reference(self) -> bool {
        matches!(
            self,
            Self::Parent
                | Self::DependsOn
                | Self::Enables
                | Self::Decisions
                | Self::Supersedes
                | Self::SupersededBy
                | Self::ArchivedWith
        )
    }

    /// Whether its value is a list.
    pub(crate) fn is_list(self) -> bool {
        matches!(
            self,
            Self::DependsOn
                | Self::Enables
                | Self::Decisions
                | Self::Tags
                | Self::Labels
                | Self::AcceptanceCriteria
        )
    }

    /// Why callers cannot set it; `None` if they can.
    pub(crate) fn why_not_settable(self) -> Option<&'static str> {
        match self {
            Self::Id => Some("ids never change"),
            Self::Type => Some("the type never changes; create another entity"),
            Self::Created | Self::Updated => Some("it is set with each change"),
            Self::ArchivedWith => Some("it is set when the entity above is archived"),
            Self::SupersededBy => Some("set `supersedes` of the entity that replaces this one"),
            _ => None,
        }
    }

    /// Whether an entity always has it.
    pub(crate) fn is_required(self) -> bool {
        matches!(self, Self::Id | Self::Type | Self::Title | Self::Status)
    }

    /// The names of the fields that callers can set.
    pub(crate) fn settable_names(kind: EntityKind) -> Vec<&'static str> {
        let is_settable =
            |field: &Self| field.applies_to(kind) && field.why_not_settable().is_none();
        Self::ALL.into_iter().filter(is_settable).map(Self::name).collect()
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
