//! What expressions are evaluated in: the files, the current time, and limits.

use std::cell::{Cell, OnceCell};

use indexmap::IndexMap;
use jiff::Zoned;
use toolwrit_vault::{Snapshot, VaultPath};

use crate::bases::file::{FileRecord, Files};
use crate::bases::syntax::BaseExpression;
use crate::evaluation::{Budget, Evaluated, Failure, check_count, text_within_limit};
use crate::value::{Link, Map, Name, Object, Value};

/// How deeply evaluations may be nested, through brackets and formulas that use others.
const NESTING_LIMIT: usize = 96;
/// How deeply lists and objects may be nested.
const DEPTH_LIMIT: usize = 24;
/// How many bytes of values all expressions of a view may make (256 MiB).
const MEMORY_LIMIT: usize = 256 * 1024 * 1024;

/// What expressions are evaluated in.
pub(in crate::bases) struct ViewContext<'a> {
    pub(in crate::bases) snapshot: &'a Snapshot<'a>,
    pub(in crate::bases) files: &'a Files,
    pub(in crate::bases) formulas: &'a IndexMap<Name, BaseExpression>,
    /// The value of `this`.
    pub(in crate::bases) this: Value,
    pub(in crate::bases) now: &'a Zoned,
    pub(in crate::bases) budget: Budget<'a>,
    nesting: Cell<usize>,
    memory: Cell<usize>,
}

/// A file with its formulas, which are evaluated at most once.
pub(in crate::bases) struct FileRow {
    pub(in crate::bases) file: FileRecord,
    pub(super) formulas: Vec<OnceCell<Evaluated>>,
}

impl FileRow {
    pub(in crate::bases) fn new(path: &VaultPath, context: &ViewContext<'_>) -> Self {
        let formulas = context.formulas.iter().map(|_| OnceCell::new()).collect();
        Self { file: FileRecord::new(context.files, path), formulas }
    }
}

impl<'a> ViewContext<'a> {
    pub(in crate::bases) fn new(
        snapshot: &'a Snapshot<'a>,
        files: &'a Files,
        formulas: &'a IndexMap<Name, BaseExpression>,
        this: Value,
        now: &'a Zoned,
        budget: Budget<'a>,
    ) -> Self {
        let (nesting, memory) = (Cell::default(), Cell::default());
        Self { snapshot, files, formulas, this, now, budget, nesting, memory }
    }

    /// Evaluates something inside of something else.
    pub(super) fn evaluate_nested(&self, evaluate: impl FnOnce() -> Evaluated) -> Evaluated {
        if self.nesting.get() >= NESTING_LIMIT {
            return Err(Failure::row("the formulas that it uses are nested too deeply"));
        }
        self.budget.step()?;
        self.nesting.set(self.nesting.get() + 1);
        let value = evaluate();
        self.nesting.set(self.nesting.get() - 1);
        value
    }

    /// A text that an expression makes. Fails if it is too long.
    pub(super) fn text(&self, text: String) -> Evaluated {
        self.take_memory(text.len())?;
        text_within_limit(text)
    }

    /// A list that an expression makes. Fails if it is too long or too deeply nested.
    pub(super) fn list(&self, values: Vec<Value>) -> Evaluated {
        check_count(values.len())?;
        self.take_memory(values.len() * size_of::<Value>())?;
        values.iter().try_for_each(|value| self.check_depth(value, 1))?;
        Ok(Value::list(values))
    }

    /// An object that an expression makes. Fails if it is too deeply nested.
    pub(super) fn object(&self, map: Map) -> Evaluated {
        self.take_memory(map.len() * size_of::<(Name, Value)>())?;
        map.values().try_for_each(|value| self.check_depth(value, 1))?;
        Ok(Value::map(map))
    }

    fn take_memory(&self, bytes: usize) -> Result<(), Failure> {
        let memory = self.memory.get().saturating_add(bytes);
        if memory > MEMORY_LIMIT {
            let reason = format!("the view makes more than {MEMORY_LIMIT} bytes of values");
            return Err(Failure::row(reason));
        }
        self.memory.set(memory);
        Ok(())
    }

    fn check_depth(&self, value: &Value, depth: usize) -> Result<(), Failure> {
        let inner = |value: &Value| self.check_depth(value, depth + 1);
        match value {
            Value::List(_) | Value::Object(_) if depth >= DEPTH_LIMIT => {
                Err(Failure::row(format!("lists are nested more than {DEPTH_LIMIT} deep")))
            }
            Value::List(values) => values.iter().try_for_each(|value| {
                self.budget.step()?;
                inner(value)
            }),
            Value::Object(Object::Map(map)) => map.values().try_for_each(inner),
            _ => Ok(()),
        }
    }

    /// The file that a link in a file names.
    pub(super) fn resolve(&self, target: &str, source: &FileRecord) -> Option<&VaultPath> {
        self.snapshot.resolve(target, Some(source.path()))
    }

    /// A link with the path of the file that it names, if there is such a file.
    pub(super) fn resolve_link(&self, link: Link, source: &FileRecord) -> Value {
        let path = self.resolve(&link.path, source).map(|path| Name::from(path.as_str()));
        Value::link(match path {
            Some(path) => link.with_path(path),
            None => link,
        })
    }

    /// The file at a path, or null.
    pub(super) fn file(&self, path: &str) -> Value {
        let path = VaultPath::from_disk(path).ok().filter(|path| self.exists(path));
        path.map_or(Value::Null, |path| FileRecord::new(self.files, &path).value())
    }

    fn exists(&self, path: &VaultPath) -> bool {
        self.snapshot.resolve(path.as_str(), None) == Some(path)
    }
}
