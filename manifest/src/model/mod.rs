//! What a manifest declares, in types.

mod access;
mod alias;
mod binding;
pub(crate) mod builtin;
mod field_rules;
mod finding;
mod merged;
mod naming;
mod operation;
mod served;
mod shape;

use std::time::Duration;

pub use access::*;
pub use alias::*;
pub use binding::*;
pub use finding::*;
pub use merged::*;
pub use naming::OperationName;
pub use operation::*;
pub use served::*;
pub use shape::*;
pub use toolwrit_words::{Begins, Builtin, Effect, Task, TaskSupport};

/// Everything that a manifest declares, in the order of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// How the server presents itself.
    pub server: ServerInfo,
    /// Defaults that an operation may override.
    pub limits: Limits,
    /// Limits for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// Declared types; [`TypeId`] points here.
    pub types: Vec<TypeDef>,
    /// Declared categories, then `resources` and `prompts` when there are any; [`CategoryId`] points
    /// here.
    pub categories: Vec<Category>,
    /// Focus modes; the first is the default. Never empty.
    pub focus: Vec<FocusMode>,
    /// Roles; the first is the default. Never empty.
    pub roles: Vec<Role>,
    /// Contexts: subjects of messages, and the operations that are then relevant.
    pub contexts: Vec<DeclaredContext>,
    /// Further verbs for searches.
    pub verbs: Vec<Verb>,
    /// What is not offered, so that a search can say so.
    pub gaps: Vec<Gap>,
    /// Providers: external services that some operations need at run time.
    pub providers: Vec<Provider>,
    /// Error codes that the author declares.
    pub errors: Vec<ErrorDef>,
    /// All operations, in the order of the files and of each file, then those that read resources
    /// and render prompts; [`OperationId`] points here.
    pub operations: Vec<Operation>,
    /// Tools that stand for several operations.
    pub merged: Vec<MergedTool>,
    /// Names of tools that are gone.
    pub removed: Vec<RemovedTool>,
    /// MCP resources and resource templates.
    pub resources: Vec<Resource>,
    /// MCP prompts, those of cookbooks last.
    pub prompts: Vec<Prompt>,
    /// Cookbooks.
    pub cookbooks: Vec<Cookbook>,
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $list:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) usize);

        impl $name {
            /// The position in the model's list.
            pub fn index(self) -> usize {
                self.0
            }
        }

        impl std::ops::Index<$name> for Model {
            type Output = $item;

            fn index(&self, id: $name) -> &$item {
                &self.$list[id.0]
            }
        }
    };
}

index!(/// A declared type.
    TypeId, types, TypeDef);
index!(/// A declared category.
    CategoryId, categories, Category);
index!(/// A declared operation.
    OperationId, operations, Operation);
index!(/// A declared focus mode.
    FocusId, focus, FocusMode);
index!(/// A declared role.
    RoleId, roles, Role);
index!(/// A declared provider.
    ProviderId, providers, Provider);
index!(/// A declared error.
    ErrorId, errors, ErrorDef);
index!(/// A declared resource.
    ResourceId, resources, Resource);
index!(/// A declared prompt.
    PromptId, prompts, Prompt);
index!(/// A declared cookbook.
    CookbookId, cookbooks, Cookbook);

/// `server:`. What `initialize` and `server/discover` answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerInfo {
    /// Programmatic name, for example `toolwrit-vault`.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// What people gain from it, in one sentence.
    pub summary: Option<String>,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// The prefix of every wire name, joined with `_`; empty for none.
    pub prefix: String,
    /// The first word of its environment variables, such as `TOOLWRIT`.
    pub env: String,
    /// Whether handlers may send log messages to clients that request them.
    pub logging: bool,
    /// Whether the generated types implement serde's traits.
    pub serde: bool,
}

/// `limits:`. Defaults for every operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// How long a handler may run.
    pub timeout: Duration,
    /// How many handlers may run at once.
    pub concurrency: u32,
    /// A result with more bytes is truncated.
    pub result_bytes: u64,
    /// How many calls a session may make, or a principal in an hour if there are no sessions;
    /// `None` for no limit.
    pub session_calls: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            concurrency: 16,
            result_bytes: 256 * 1024,
            session_calls: None,
        }
    }
}

/// `budget:`. Limits in o200k tokens of `tools/list`; `None` if the manifest sets none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

impl Model {
    /// All operations with their ids.
    pub fn operation_ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..self.operations.len()).map(OperationId)
    }

    /// All categories with their ids.
    pub fn category_ids(&self) -> impl Iterator<Item = CategoryId> + use<> {
        (0..self.categories.len()).map(CategoryId)
    }

    /// All focus modes with their ids.
    pub fn focus_ids(&self) -> impl Iterator<Item = FocusId> + use<> {
        (0..self.focus.len()).map(FocusId)
    }

    /// All resources with their ids.
    pub fn resource_ids(&self) -> impl Iterator<Item = ResourceId> + use<> {
        (0..self.resources.len()).map(ResourceId)
    }

    /// All prompts with their ids.
    pub fn prompt_ids(&self) -> impl Iterator<Item = PromptId> + use<> {
        (0..self.prompts.len()).map(PromptId)
    }

    /// All cookbooks with their ids.
    pub fn cookbook_ids(&self) -> impl Iterator<Item = CookbookId> + use<> {
        (0..self.cookbooks.len()).map(CookbookId)
    }

    /// All roles with their ids.
    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles.len()).map(RoleId)
    }

    /// The operations that tools run: all that the manifest declares under `operations`.
    pub fn tools(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(|operation| operation.served == Served::Tool)
    }

    /// The operations that policies govern: all except completions, which follow what they
    /// complete.
    pub fn governed_ids(&self) -> impl Iterator<Item = OperationId> {
        self.operation_ids().filter(|id| self.governing(*id) == *id)
    }

    /// Whether it has a handler: it is neither built in nor bound to a provider, nor a prompt whose text the manifest has.
    pub fn is_handled(&self, operation: &Operation) -> bool {
        match operation.served {
            Served::Prompt(id) => self[id].text.is_none(),
            _ => operation.builtin.is_none() && operation.binding.is_none(),
        }
    }

    /// The number of bytes above which a result of an operation is truncated.
    pub fn result_bytes(&self, operation: &Operation) -> u64 {
        operation.result_bytes.unwrap_or(self.limits.result_bytes)
    }

    /// The cookbook whose prompt an operation renders.
    pub fn cookbook_of(&self, operation: OperationId) -> Option<&Cookbook> {
        let Served::Prompt(id) = self[operation].served else { return None };
        match self[id].text {
            Some(PromptText::Cookbook(id)) => Some(&self[id]),
            _ => None,
        }
    }

    /// The operation that reads a resource.
    pub fn reader_of(&self, resource: ResourceId) -> Option<OperationId> {
        self.operation_ids().find(|id| self[*id].served == Served::Resource(resource))
    }

    /// The operation that renders a prompt.
    pub fn renderer_of(&self, prompt: PromptId) -> Option<OperationId> {
        self.operation_ids().find(|id| self[*id].served == Served::Prompt(prompt))
    }

    /// The prompt of a cookbook.
    pub fn prompt_of(&self, cookbook: CookbookId) -> Option<PromptId> {
        let text = Some(PromptText::Cookbook(cookbook));
        self.prompt_ids().find(|id| self[*id].text == text)
    }

    /// The merged tool to which an operation belongs, and the value that names the operation there.
    pub fn merged_tool_of(&self, operation: &Operation) -> Option<(&MergedTool, &str)> {
        self.merged.iter().find_map(|tool| {
            let mut operations = tool.operations.iter();
            let (value, _) = operations.find(|(_, id)| self[*id].id == operation.id)?;
            Some((tool, value.as_str()))
        })
    }

    /// The operation whose policy also applies to this one.
    pub fn governing(&self, id: OperationId) -> OperationId {
        match self[id].served {
            Served::Completion { of, .. } => of,
            _ => id,
        }
    }

    /// Which providers may add operations to which categories, in the order of the categories.
    pub fn joining(&self) -> impl Iterator<Item = Joining> {
        self.category_ids().flat_map(|category| {
            let providers = self[category].providers.iter();
            providers.map(move |&(provider, most)| Joining { category, provider, most })
        })
    }

    /// The operations of one category, in order.
    pub fn operations_of(&self, category: CategoryId) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(move |operation| operation.category == category)
    }

    /// The shape that a chain of declared types leads to.
    pub fn resolve<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        let mut shape = shape;
        while let Shape::Named(id) = shape {
            shape = &self[*id].shape;
        }
        shape
    }

    /// The parameters of a call: those that the handler receives, then `confirm` for the engine.
    pub fn inputs(&self, operation: &Operation) -> Vec<Field> {
        let mut inputs = self.handler_inputs(operation);
        if operation.confirm {
            inputs.push(Field::added(
                "confirm",
                Shape::String { min_length: None, max_length: None, pattern: None },
                Presence::Optional,
                "The code of a first, refused call.",
            ));
        }
        inputs
    }

    /// What a handler receives: the declared parameters, then those that the engine adds for
    /// `select` (`fields`), `page` (`limit`, `cursor`) and `dry_run`.
    pub fn handler_inputs(&self, operation: &Operation) -> Vec<Field> {
        let mut inputs = operation.params.clone();
        if operation.select {
            inputs.push(Field::added(
                "fields",
                Shape::Array {
                    items: Box::new(Shape::Enum(
                        self.result_fields(operation).iter().map(|n| EnumValue::plain(n)).collect(),
                    )),
                    min_items: Some(1),
                    max_items: None,
                },
                Presence::Optional,
                "Only these fields of the result.",
            ));
        }
        if let Some(page) = operation.page {
            inputs.push(Field::added(
                "limit",
                Shape::Integer {
                    format: IntegerFormat::I64,
                    min: Some(1),
                    max: Some(page.max.into()),
                },
                Presence::Default(page.default.into()),
                "How many at most.",
            ));
            inputs.push(Field::added(
                "cursor",
                Shape::String { min_length: None, max_length: None, pattern: None },
                Presence::Optional,
                "The `next_cursor` of the page before.",
            ));
        }
        if operation.dry_run {
            inputs.push(Field::added(
                "dry_run",
                Shape::Boolean,
                Presence::Default(false.into()),
                "Report what would happen, change nothing.",
            ));
        }
        inputs
    }

    /// The names that `select` can keep: the fields of the result, or of its items when it is a list.
    /// For a field that is a list of objects, `entries.path` names a field of its items.
    pub(crate) fn result_fields(&self, operation: &Operation) -> Vec<String> {
        let mut shape = operation.returns.shape().map(|shape| self.resolve(shape));
        if let Some(Shape::Array { items, .. }) = shape {
            shape = Some(self.resolve(items));
        }
        let Some(Shape::Record(fields)) = shape else { return Vec::new() };
        let listed = fields.iter().flat_map(|field| {
            let inner = match self.resolve(&field.shape) {
                Shape::Array { items, .. } => match self.resolve(items) {
                    Shape::Record(inner) => inner.as_slice(),
                    _ => &[],
                },
                _ => &[],
            };
            inner.iter().map(move |inner| format!("{}.{}", field.name, inner.name))
        });
        fields.iter().map(|field| field.name.clone()).chain(listed).collect()
    }
}
