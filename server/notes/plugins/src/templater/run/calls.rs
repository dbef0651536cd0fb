//! Calls functions.

use super::convert::has_methods;
use super::heap::Closure;
use super::statements::Flow;
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::script::{Argument, Body, Call, ExpressionKind, Function, Keyword};

impl<'p> Run<'p> {
    /// Evaluates a call; `None` if `?.` ends it early.
    pub(super) fn call(
        &mut self,
        position: Position,
        call: &'p Call<'p>,
    ) -> Outcome<Option<Value>> {
        if let ExpressionKind::Member(member) = &call.callee.kind {
            let Some(object) = self.evaluate_chain(&member.object)? else { return Ok(None) };
            if member.optional && object.is_nullish() {
                return Ok(None);
            }
            if has_methods(&object) {
                let name = self.key(position, &member.key)?;
                if call.optional && !self.has_property(&object, &name) {
                    return Ok(None);
                }
                let arguments = self.arguments(&call.arguments)?;
                return self.method(position, &object, &name, arguments).map(Some);
            }
            let callee = self.get_member(position, &object, &member.key)?;
            if call.optional && callee.is_nullish() {
                return Ok(None);
            }
            let arguments = self.arguments(&call.arguments)?;
            return self.apply(position, &callee, arguments).map(Some);
        }
        let Some(callee) = self.evaluate_chain(&call.callee)? else { return Ok(None) };
        if call.optional && callee.is_nullish() {
            return Ok(None);
        }
        let arguments = self.arguments(&call.arguments)?;
        self.apply(position, &callee, arguments).map(Some)
    }

    pub(super) fn arguments(&mut self, arguments: &'p [Argument<'p>]) -> Outcome<Vec<Value>> {
        let mut values = Vec::new();
        for Argument { value, spread } in arguments {
            let position = value.position;
            let value = self.evaluate(value)?;
            if *spread {
                let elements = self.elements(position, &value)?;
                self.grow(position, elements.len())?;
                values.extend(elements);
            } else {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// Calls a function.
    pub(super) fn apply(
        &mut self,
        position: Position,
        callee: &Value,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        match callee {
            Value::Function(id) => {
                let closure = self.heap.function(*id);
                self.run_nested(position, |run| run.apply_closure(position, closure, arguments))
            }
            Value::Global(global) => self.apply_global(position, *global, arguments),
            Value::TpFunction(function) => self.apply_tp(position, *function, arguments),
            other => Self::failure(position, format!("{} is not a function", other.kind())),
        }
    }

    fn apply_closure(
        &mut self,
        position: Position,
        closure: Closure<'p>,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        self.budget.take_bytes(position, 64)?;
        let Function { parameters, rest, vars, body } = closure.function;
        let outer = self.scopes.enter(closure.scope, true);
        let run = || {
            let mut arguments = arguments.into_iter();
            for (pattern, default) in parameters {
                let argument = arguments.next().unwrap_or(Value::Undefined);
                self.bind_or(position, pattern, argument, default.as_ref(), Some(Keyword::Var))?;
            }
            if let Some(rest) = rest {
                let others = self.array(position, arguments.collect())?;
                self.bind(position, rest, others, Some(Keyword::Var))?;
            }
            match body {
                Body::Value(value) => self.evaluate(value),
                Body::Statements(statements) => {
                    self.budget.take_bytes(position, 64 * vars.len())?;
                    self.hoist_vars(vars);
                    match self.run_statements(statements)? {
                        Flow::Return(value) => Ok(value),
                        Flow::Next | Flow::Break | Flow::Continue => Ok(Value::Undefined),
                    }
                }
            }
        };
        let done = run();
        self.scopes.restore(outer);
        done
    }
}
