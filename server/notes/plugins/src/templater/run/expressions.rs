//! Evaluates expressions.

use std::rc::Rc;

use super::builtins::{Global, Module};
use super::convert::index;
use super::heap::{Closure, Object};
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::refused::refusal;
use crate::templater::script::{
    Binary, Expression, ExpressionKind, Fault, Function, Key, Keyword, Logical, Member, Name,
    Operator, Pattern, Property, Reason, TemplatePart, Unary, Update,
};

impl<'p> Run<'p> {
    pub(super) fn evaluate(&mut self, expression: &'p Expression<'p>) -> Outcome<Value> {
        // A chain that `?.` ends early is undefined.
        Ok(self.evaluate_chain(expression)?.unwrap_or(Value::Undefined))
    }

    /// Evaluates an expression; `None` if `?.` ends it early.
    pub(super) fn evaluate_chain(
        &mut self,
        expression: &'p Expression<'p>,
    ) -> Outcome<Option<Value>> {
        let position = expression.position;
        self.take_steps(position, 1)?;
        self.run_nested(position, |run| match &expression.kind {
            ExpressionKind::Member(member) => run.member(position, member),
            ExpressionKind::Call(call) => run.call(position, call),
            kind => run.evaluate_simple(position, kind).map(Some),
        })
    }

    fn evaluate_simple(
        &mut self,
        position: Position,
        kind: &'p ExpressionKind<'p>,
    ) -> Outcome<Value> {
        match kind {
            ExpressionKind::Null => Ok(Value::Null),
            ExpressionKind::Boolean(value) => Ok(Value::Boolean(*value)),
            ExpressionKind::Number(number) => Ok(Value::Number(*number)),
            ExpressionKind::String(text) => self.string(position, text),
            ExpressionKind::Regex { pattern, flags } => self.compile(position, pattern, flags),
            ExpressionKind::Template(parts) => self.template(position, parts),
            ExpressionKind::Variable(name) => self.get_variable(position, name),
            ExpressionKind::Array(elements) => {
                let elements = self.arguments(elements)?;
                self.array(position, elements)
            }
            ExpressionKind::Object(properties) => self.object_literal(position, properties),
            ExpressionKind::Function(function) => self.function(position, function),
            ExpressionKind::Unary(operator, value) => self.unary(*operator, value),
            ExpressionKind::Update { update, before, target } => {
                let old = self.evaluate(target)?;
                let old = self.convert_to_number(target.position, &old)?;
                let new = match update {
                    Update::Increment => old + 1.0,
                    Update::Decrement => old - 1.0,
                };
                self.assign_to(target, Value::Number(new))?;
                Ok(Value::Number(if *before { new } else { old }))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.evaluate(left)?;
                let right = self.evaluate(right)?;
                self.apply_binary(position, *operator, &left, &right)
            }
            ExpressionKind::Logical(operator, left, right) => {
                let left = self.evaluate(left)?;
                if is_decided(*operator, &left) { Ok(left) } else { self.evaluate(right) }
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let holds = self.evaluate(condition)?.is_truthy();
                self.evaluate(if holds { then } else { otherwise })
            }
            ExpressionKind::Assign(operator, pattern, value) => {
                self.assignment(position, *operator, pattern, value)
            }
            // `chain` evaluates these.
            ExpressionKind::Member(_) | ExpressionKind::Call(_) => Ok(Value::Undefined),
        }
    }

    fn get_variable(&mut self, position: Position, name: &'p str) -> Outcome<Value> {
        if let Some(value) = self.scopes.value(name) {
            return Ok(value);
        }
        if name == "tR" {
            let output = self.output.clone();
            return self.string(position, &output);
        }
        Self::get_global(position, name)
    }

    /// A name that no variable has.
    fn get_global(position: Position, name: &str) -> Outcome<Value> {
        if let Some(why) = refusal(name) {
            let what = format!("`{name}`").into();
            return Err(Fault::new(position, Reason::Refused { what, why }));
        }
        match name {
            "undefined" => Ok(Value::Undefined),
            "NaN" => Ok(Value::Number(f64::NAN)),
            "Infinity" => Ok(Value::Number(f64::INFINITY)),
            "tp" => Ok(Value::Tp(Module::Tp)),
            _ => match Global::parse(name) {
                Some(global) => Ok(Value::Global(global)),
                None => Self::failure(position, format!("`{name}` is not defined")),
            },
        }
    }

    fn template(&mut self, position: Position, parts: &'p [TemplatePart<'p>]) -> Outcome<Value> {
        let mut text = String::new();
        for part in parts {
            match part {
                TemplatePart::Text(part) => self.push(position, &mut text, part)?,
                TemplatePart::Value(value) => {
                    let position = value.position;
                    let value = self.evaluate(value)?;
                    let part = self.convert_to_text(position, &value)?;
                    self.push(position, &mut text, &part)?;
                }
            }
        }
        self.add_built_string(position, text)
    }

    fn object_literal(
        &mut self,
        position: Position,
        properties: &'p [Property<'p>],
    ) -> Outcome<Value> {
        let mut object = Object::new();
        for property in properties {
            match property {
                Property::Pair(key, value) => {
                    let key = self.key(position, key)?;
                    let value = self.evaluate(value)?;
                    object.insert(key, value);
                }
                Property::Spread(value) => {
                    let position = value.position;
                    let value = self.evaluate(value)?;
                    let entries = self.entries(position, &value)?;
                    self.grow(position, entries.len())?;
                    object.extend(entries);
                }
            }
        }
        self.object(position, object)
    }

    pub(super) fn function(
        &mut self,
        position: Position,
        function: &'p Function<'p>,
    ) -> Outcome<Value> {
        let scope = self.scopes.current();
        self.closure(position, Closure { function, scope })
    }

    fn unary(&mut self, operator: Unary, value: &'p Expression<'p>) -> Outcome<Value> {
        let position = value.position;
        if operator == Unary::TypeOf
            && let ExpressionKind::Variable(name) = value.kind
            && self.scopes.value(name).is_none()
            && !Global::is_known(name)
        {
            return self.string(position, "undefined");
        }
        let value = self.evaluate(value)?;
        match operator {
            Unary::Not => Ok(Value::Boolean(!value.is_truthy())),
            Unary::Minus => Ok(Value::Number(-self.convert_to_number(position, &value)?)),
            Unary::Plus => Ok(Value::Number(self.convert_to_number(position, &value)?)),
            Unary::TypeOf => self.string(position, value.type_name()),
            Unary::Await => Ok(value),
        }
    }

    fn assignment(
        &mut self,
        position: Position,
        operator: Operator,
        pattern: &'p Pattern<'p>,
        value: &'p Expression<'p>,
    ) -> Outcome<Value> {
        if operator == Operator::Set {
            let value = self.evaluate(value)?;
            self.bind(position, pattern, value.clone(), None)?;
            return Ok(value);
        }
        let value = match pattern {
            // The most frequent statement; without it each step would copy the whole output.
            Pattern::Name("tR") if operator == Operator::Binary(Binary::Add) => {
                let value = self.evaluate(value)?;
                let text = self.convert_to_text(position, &value)?;
                self.print(position, &text)?;
                return Ok(Value::Undefined);
            }
            Pattern::Name(name) => {
                let old = self.get_variable(position, name)?;
                self.apply_assignment(position, operator, old, value)?
            }
            Pattern::Target(target) => {
                let old = self.evaluate(target)?;
                self.apply_assignment(position, operator, old, value)?
            }
            Pattern::Array(..) | Pattern::Object(..) => {
                return Self::unsupported_failure(position, "an operator with a pattern");
            }
        };
        self.bind(position, pattern, value.clone(), None)?;
        Ok(value)
    }

    fn apply_assignment(
        &mut self,
        position: Position,
        operator: Operator,
        old: Value,
        value: &'p Expression<'p>,
    ) -> Outcome<Value> {
        match operator {
            Operator::Binary(operator) => {
                let value = self.evaluate(value)?;
                self.apply_binary(position, operator, &old, &value)
            }
            Operator::Logical(operator) if is_decided(operator, &old) => Ok(old),
            Operator::Set | Operator::Logical(_) => self.evaluate(value),
        }
    }

    fn assign_to(&mut self, target: &'p Expression<'p>, value: Value) -> Outcome<()> {
        match &target.kind {
            ExpressionKind::Variable(name) => self.set_variable(target.position, name, value),
            ExpressionKind::Member(member) => self.set_member(target.position, member, value),
            _ => Self::failure(target.position, "this cannot be assigned to"),
        }
    }

    fn set_variable(&mut self, position: Position, name: &'p str, value: Value) -> Outcome<()> {
        if name == "tR" && self.scopes.value(name).is_none() {
            let text = self.convert_to_text(position, &value)?;
            self.budget.take_bytes(position, text.len())?;
            self.output = text.into_owned();
            return Ok(());
        }
        self.assign(position, name, value)
    }

    /// Takes a value apart. With a keyword, the names are declared.
    pub(super) fn bind(
        &mut self,
        position: Position,
        pattern: &'p Pattern<'p>,
        value: Value,
        keyword: Option<Keyword>,
    ) -> Outcome<()> {
        let set = |run: &mut Self, name, value| match keyword {
            Some(keyword) => run.declare(position, name, value, keyword),
            None => run.set_variable(position, name, value),
        };
        match pattern {
            Pattern::Name(name) => set(self, name, value),
            Pattern::Target(target) => self.assign_to(target, value),
            Pattern::Array(patterns, rest) => {
                let elements = self.elements(position, &value)?;
                for (at, pattern) in patterns.iter().enumerate() {
                    let Some((pattern, default)) = pattern else { continue };
                    let element = elements.get(at).cloned().unwrap_or(Value::Undefined);
                    self.bind_or(position, pattern, element, default.as_ref(), keyword)?;
                }
                if let Some(rest) = rest {
                    let others = elements.into_iter().skip(patterns.len()).collect();
                    let others = self.array(position, others)?;
                    self.bind(position, rest, others, keyword)?;
                }
                Ok(())
            }
            Pattern::Object(patterns, rest) => {
                for (Name(name), pattern, default) in patterns {
                    let part = self.property(position, &value, name)?;
                    self.bind_or(position, pattern, part, default.as_ref(), keyword)?;
                }
                if let Some(rest) = rest {
                    let mut others = self.entries(position, &value)?;
                    others.retain(|(key, _)| {
                        !patterns.iter().any(|(Name(name), ..)| **name == **key)
                    });
                    let others = self.object(position, others.into_iter().collect())?;
                    set(self, rest, others)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn bind_or(
        &mut self,
        position: Position,
        pattern: &'p Pattern<'p>,
        value: Value,
        default: Option<&'p Expression<'p>>,
        keyword: Option<Keyword>,
    ) -> Outcome<()> {
        let value = match (value, default) {
            (Value::Undefined, Some(default)) => self.evaluate(default)?,
            (value, _) => value,
        };
        self.run_nested(position, |run| run.bind(position, pattern, value, keyword))
    }

    pub(super) fn key(&mut self, position: Position, key: &'p Key<'p>) -> Outcome<Rc<str>> {
        match key {
            Key::Name(Name(name)) => Ok(Rc::from(&**name)),
            Key::Computed(key) => {
                let key = self.evaluate(key)?;
                Ok(Rc::from(&*self.convert_to_text(position, &key)?))
            }
        }
    }

    fn member(&mut self, position: Position, member: &'p Member<'p>) -> Outcome<Option<Value>> {
        let Some(object) = self.evaluate_chain(&member.object)? else { return Ok(None) };
        if member.optional && object.is_nullish() {
            return Ok(None);
        }
        self.get_member(position, &object, &member.key).map(Some)
    }

    pub(super) fn get_member(
        &mut self,
        position: Position,
        object: &Value,
        key: &'p Key<'p>,
    ) -> Outcome<Value> {
        match key {
            Key::Name(Name(name)) => self.property(position, object, name),
            Key::Computed(key) => {
                let key = self.evaluate(key)?;
                if let (Value::Array(id), Value::Number(at)) = (object, &key) {
                    let element = index(*at).and_then(|at| self.heap.array(*id).get(at).cloned());
                    return Ok(element.unwrap_or(Value::Undefined));
                }
                let key = self.convert_to_text(position, &key)?.into_owned();
                self.property(position, object, &key)
            }
        }
    }

    fn set_member(
        &mut self,
        position: Position,
        member: &'p Member<'p>,
        value: Value,
    ) -> Outcome<()> {
        let object = self.evaluate(&member.object)?;
        let key = self.key(position, &member.key)?;
        match object {
            Value::Object(id) => {
                self.grow(position, 1)?;
                self.heap.object_mut(id).insert(key, value);
                Ok(())
            }
            Value::Array(id) => {
                let length = self.heap.array(id).len();
                let at = key.parse::<usize>().ok().filter(|at| *at <= length + 10_000);
                let Some(at) = at else {
                    return Self::unsupported_failure(
                        position,
                        format!("setting `{key}` of a list"),
                    );
                };
                self.grow(position, (at + 1).saturating_sub(length))?;
                let array = self.heap.array_mut(id);
                if array.len() <= at {
                    array.resize(at + 1, Value::Undefined);
                }
                array[at] = value;
                Ok(())
            }
            other => Self::failure(position, format!("`{key}` of {} cannot be set", other.kind())),
        }
    }
}

/// Whether the first value alone decides `&&`, `||` or `??`.
fn is_decided(operator: Logical, left: &Value) -> bool {
    match operator {
        Logical::And => !left.is_truthy(),
        Logical::Or => left.is_truthy(),
        Logical::Coalesce => !left.is_nullish(),
    }
}
