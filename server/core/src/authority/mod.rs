//! What a generated authority looks like: static tables, read by the engine, written by
//! [`authority!`](crate::authority) alone. Nothing here allocates at start.

mod field;
mod operation;

use std::time::Duration;

pub use field::{Field, Pattern, Presence, Type};
pub use operation::{
    Alias, Begins, Deprecation, Effect, Example, Operation, Page, Returns, Served, Task,
    TaskSupport,
};

/// One authority as the macro leaves it in the binary.
#[derive(Debug)]
pub struct Authority {
    /// How the server presents itself.
    pub server: Server,
    /// Ceilings for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// How many handlers may run at once, over all operations.
    pub concurrency: u32,
    /// How long a handler may run.
    pub timeout: Duration,
    /// How many calls a session may make, or without one a principal in an hour, when limited.
    pub session_calls: Option<u32>,
    /// Categories in manifest order.
    pub categories: &'static [Category],
    /// Operations in manifest order.
    pub operations: &'static [Operation],
    /// Ids, wire names and aliases, sorted by name.
    pub names: &'static [Name],
    /// Focus modes; the first is the default.
    pub focus: &'static [FocusMode],
    /// Roles; the first is the default.
    pub roles: &'static [Role],
    /// For each focus mode, then each role: the operations that both allow.
    pub policy: &'static [&'static [&'static [u64]]],
    /// What a message is about, and what is then relevant.
    pub contexts: &'static [DeclaredContext],
    /// What some operations need at run time.
    pub providers: &'static [Provider],
    /// The author's own failures.
    pub errors: &'static [DeclaredError],
    /// What clients may read.
    pub resources: &'static [Resource],
    /// What people may pick.
    pub prompts: &'static [Prompt],
    /// The YAML files, the root first.
    pub sources: &'static [Source],
}

/// Tests one bit of an operation set.
pub fn contains(set: &[u64], operation: usize) -> bool {
    set.get(operation / 64).is_some_and(|word| word >> (operation % 64) & 1 == 1)
}

impl Authority {
    /// Finds an operation by id, wire name or alias.
    pub fn lookup(&self, name: &str) -> Option<&'static Name> {
        self.names.binary_search_by(|entry| entry.name.cmp(name)).ok().map(|at| &self.names[at])
    }

    /// Finds what can be called through tools, by id, wire name or alias.
    pub fn tool(&self, name: &str) -> Option<&'static Name> {
        let found = self.lookup(name)?;
        let is_tool = self.operations[usize::from(found.operation)].served == Served::Tool;
        is_tool.then_some(found)
    }

    /// The operation whose rules say who may use the one at this position.
    pub(crate) fn governing(&self, index: usize) -> usize {
        match self.operations[index].served {
            Served::Completion { of, .. } => usize::from(of),
            _ => index,
        }
    }

    /// The declared errors with which an operation may fail.
    pub fn errors_of(&self, operation: &Operation) -> impl Iterator<Item = &'static DeclaredError> {
        operation.errors.iter().map(|at| &self.errors[usize::from(*at)])
    }

    /// The category of an operation.
    pub fn category_of(&self, operation: &Operation) -> &'static Category {
        &self.categories[usize::from(operation.category)]
    }
}

/// How the server presents itself.
#[derive(Debug)]
pub struct Server {
    /// Programmatic name.
    pub name: &'static str,
    /// Name for people.
    pub title: Option<&'static str>,
    /// Version of the crate that holds the authority.
    pub version: &'static str,
    /// Instructions for the model.
    pub instructions: Option<&'static str>,
    /// Empty, or what stands before every wire name, `_` included.
    pub prefix: &'static str,
    /// Handlers send log messages to clients that ask for them.
    pub logging: bool,
}

/// Ceilings for the cost of `tools/list`, in o200k tokens.
#[derive(Debug)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

/// A family of operations.
#[derive(Debug)]
pub struct Category {
    /// The manifest's name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The words that people use for what it governs.
    pub keywords: &'static [&'static str],
    /// Its name on the wire, without the server's prefix.
    pub wire_name: &'static str,
    /// Its operations stay plain tools on the dispatch surface.
    pub direct: bool,
}

/// One name by which an operation can be called.
#[derive(Debug)]
pub struct Name {
    /// The name itself.
    pub name: &'static str,
    /// Position of the operation.
    pub operation: u16,
    /// Position among the operation's aliases, when it is one.
    pub alias: Option<u16>,
}

/// A focus mode.
#[derive(Debug)]
pub struct FocusMode {
    /// The manifest's name.
    pub name: &'static str,
    /// One sentence.
    pub summary: Option<&'static str>,
}

/// A role.
#[derive(Debug)]
pub struct Role {
    /// The manifest's name.
    pub name: &'static str,
    /// One sentence.
    pub summary: Option<&'static str>,
    /// Instructions for a model in this role.
    pub persona: Option<&'static str>,
    /// The operations that the role allows, whatever the focus.
    pub operations: &'static [u64],
}

/// What a message is about, and what is then relevant.
#[derive(Debug)]
pub struct DeclaredContext {
    /// The manifest's name.
    pub name: &'static str,
    /// Words and phrases that give the subject away.
    pub keywords: &'static [Sign],
    /// Regular expressions that give the subject away.
    pub patterns: &'static [Sign],
    /// The confidence from which on a message is about it; above 0, at most 1.
    pub threshold: f64,
    /// The relevant operations.
    pub operations: &'static [u64],
}

/// Something that gives a subject away.
#[derive(Debug)]
pub struct Sign {
    /// The word, the phrase or the expression.
    pub text: &'static str,
    /// How much it counts; finite and above 0.
    pub weight: f64,
}

/// Something outside the server that some operations need.
#[derive(Debug)]
pub struct Provider {
    /// The manifest's name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
}

/// A failure that the author gives a code of its own.
#[derive(Debug)]
pub struct DeclaredError {
    /// The code on the wire.
    pub code: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What a caller can do about it.
    pub hint: Option<&'static str>,
    /// The same call may succeed later.
    pub retryable: bool,
}

/// A resource, or a template of resources: what clients are told beyond its operation.
#[derive(Debug)]
pub struct Resource {
    /// The manifest's name.
    pub name: &'static str,
    /// A URI, or an RFC 6570 level-1 template of it.
    pub uri: &'static str,
    /// For people.
    pub title: Option<&'static str>,
    /// The MIME type of what it gives, unless its handler says otherwise.
    pub mime_type: Option<&'static str>,
    /// Clients may ask to hear when it changes.
    pub subscribe: bool,
    /// Position of the operation that reads it.
    pub operation: u16,
}

impl Resource {
    /// Whether the URI has variables.
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// A prompt: what clients are told beyond its operation.
#[derive(Debug)]
pub struct Prompt {
    /// The manifest's name.
    pub name: &'static str,
    /// For people.
    pub title: Option<&'static str>,
    /// Position of the operation that writes it.
    pub operation: u16,
}

/// A YAML file of the authority.
#[derive(Debug)]
pub struct Source {
    /// As the root names it.
    pub path: &'static str,
    /// Its whole text.
    pub text: &'static str,
}
