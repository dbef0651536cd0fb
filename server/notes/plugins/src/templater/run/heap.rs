//! Shared values, by position.

use std::rc::Rc;

use indexmap::IndexMap;
use regex::Regex;

use super::ids::{ArrayId, FunctionId, MomentId, ObjectId, RegexId};
use super::scopes::ScopeId;
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::script::Function;
use toolwrit_moment::Moment;

/// Values that are shared and can change.
#[derive(Default)]
pub(super) struct Heap<'p> {
    arrays: Vec<Vec<Value>>,
    objects: Vec<Object>,
    functions: Vec<Closure<'p>>,
    moments: Vec<Moment>,
    regexes: Vec<RegexValue>,
}

/// Properties in the order in which they were added.
pub(super) type Object = IndexMap<Rc<str>, Value>;

/// A function, and the variables that it sees.
#[derive(Clone, Copy)]
pub(super) struct Closure<'p> {
    pub(super) function: &'p Function<'p>,
    pub(super) scope: ScopeId,
}

/// A compiled regular expression.
#[derive(Clone)]
pub(super) struct RegexValue {
    pub(super) regex: Regex,
    /// The pattern as written, between slashes.
    pub(super) source: Rc<str>,
    pub(super) global: bool,
}

/// The bytes that a value counts for, and what it takes besides in a container.
const VALUE: usize = 48;

impl<'p> Run<'p> {
    pub(super) fn string(&mut self, position: Position, text: &str) -> Outcome<Value> {
        self.budget.take_bytes(position, text.len() + VALUE)?;
        Ok(Value::text(text))
    }

    /// Adds to a text that is being built. What is added counts before it is there.
    pub(super) fn push(
        &mut self,
        position: Position,
        text: &mut String,
        piece: &str,
    ) -> Outcome<()> {
        self.budget.take_bytes(position, piece.len())?;
        text.push_str(piece);
        Ok(())
    }

    /// A text that has been built: its pieces count already.
    pub(super) fn add_built_string(&mut self, position: Position, text: String) -> Outcome<Value> {
        self.budget.take_bytes(position, VALUE)?;
        Ok(Value::text(text))
    }

    pub(super) fn array(&mut self, position: Position, elements: Vec<Value>) -> Outcome<Value> {
        self.budget.take_bytes(position, (elements.len() + 1) * VALUE)?;
        self.heap.arrays.push(elements);
        Ok(Value::Array(ArrayId(self.heap.arrays.len() - 1)))
    }

    pub(super) fn object(&mut self, position: Position, properties: Object) -> Outcome<Value> {
        self.budget.take_bytes(position, (2 * properties.len() + 1) * VALUE)?;
        self.heap.objects.push(properties);
        Ok(Value::Object(ObjectId(self.heap.objects.len() - 1)))
    }

    pub(super) fn closure(&mut self, position: Position, closure: Closure<'p>) -> Outcome<Value> {
        self.budget.take_bytes(position, VALUE)?;
        self.heap.functions.push(closure);
        Ok(Value::Function(FunctionId(self.heap.functions.len() - 1)))
    }

    pub(super) fn moment(&mut self, position: Position, moment: Moment) -> Outcome<Value> {
        self.budget.take_bytes(position, 2 * VALUE)?;
        self.heap.moments.push(moment);
        Ok(Value::Moment(MomentId(self.heap.moments.len() - 1)))
    }

    pub(super) fn regex(&mut self, position: Position, pattern: RegexValue) -> Outcome<Value> {
        self.budget.take_bytes(position, 4096)?;
        self.heap.regexes.push(pattern);
        Ok(Value::Regex(RegexId(self.heap.regexes.len() - 1)))
    }

    /// Counts elements that are added to an array or an object.
    pub(super) fn grow(&mut self, position: Position, count: usize) -> Outcome<()> {
        self.budget.take_bytes(position, count * 2 * VALUE)
    }
}

impl<'p> Heap<'p> {
    pub(super) fn array(&self, id: ArrayId) -> &[Value] {
        &self.arrays[id.0]
    }

    pub(super) fn array_mut(&mut self, id: ArrayId) -> &mut Vec<Value> {
        &mut self.arrays[id.0]
    }

    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0]
    }

    pub(super) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0]
    }

    pub(super) fn function(&self, id: FunctionId) -> Closure<'p> {
        self.functions[id.0]
    }

    pub(super) fn moment(&self, id: MomentId) -> &Moment {
        &self.moments[id.0]
    }

    pub(super) fn moment_mut(&mut self, id: MomentId) -> &mut Moment {
        &mut self.moments[id.0]
    }

    pub(super) fn regex(&self, id: RegexId) -> &RegexValue {
        &self.regexes[id.0]
    }
}
