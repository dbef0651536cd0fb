//! The authority: tables of what a server offers. The macro generates static tables, which need no allocation
//! at start. Other tables are created at run time. An [`Authority`] holds either.

mod added;
mod arena;
mod dynamic;
mod field;
pub mod generated;
mod joined;
mod joining;
mod live;
mod loaded;
mod merged;
mod offered;
mod offered_rows;
mod operation;
mod parameter_types;
mod shown_schema;
mod value;

use std::time::Duration;

pub use added::{AddedCategory, NameTaken};
pub use arena::Arena;
pub use dynamic::{DynamicOperation, InvalidDynamicOperation};
pub use field::{Field, Pattern, Presence, Type};
pub use joined::FoundBy;
pub use live::{Changes, LiveAuthority};
pub use merged::{MergedOperation, MergedTool, RemovedTool};
pub use offered::Offered;
pub use operation::{
    Alias, ArgumentPath, Deprecation, EachItem, Example, Mapping, Operation, PageSizes, Returns,
    Served,
};
pub use parameter_types::parameter_types;
pub use toolwrit_words::{
    Begins, Builtin, Effect, OfferedArgument, OfferedPrompt, OfferedResource, Task, TaskSupport,
};
pub use value::{Authority, AuthorityVersion, OperationHandle};

use crate::json::written::parse_row_text;

/// The tables of one authority.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// How the server presents itself.
    pub server: ServerInfo<'a>,
    /// Ceilings for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// How many handlers may run at once, over all operations.
    pub concurrency: u32,
    /// How long a handler may run, unless its operation says otherwise.
    pub timeout: Duration,
    /// How many calls a session may make, or without a session a principal per hour; `None` for no limit.
    pub session_calls: Option<u32>,
    /// Categories in manifest order.
    pub categories: &'a [Category<'a>],
    /// Operations in manifest order.
    pub operations: &'a [Operation<'a>],
    /// Tools that stand for several operations.
    pub merged_tools: &'a [MergedTool<'a>],
    /// Names of tools that are gone.
    pub removed_tools: &'a [RemovedTool<'a>],
    /// The providers that may add operations to categories at run time.
    pub joining: &'a [Joining],
    /// Ids, wire names, short names and aliases, sorted by name.
    pub names: &'a [Name<'a>],
    /// Focus modes; the first is the default.
    pub focus: &'a [FocusMode<'a>],
    /// Roles; the first is the default.
    pub roles: &'a [Role<'a>],
    /// For each focus mode, then each role: the operations that both allow.
    pub policy: &'a [&'a [&'a [u64]]],
    /// Contexts that a message may belong to.
    pub contexts: &'a [DeclaredContext<'a>],
    /// Providers that some operations need at run time.
    pub providers: &'a [DeclaredProvider<'a>],
    /// The author's own error codes.
    pub errors: &'a [DeclaredError<'a>],
    /// Resources that clients may read.
    pub resources: &'a [Resource<'a>],
    /// Prompts that users may pick.
    pub prompts: &'a [Prompt<'a>],
    /// Guides to common tasks.
    pub cookbooks: &'a [Cookbook<'a>],
    /// The files of the manifest, the root first and cookbooks last.
    pub sources: &'a [Source<'a>],
}

/// Tests one bit of an operation set.
pub fn contains(set: &[u64], operation: usize) -> bool {
    set.get(operation / 64).is_some_and(|word| word >> (operation % 64) & 1 == 1)
}

impl Tables<'_> {
    /// Tables of a server that offers nothing.
    pub const EMPTY: Self = Self {
        server: ServerInfo {
            name: "test",
            title: None,
            version: "0",
            instructions: None,
            prefix: "",
            logging: true,
        },
        budget: Budget { flat: None, dispatch: None, meta: None },
        concurrency: 1,
        timeout: Duration::from_secs(30),
        session_calls: None,
        categories: &[],
        operations: &[],
        merged_tools: &[],
        removed_tools: &[],
        joining: &[],
        names: &[],
        focus: &[],
        roles: &[],
        policy: &[],
        contexts: &[],
        providers: &[],
        errors: &[],
        resources: &[],
        prompts: &[],
        cookbooks: &[],
        sources: &[],
    };
}

impl<'a> Tables<'a> {
    /// Finds an operation by id, wire name or alias.
    pub fn lookup(&self, name: &str) -> Option<&'a Name<'a>> {
        self.names.binary_search_by(|entry| entry.name.cmp(name)).ok().map(|at| &self.names[at])
    }

    /// Finds an operation that can be called through tools, by id, wire name or alias.
    pub fn tool(&self, name: &str) -> Option<&'a Name<'a>> {
        let found = self.lookup(name)?;
        let is_tool = self.operations[usize::from(found.operation)].served == Served::Tool;
        is_tool.then_some(found)
    }

    /// Returns the position of the operation whose rules decide who may use the one at this position.
    pub(crate) fn governing(&self, index: usize) -> usize {
        match self.operations[index].served {
            Served::Completion { of, .. } => usize::from(of),
            _ => index,
        }
    }

    /// Returns the declared errors with which an operation may fail.
    pub fn errors_of(
        &self,
        operation: &Operation<'a>,
    ) -> impl Iterator<Item = &'a DeclaredError<'a>> {
        let errors = self.errors;
        operation.errors.iter().map(move |at| &errors[usize::from(*at)])
    }

    /// Returns the category of an operation.
    pub fn category_of(&self, operation: &Operation<'_>) -> &'a Category<'a> {
        &self.categories[usize::from(operation.category)]
    }
}

/// How the server presents itself.
#[derive(Debug, Clone, Copy)]
pub struct ServerInfo<'a> {
    /// Programmatic name.
    pub name: &'a str,
    /// Name for people.
    pub title: Option<&'a str>,
    /// Version of the crate that holds the authority.
    pub version: &'a str,
    /// Instructions for the model.
    pub instructions: Option<&'a str>,
    /// The prefix of every wire name, including `_`; empty for none.
    pub prefix: &'a str,
    /// Whether handlers send log messages to clients that ask for them.
    pub logging: bool,
}

/// Ceilings for the cost of `tools/list`, in o200k tokens.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

/// A family of operations.
#[derive(Debug, Clone, Copy)]
pub struct Category<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// The name for people.
    pub title: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// The words that people use for its subject.
    pub keywords: &'a [&'a str],
    /// Its name on the wire, without the server's prefix.
    pub wire_name: &'a str,
    /// Whether its operations are separate tools on the dispatch surface.
    pub direct: bool,
}

/// A provider that may add operations to a category at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joining {
    /// Position of the category.
    pub category: u16,
    /// Position of the provider.
    pub provider: u16,
    /// The strongest effect of these operations.
    pub most: Effect,
    /// Whether the category has no other operations. Their ids are then `category.name`.
    pub whole: bool,
}

/// A name of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// The name itself.
    pub name: &'a str,
    /// Position of the operation.
    pub operation: u16,
    /// Position among the operation's aliases; `None` for an id, a wire name or a short name.
    pub alias: Option<u16>,
}

/// A focus mode.
#[derive(Debug, Clone, Copy)]
pub struct FocusMode<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// One sentence.
    pub summary: Option<&'a str>,
    /// For each entry of [`Tables::joining`], the effects of the dynamic operations that it allows: one bit
    /// each, in the order of [`Effect`].
    pub joining: &'a [u8],
    /// The effects of the operations that it allows in categories that the operator adds, in the same way.
    pub added: u8,
}

/// A role.
#[derive(Debug, Clone, Copy)]
pub struct Role<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// One sentence.
    pub summary: Option<&'a str>,
    /// Instructions for a model in this role.
    pub persona: Option<&'a str>,
    /// The operations that the role allows, under any focus mode.
    pub operations: &'a [u64],
    /// For each entry of [`Tables::joining`], the effects of the dynamic operations that it allows: one bit
    /// each, in the order of [`Effect`].
    pub joining: &'a [u8],
    /// The effects of the operations that it allows in categories that the operator adds, in the same way.
    pub added: u8,
}

/// A context that a message may belong to, and the operations relevant to it.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredContext<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// Words and phrases that indicate the context.
    pub keywords: &'a [Sign<'a>],
    /// Regular expressions that indicate the context.
    pub patterns: &'a [Sign<'a>],
    /// The confidence from which a message belongs to it; above 0, at most 1.
    pub threshold: f64,
    /// The relevant operations.
    pub operations: &'a [u64],
    /// For each entry of [`Tables::joining`], the effects of the dynamic operations that are relevant: one bit
    /// each, in the order of [`Effect`].
    pub joining: &'a [u8],
}

/// A word, a phrase or an expression that indicates a context.
#[derive(Debug, Clone, Copy)]
pub struct Sign<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its weight; finite and above 0.
    pub weight: f64,
}

/// A provider: something outside the server that some operations need.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredProvider<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// The name for people.
    pub title: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// How it is reached, if operations are bound to it: the JSON of a `ProviderTable` of `toolwrit-bindings`.
    pub binding: Option<&'a str>,
}

impl DeclaredProvider<'_> {
    /// Returns the names of the settings that the operator gives it; `None` if nothing is bound to it.
    pub fn settings(&self) -> Option<Vec<String>> {
        let table: serde_json::Value = parse_row_text(self.binding?);
        // The table stands under the kind of the provider.
        let settings = table.as_object()?.values().next()?["settings"].as_array()?;
        let names = settings.iter().filter_map(|setting| setting["name"].as_str());
        Some(names.map(str::to_owned).collect())
    }
}

/// An error code that the author declares.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredError<'a> {
    /// The code on the wire.
    pub code: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// How a caller can fix it.
    pub hint: Option<&'a str>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// A resource or a resource template: what clients get beyond the fields of its operation.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// A URI, or an RFC 6570 level-1 template of it. Those of providers may be of higher levels.
    pub uri: &'a str,
    /// The name for people.
    pub title: Option<&'a str>,
    /// What it is; `None` for the summary of its operation.
    pub description: Option<&'a str>,
    /// The MIME type of its contents, unless its handler sets another.
    pub mime_type: Option<&'a str>,
    /// Whether clients may subscribe to updates.
    pub subscribe: bool,
    /// Position of the operation that reads it.
    pub operation: u16,
}

impl Resource<'_> {
    /// Whether the URI has variables.
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// A prompt: what clients get beyond the fields of its operation.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// The name for people.
    pub title: Option<&'a str>,
    /// What it is for; `None` for the summary of its operation.
    pub description: Option<&'a str>,
    /// Its arguments; `None` for those of its operation.
    pub arguments: Option<&'a [PromptArgument<'a>]>,
    /// Its text with `{{argument}}` placeholders; `None` if a handler or a cookbook has its messages.
    pub template: Option<&'a str>,
    /// Position of the operation that produces its messages.
    pub operation: u16,
}

/// An argument of a prompt, which is a text.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub description: Option<&'a str>,
    /// Whether it must be given.
    pub required: bool,
}

/// A guide to a common task. It is also a prompt of the same name.
#[derive(Debug, Clone, Copy)]
pub struct Cookbook<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// Its text, in Markdown.
    pub text: &'a str,
    /// Positions of the operations that it uses.
    pub operations: &'a [u16],
    /// Position of the operation that renders it as a prompt. Who may use that one may read the cookbook.
    pub prompt: u16,
}

/// A file of the manifest.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The path as written in the root file.
    pub path: &'a str,
    /// The text of the file.
    pub text: &'a str,
}
