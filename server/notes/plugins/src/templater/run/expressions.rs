//! Evaluates expressions.

use std::rc::Rc;

use super::builtins::{Global, Module};
use super::convert::index;
use super::heap::{Closure, Object};
use super::value::Value;
use super::{Outcome, Place, Run};
use crate::templater::refused::refusal;
use crate::templater::script::{
    Binary, Expression, ExpressionKind, Fault, Function, Key, Keyword, Logical, Member, Name,
    Operator, Pattern, Property, Reason, TemplatePart, Unary, Update,
};

impl<'p> Run<'p> {
    pub(super) fn value(&mut self, expression: &'p Expression<'p>) -> Outcome<Value> {
        // A chain that `?.` ends early is undefined.
        Ok(self.chain(expression)?.unwrap_or(Value::Undefined))
    }

    /// Evaluates an expression; `None` if `?.` ends it early.
    pub(super) fn chain(&mut self, expression: &'p Expression<'p>) -> Outcome<Option<Value>> {
        let place = expression.place;
        self.steps(place, 1)?;
        self.nested(place, |run| match &expression.kind {
            ExpressionKind::Member(member) => run.member(place, member),
            ExpressionKind::Call(call) => run.call(place, call),
            kind => run.simple(place, kind).map(Some),
        })
    }

    fn simple(&mut self, place: Place, kind: &'p ExpressionKind<'p>) -> Outcome<Value> {
        match kind {
            ExpressionKind::Null => Ok(Value::Null),
            ExpressionKind::Boolean(value) => Ok(Value::Boolean(*value)),
            ExpressionKind::Number(number) => Ok(Value::Number(*number)),
            ExpressionKind::String(text) => self.string(place, text),
            ExpressionKind::Regex { pattern, flags } => self.compile(place, pattern, flags),
            ExpressionKind::Template(parts) => self.template(place, parts),
            ExpressionKind::Variable(name) => self.variable(place, name),
            ExpressionKind::Array(elements) => {
                let elements = self.arguments(elements)?;
                self.array(place, elements)
            }
            ExpressionKind::Object(properties) => self.object_literal(place, properties),
            ExpressionKind::Function(function) => self.function(place, function),
            ExpressionKind::Unary(operator, value) => self.unary(*operator, value),
            ExpressionKind::Update { update, before, target } => {
                let old = self.value(target)?;
                let old = self.number_of(target.place, &old)?;
                let new = match update {
                    Update::Increment => old + 1.0,
                    Update::Decrement => old - 1.0,
                };
                self.assign_to(target, Value::Number(new))?;
                Ok(Value::Number(if *before { new } else { old }))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.binary(place, *operator, &left, &right)
            }
            ExpressionKind::Logical(operator, left, right) => {
                let left = self.value(left)?;
                if is_decided(*operator, &left) { Ok(left) } else { self.value(right) }
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let holds = self.value(condition)?.is_truthy();
                self.value(if holds { then } else { otherwise })
            }
            ExpressionKind::Assign(operator, pattern, value) => {
                self.assignment(place, *operator, pattern, value)
            }
            // `chain` evaluates these.
            ExpressionKind::Member(_) | ExpressionKind::Call(_) => Ok(Value::Undefined),
        }
    }

    fn variable(&mut self, place: Place, name: &'p str) -> Outcome<Value> {
        if let Some(value) = self.scopes.value(name) {
            return Ok(value);
        }
        if name == "tR" {
            let output = self.output.clone();
            return self.string(place, &output);
        }
        Self::global(place, name)
    }

    /// A name that no variable has.
    fn global(place: Place, name: &str) -> Outcome<Value> {
        if let Some(why) = refusal(name) {
            let what = format!("`{name}`").into();
            return Err(Fault::new(place, Reason::Refused { what, why }));
        }
        match name {
            "undefined" => Ok(Value::Undefined),
            "NaN" => Ok(Value::Number(f64::NAN)),
            "Infinity" => Ok(Value::Number(f64::INFINITY)),
            "tp" => Ok(Value::Tp(Module::Tp)),
            _ => match Global::parse(name) {
                Some(global) => Ok(Value::Global(global)),
                None => Self::failed(place, format!("`{name}` is not defined")),
            },
        }
    }

    fn template(&mut self, place: Place, parts: &'p [TemplatePart<'p>]) -> Outcome<Value> {
        let mut text = String::new();
        for part in parts {
            match part {
                TemplatePart::Text(part) => self.push(place, &mut text, part)?,
                TemplatePart::Value(value) => {
                    let place = value.place;
                    let value = self.value(value)?;
                    let part = self.text_of(place, &value)?;
                    self.push(place, &mut text, &part)?;
                }
            }
        }
        self.built(place, text)
    }

    fn object_literal(&mut self, place: Place, properties: &'p [Property<'p>]) -> Outcome<Value> {
        let mut object = Object::new();
        for property in properties {
            match property {
                Property::Pair(key, value) => {
                    let key = self.key(place, key)?;
                    let value = self.value(value)?;
                    object.insert(key, value);
                }
                Property::Spread(value) => {
                    let place = value.place;
                    let value = self.value(value)?;
                    let entries = self.entries(place, &value)?;
                    self.grow(place, entries.len())?;
                    object.extend(entries);
                }
            }
        }
        self.object(place, object)
    }

    pub(super) fn function(&mut self, place: Place, function: &'p Function<'p>) -> Outcome<Value> {
        let scope = self.scopes.current();
        self.closure(place, Closure { function, scope })
    }

    fn unary(&mut self, operator: Unary, value: &'p Expression<'p>) -> Outcome<Value> {
        let place = value.place;
        if operator == Unary::TypeOf
            && let ExpressionKind::Variable(name) = value.kind
            && self.scopes.value(name).is_none()
            && !Global::is_known(name)
        {
            return self.string(place, "undefined");
        }
        let value = self.value(value)?;
        match operator {
            Unary::Not => Ok(Value::Boolean(!value.is_truthy())),
            Unary::Minus => Ok(Value::Number(-self.number_of(place, &value)?)),
            Unary::Plus => Ok(Value::Number(self.number_of(place, &value)?)),
            Unary::TypeOf => self.string(place, value.type_name()),
            Unary::Await => Ok(value),
        }
    }

    fn assignment(
        &mut self,
        place: Place,
        operator: Operator,
        pattern: &'p Pattern<'p>,
        value: &'p Expression<'p>,
    ) -> Outcome<Value> {
        if operator == Operator::Set {
            let value = self.value(value)?;
            self.bind(place, pattern, value.clone(), None)?;
            return Ok(value);
        }
        let value = match pattern {
            // The most frequent statement; without it each step would copy the whole output.
            Pattern::Name("tR") if operator == Operator::Binary(Binary::Add) => {
                let value = self.value(value)?;
                let text = self.text_of(place, &value)?;
                self.print(place, &text)?;
                return Ok(Value::Undefined);
            }
            Pattern::Name(name) => {
                let old = self.variable(place, name)?;
                self.operated(place, operator, old, value)?
            }
            Pattern::Target(target) => {
                let old = self.value(target)?;
                self.operated(place, operator, old, value)?
            }
            Pattern::Array(..) | Pattern::Object(..) => {
                return Self::unsupported(place, "an operator with a pattern");
            }
        };
        self.bind(place, pattern, value.clone(), None)?;
        Ok(value)
    }

    fn operated(
        &mut self,
        place: Place,
        operator: Operator,
        old: Value,
        value: &'p Expression<'p>,
    ) -> Outcome<Value> {
        match operator {
            Operator::Binary(operator) => {
                let value = self.value(value)?;
                self.binary(place, operator, &old, &value)
            }
            Operator::Logical(operator) if is_decided(operator, &old) => Ok(old),
            Operator::Set | Operator::Logical(_) => self.value(value),
        }
    }

    fn assign_to(&mut self, target: &'p Expression<'p>, value: Value) -> Outcome<()> {
        match &target.kind {
            ExpressionKind::Variable(name) => self.set_variable(target.place, name, value),
            ExpressionKind::Member(member) => self.set_member(target.place, member, value),
            _ => Self::failed(target.place, "this cannot be assigned to"),
        }
    }

    fn set_variable(&mut self, place: Place, name: &'p str, value: Value) -> Outcome<()> {
        if name == "tR" && self.scopes.value(name).is_none() {
            let text = self.text_of(place, &value)?;
            self.budget.bytes(place, text.len())?;
            self.output = text.into_owned();
            return Ok(());
        }
        self.assign(place, name, value)
    }

    /// Takes a value apart. With a keyword, the names are declared.
    pub(super) fn bind(
        &mut self,
        place: Place,
        pattern: &'p Pattern<'p>,
        value: Value,
        keyword: Option<Keyword>,
    ) -> Outcome<()> {
        let set = |run: &mut Self, name, value| match keyword {
            Some(keyword) => run.declare(place, name, value, keyword),
            None => run.set_variable(place, name, value),
        };
        match pattern {
            Pattern::Name(name) => set(self, name, value),
            Pattern::Target(target) => self.assign_to(target, value),
            Pattern::Array(patterns, rest) => {
                let elements = self.elements(place, &value)?;
                for (at, pattern) in patterns.iter().enumerate() {
                    let Some((pattern, default)) = pattern else { continue };
                    let element = elements.get(at).cloned().unwrap_or(Value::Undefined);
                    self.bind_or(place, pattern, element, default.as_ref(), keyword)?;
                }
                if let Some(rest) = rest {
                    let others = elements.into_iter().skip(patterns.len()).collect();
                    let others = self.array(place, others)?;
                    self.bind(place, rest, others, keyword)?;
                }
                Ok(())
            }
            Pattern::Object(patterns, rest) => {
                for (Name(name), pattern, default) in patterns {
                    let part = self.property(place, &value, name)?;
                    self.bind_or(place, pattern, part, default.as_ref(), keyword)?;
                }
                if let Some(rest) = rest {
                    let mut others = self.entries(place, &value)?;
                    others.retain(|(key, _)| {
                        !patterns.iter().any(|(Name(name), ..)| **name == **key)
                    });
                    let others = self.object(place, others.into_iter().collect())?;
                    set(self, rest, others)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn bind_or(
        &mut self,
        place: Place,
        pattern: &'p Pattern<'p>,
        value: Value,
        default: Option<&'p Expression<'p>>,
        keyword: Option<Keyword>,
    ) -> Outcome<()> {
        let value = match (value, default) {
            (Value::Undefined, Some(default)) => self.value(default)?,
            (value, _) => value,
        };
        self.nested(place, |run| run.bind(place, pattern, value, keyword))
    }

    pub(super) fn key(&mut self, place: Place, key: &'p Key<'p>) -> Outcome<Rc<str>> {
        match key {
            Key::Name(Name(name)) => Ok(Rc::from(&**name)),
            Key::Computed(key) => {
                let key = self.value(key)?;
                Ok(Rc::from(&*self.text_of(place, &key)?))
            }
        }
    }

    fn member(&mut self, place: Place, member: &'p Member<'p>) -> Outcome<Option<Value>> {
        let Some(object) = self.chain(&member.object)? else { return Ok(None) };
        if member.optional && object.is_nullish() {
            return Ok(None);
        }
        self.member_of(place, &object, &member.key).map(Some)
    }

    pub(super) fn member_of(
        &mut self,
        place: Place,
        object: &Value,
        key: &'p Key<'p>,
    ) -> Outcome<Value> {
        match key {
            Key::Name(Name(name)) => self.property(place, object, name),
            Key::Computed(key) => {
                let key = self.value(key)?;
                if let (Value::Array(id), Value::Number(at)) = (object, &key) {
                    let element = index(*at).and_then(|at| self.heap.array(*id).get(at).cloned());
                    return Ok(element.unwrap_or(Value::Undefined));
                }
                let key = self.text_of(place, &key)?.into_owned();
                self.property(place, object, &key)
            }
        }
    }

    fn set_member(&mut self, place: Place, member: &'p Member<'p>, value: Value) -> Outcome<()> {
        let object = self.value(&member.object)?;
        let key = self.key(place, &member.key)?;
        match object {
            Value::Object(id) => {
                self.grow(place, 1)?;
                self.heap.object_mut(id).insert(key, value);
                Ok(())
            }
            Value::Array(id) => {
                let length = self.heap.array(id).len();
                let at = key.parse::<usize>().ok().filter(|at| *at <= length + 10_000);
                let Some(at) = at else {
                    return Self::unsupported(place, format!("setting `{key}` of a list"));
                };
                self.grow(place, (at + 1).saturating_sub(length))?;
                let array = self.heap.array_mut(id);
                if array.len() <= at {
                    array.resize(at + 1, Value::Undefined);
                }
                array[at] = value;
                Ok(())
            }
            other => Self::failed(place, format!("`{key}` of {} cannot be set", other.kind())),
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
