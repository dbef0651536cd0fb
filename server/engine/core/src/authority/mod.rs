//! The authority: what a server offers. An [`Authority`] holds the tables that were made from a manifest, and the
//! operations that joined them while the server runs.

mod added;
mod argument_mapping;
mod dynamic;
mod example;
pub mod generated;
pub(crate) mod instances;
mod joined;
mod joining;
mod live;
mod modes;
mod offered;
mod offered_rows;
mod parameter_types;
mod selector;
mod shown_schema;
mod value;

pub use toolwrit_rows::{
    Alias, ArgumentPath, Budget, Category, Cookbook, DeclaredContext, DeclaredError,
    DeclaredProvider, Deprecation, EachItem, Example, Field, FocusMode, Harmless, Joining, Mapping,
    MergedOperation, MergedTool, Name, Operation, PageSizes, Pattern, Presence, Prompt,
    PromptArgument, RemovedTool, Resource, Returns, Role, Served, ServerInfo, Sign, Source, Tables,
    Type, contains,
};

pub use crate::argument_schema::ListedNames;
pub use added::{AddedCategory, NameTaken};
pub use argument_mapping::ArgumentMapping;
pub use dynamic::{DynamicOperation, InvalidDynamicOperation};
pub use instances::Instance;
pub use live::{Changes, LiveAuthority};
pub use modes::{AddedMode, AddedModes, InvalidMode};
pub use offered::Offered;
pub use parameter_types::parameter_types;
pub use selector::Selector;
pub(crate) use selector::{ALL_EFFECTS, open_category};
pub use toolwrit_words::{
    Begins, Builtin, Effect, OfferedArgument, OfferedPrompt, OfferedResource, Task, TaskSupport,
};
pub use value::{Authority, AuthorityVersion, OperationHandle};
