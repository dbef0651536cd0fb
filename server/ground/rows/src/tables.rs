//! The tables of one authority.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Budget, Category, Cookbook, DeclaredContext, DeclaredError, DeclaredProvider, DeclaredVerb,
    FocusMode, Gap, Joining, MergedTool, Operation, Prompt, RemovedTool, Resource, Role, Served,
    ServerInfo, Source,
};

/// The tables of one authority. Those of another authority can share their parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    /// How the server presents itself.
    pub server: ServerInfo,
    /// Ceilings for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// How many handlers may run at once, over all operations.
    pub concurrency: u32,
    /// How long a handler may run, unless its operation says otherwise.
    pub timeout: Duration,
    /// How many calls a session may make, or without a session a principal per hour; `None` for no limit.
    pub session_calls: Option<u32>,
    /// Categories in manifest order.
    pub categories: Arc<[Category]>,
    /// Operations in manifest order.
    pub operations: Arc<[Arc<Operation>]>,
    /// Tools that stand for several operations.
    pub merged_tools: Arc<[MergedTool]>,
    /// Names of tools that are gone.
    pub removed_tools: Arc<[RemovedTool]>,
    /// The providers that may add operations to categories at run time.
    pub joining: Arc<[Joining]>,
    /// Ids, wire names, short names and aliases, sorted by name.
    pub names: Arc<[Name]>,
    /// Focus modes; the first is the default.
    pub focus: Arc<[FocusMode]>,
    /// Roles; the first is the default.
    pub roles: Arc<[Role]>,
    /// For each focus mode, then each role: the operations that both allow.
    pub policy: Arc<[Vec<Vec<u64>>]>,
    /// Contexts that a message may belong to.
    pub contexts: Arc<[DeclaredContext]>,
    /// Further verbs for searches.
    pub verbs: Arc<[DeclaredVerb]>,
    /// What is not offered, so that a search can say so.
    pub gaps: Arc<[Gap]>,
    /// Providers that some operations need at run time.
    pub providers: Arc<[DeclaredProvider]>,
    /// The author's own error codes.
    pub errors: Arc<[DeclaredError]>,
    /// Resources that clients may read.
    pub resources: Arc<[Resource]>,
    /// Prompts that users may pick.
    pub prompts: Arc<[Prompt]>,
    /// Guides to common tasks.
    pub cookbooks: Arc<[Cookbook]>,
    /// The files of the manifest, the root first and cookbooks last.
    pub sources: Arc<[Source]>,
}

impl Tables {
    /// Tables of a server that offers nothing.
    pub fn empty() -> Self {
        Self {
            server: ServerInfo {
                name: "test".to_owned(),
                title: None,
                version: "0".to_owned(),
                instructions: None,
                prefix: String::new(),
                env: "TEST".to_owned(),
                logging: true,
            },
            budget: Budget { flat: None, dispatch: None, meta: None },
            concurrency: 1,
            timeout: Duration::from_secs(30),
            session_calls: None,
            categories: Arc::default(),
            operations: Arc::default(),
            merged_tools: Arc::default(),
            removed_tools: Arc::default(),
            joining: Arc::default(),
            names: Arc::default(),
            focus: Arc::default(),
            roles: Arc::default(),
            policy: Arc::default(),
            contexts: Arc::default(),
            verbs: Arc::default(),
            gaps: Arc::default(),
            providers: Arc::default(),
            errors: Arc::default(),
            resources: Arc::default(),
            prompts: Arc::default(),
            cookbooks: Arc::default(),
            sources: Arc::default(),
        }
    }

    /// Lets parameters with equal expressions share one: a compiled expression takes tens of kilobytes. Does nothing to rows
    /// that other tables share.
    pub fn share_patterns(&mut self) {
        let mut known = HashMap::new();
        let rows = Arc::get_mut(&mut self.operations).into_iter().flatten();
        for operation in rows.filter_map(Arc::get_mut) {
            operation.inputs.iter_mut().for_each(|field| field.ty.share_patterns(&mut known));
        }
    }

    /// Finds an operation by id, wire name or alias.
    pub fn lookup(&self, name: &str) -> Option<&Name> {
        self.names
            .binary_search_by(|entry| entry.name.as_str().cmp(name))
            .ok()
            .map(|at| &self.names[at])
    }

    /// Finds an operation that can be called through tools, by id, wire name or alias.
    pub fn tool(&self, name: &str) -> Option<&Name> {
        let found = self.lookup(name)?;
        let is_tool = self.operations[usize::from(found.operation)].served == Served::Tool;
        is_tool.then_some(found)
    }

    /// Returns the position of the operation whose rules decide who may use the one at this position.
    pub fn governing(&self, index: usize) -> usize {
        match self.operations[index].served {
            Served::Completion { of, .. } => usize::from(of),
            _ => index,
        }
    }

    /// Returns the declared errors with which an operation may fail.
    pub fn errors_of<'a>(
        &'a self,
        operation: &'a Operation,
    ) -> impl Iterator<Item = &'a DeclaredError> {
        operation.errors.iter().map(|at| &self.errors[usize::from(*at)])
    }

    pub fn category_of(&self, operation: &Operation) -> &Category {
        &self.categories[usize::from(operation.category)]
    }
}

/// A name of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Name {
    /// The name itself.
    pub name: String,
    /// Position of the operation.
    pub operation: u16,
    /// Position among the operation's aliases; `None` for an id, a wire name or a short name.
    pub alias: Option<u16>,
}

/// Tests one bit of an operation set.
pub fn contains(set: &[u64], operation: usize) -> bool {
    set.get(operation / 64).is_some_and(|word| word >> (operation % 64) & 1 == 1)
}
