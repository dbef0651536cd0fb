//! Variables.

use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::script::Keyword;

/// The position of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScopeId(usize);

/// All scopes of a run, and the current one.
pub(super) struct Scopes<'p> {
    scopes: Vec<Scope<'p>>,
    current: ScopeId,
}

struct Scope<'p> {
    parent: Option<ScopeId>,
    /// Whether `var` declares here: the top, or the scope of a function call.
    holds_var: bool,
    variables: Vec<Variable<'p>>,
}

struct Variable<'p> {
    name: &'p str,
    value: Value,
    constant: bool,
}

impl Default for Scopes<'_> {
    fn default() -> Self {
        let top = Scope { parent: None, holds_var: true, variables: Vec::new() };
        Self { scopes: vec![top], current: ScopeId(0) }
    }
}

impl<'p> Scopes<'p> {
    pub(super) fn current(&self) -> ScopeId {
        self.current
    }

    /// Continues in another scope, and returns the one so far.
    pub(super) fn restore(&mut self, scope: ScopeId) -> ScopeId {
        std::mem::replace(&mut self.current, scope)
    }

    /// Enters a new scope in another one, and returns the one so far.
    pub(super) fn enter(&mut self, parent: ScopeId, holds_var: bool) -> ScopeId {
        self.scopes.push(Scope { parent: Some(parent), holds_var, variables: Vec::new() });
        self.restore(ScopeId(self.scopes.len() - 1))
    }

    /// The scope in which `var` declares.
    fn var_scope(&self) -> ScopeId {
        let mut scope = self.current;
        while let Scope { parent: Some(parent), holds_var: false, .. } = &self.scopes[scope.0] {
            scope = *parent;
        }
        scope
    }

    fn find(&self, name: &str) -> Option<&Variable<'p>> {
        let mut next = Some(self.current);
        while let Some(ScopeId(at)) = next {
            let scope = &self.scopes[at];
            if let Some(found) = scope.variables.iter().find(|variable| variable.name == name) {
                return Some(found);
            }
            next = scope.parent;
        }
        None
    }

    pub(super) fn value(&self, name: &str) -> Option<Value> {
        self.find(name).map(|variable| variable.value.clone())
    }
}

impl<'p> Run<'p> {
    /// Runs something in a new scope within the current one.
    pub(super) fn run_scoped<T>(
        &mut self,
        position: Position,
        run: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        self.budget.take_bytes(position, 64)?;
        let current = self.scopes.current();
        let outer = self.scopes.enter(current, false);
        let done = run(self);
        self.scopes.restore(outer);
        done
    }

    /// Declares what `var` declares anywhere in a function, which may be read before. Parameters of these names
    /// keep their values.
    pub(super) fn hoist_vars(&mut self, vars: &[&'p str]) {
        let ScopeId(at) = self.scopes.current();
        let variables = &mut self.scopes.scopes[at].variables;
        for name in vars {
            if !variables.iter().any(|variable| variable.name == *name) {
                variables.push(Variable { name, value: Value::Undefined, constant: false });
            }
        }
    }

    pub(super) fn declare(
        &mut self,
        position: Position,
        name: &'p str,
        value: Value,
        keyword: Keyword,
    ) -> Outcome<()> {
        self.budget.take_bytes(position, 64)?;
        let scope = match keyword {
            Keyword::Var => self.scopes.var_scope(),
            Keyword::Const | Keyword::Let => self.scopes.current(),
        };
        let constant = keyword == Keyword::Const;
        let variables = &mut self.scopes.scopes[scope.0].variables;
        match variables.iter_mut().find(|variable| variable.name == name) {
            Some(known) if known.constant || keyword != Keyword::Var => {
                Self::failure(position, format!("`{name}` is declared twice"))
            }
            Some(known) => {
                known.value = value;
                Ok(())
            }
            None => {
                variables.push(Variable { name, value, constant });
                Ok(())
            }
        }
    }

    /// Changes a variable. A variable that does not exist is created at the top, as JavaScript does.
    pub(super) fn assign(
        &mut self,
        position: Position,
        name: &'p str,
        value: Value,
    ) -> Outcome<()> {
        let mut next = Some(self.scopes.current());
        let mut top = self.scopes.current();
        while let Some(ScopeId(at)) = next {
            top = ScopeId(at);
            let scope = &mut self.scopes.scopes[at];
            if let Some(known) = scope.variables.iter_mut().find(|variable| variable.name == name) {
                if known.constant {
                    return Self::failure(position, format!("`{name}` is a constant"));
                }
                known.value = value;
                return Ok(());
            }
            next = scope.parent;
        }
        self.budget.take_bytes(position, 64)?;
        self.scopes.scopes[top.0].variables.push(Variable { name, value, constant: false });
        Ok(())
    }
}
