//! What a template asks its user for, found in its code.

use std::collections::HashMap;

use super::refused::refusal;
use super::script::{
    Argument, Body, Call, Expression, ExpressionKind, Function, Key, Member, Name, Pattern, Place,
    Program, Property, Statement, StatementKind, TemplatePart, Unary,
};

/// Something that a template asks for, given as an argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name of the argument: the variable that takes the answer, or words of the question.
    pub name: String,
    /// The question, as the template asks it. May be empty.
    pub description: String,
    /// What answers fit.
    pub kind: ParameterKind,
    /// Whether the template always asks, and has no default.
    pub required: bool,
    /// The default, if it is written in the template.
    pub default: Option<String>,
}

/// What answers fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterKind {
    /// A text.
    Text,
    /// One of these texts; any text if the template computes them.
    Choice(Option<Vec<String>>),
    /// Any number of these texts.
    Choices(Option<Vec<String>>),
}

/// The parameters of a template, and the calls that ask for them.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    list: Vec<Parameter>,
    calls: HashMap<Place, usize>,
    refused: Vec<(Place, String)>,
}

impl Parameters {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut search = Search { found: Self::default(), conditional: 0 };
        search.statements(&program.statements);
        search.found
    }

    /// In the order of the template, each once.
    pub(super) fn list(&self) -> &[Parameter] {
        &self.list
    }

    /// The name of the parameter that a call asks for.
    pub(super) fn name_at(&self, call: Place) -> Option<&str> {
        Some(&self.list[*self.calls.get(&call)?].name)
    }

    /// The places where the template uses what is refused, and the names.
    pub(super) fn refused(&self) -> &[(Place, String)] {
        &self.refused
    }

    fn add(&mut self, call: Place, mut parameter: Parameter, is_named: bool) {
        let same = |known: &Parameter| {
            known.name == parameter.name && (is_named || known.description == parameter.description)
        };
        if let Some(at) = self.list.iter().position(same) {
            self.list[at].required |= parameter.required;
            self.calls.insert(call, at);
            return;
        }
        let base = parameter.name.clone();
        let mut number = 2;
        while self.list.iter().any(|known| known.name == parameter.name) {
            parameter.name = format!("{base}_{number}");
            number += 1;
        }
        self.calls.insert(call, self.list.len());
        self.list.push(parameter);
    }
}

/// A walk through a program.
struct Search {
    found: Parameters,
    /// How many conditions, loops and functions contain the current place.
    conditional: usize,
}

impl Search {
    fn perhaps(&mut self, search: impl FnOnce(&mut Self)) {
        self.conditional += 1;
        search(self);
        self.conditional -= 1;
    }

    fn statements(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match &statement.kind {
            StatementKind::Text(_) | StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Output(value)
            | StatementKind::Expression(value)
            | StatementKind::Throw(value) => self.expression(value, None),
            StatementKind::Declare(declared) => {
                for declaration in declared {
                    if let Some(value) = &declaration.value {
                        self.expression(value, variable(&declaration.pattern));
                    }
                }
            }
            StatementKind::Function(_, function) => self.function(function),
            StatementKind::Block(statements) => self.statements(statements),
            StatementKind::If(condition, then, otherwise) => {
                self.expression(condition, None);
                self.perhaps(|search| {
                    search.statement(then);
                    if let Some(otherwise) = otherwise {
                        search.statement(otherwise);
                    }
                });
            }
            StatementKind::For { start, condition, step, body } => {
                if let Some(start) = start {
                    self.statement(start);
                }
                self.perhaps(|search| {
                    for part in [condition, step].into_iter().flatten() {
                        search.expression(part, None);
                    }
                    search.statement(body);
                });
            }
            StatementKind::ForEach { over, body, .. } => {
                self.expression(over, None);
                self.perhaps(|search| search.statement(body));
            }
            StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
                self.perhaps(|search| {
                    search.expression(condition, None);
                    search.statement(body);
                });
            }
            StatementKind::Switch(value, cases) => {
                self.expression(value, None);
                self.perhaps(|search| {
                    for (case, body) in cases {
                        if let Some(case) = case {
                            search.expression(case, None);
                        }
                        search.statements(body);
                    }
                });
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(value, None);
                }
            }
            StatementKind::Try { body, catch, finally } => self.perhaps(|search| {
                search.statements(body);
                if let Some((_, catch)) = catch {
                    search.statements(catch);
                }
                search.statements(finally);
            }),
        }
    }

    /// `variable` is the variable that takes the value.
    fn expression(&mut self, expression: &Expression<'_>, variable: Option<&str>) {
        match &expression.kind {
            ExpressionKind::Null
            | ExpressionKind::Boolean(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Regex { .. } => {}
            ExpressionKind::Variable(name) => self.name(expression.place, name),
            ExpressionKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Value(value) = part {
                        self.expression(value, None);
                    }
                }
            }
            ExpressionKind::Array(elements) => self.arguments(elements),
            ExpressionKind::Object(properties) => {
                for property in properties {
                    match property {
                        Property::Pair(Key::Name(Name(name)), value) => {
                            self.expression(value, Some(name));
                        }
                        Property::Pair(Key::Computed(key), value) => {
                            self.expression(key, None);
                            self.expression(value, None);
                        }
                        Property::Spread(value) => self.expression(value, None),
                    }
                }
            }
            ExpressionKind::Function(function) => self.function(function),
            ExpressionKind::Member(member) => self.member(expression, member),
            ExpressionKind::Call(call) => self.call(expression.place, call, variable),
            ExpressionKind::Unary(Unary::Await, value) => self.expression(value, variable),
            ExpressionKind::Unary(_, value) => self.expression(value, None),
            ExpressionKind::Update { target, .. } => self.expression(target, None),
            ExpressionKind::Binary(_, left, right) => {
                self.expression(left, None);
                self.expression(right, None);
            }
            ExpressionKind::Logical(_, left, right) => {
                self.expression(left, variable);
                self.perhaps(|search| search.expression(right, None));
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition, None);
                self.perhaps(|search| {
                    search.expression(then, variable);
                    search.expression(otherwise, variable);
                });
            }
            ExpressionKind::Assign(_, pattern, value) => {
                self.expression(value, self::variable(pattern));
            }
        }
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) {
        for argument in arguments {
            self.expression(&argument.value, None);
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        self.perhaps(|search| match &function.body {
            Body::Value(value) => search.expression(value, None),
            Body::Statements(statements) => search.statements(statements),
        });
    }

    fn member(&mut self, expression: &Expression<'_>, member: &Member<'_>) {
        match dotted(expression) {
            Some(name) => self.name(expression.place, &name),
            None => self.expression(&member.object, None),
        }
        if let Key::Computed(key) = &member.key {
            self.expression(key, None);
        }
    }

    /// Notes a name that is refused, or that contains one at its start.
    fn name(&mut self, place: Place, name: &str) {
        let mut starts = name.match_indices('.').map(|(at, _)| &name[..at]).chain([name]);
        if let Some(refused) = starts.find(|start| refusal(start).is_some()) {
            self.found.refused.push((place, refused.to_owned()));
        }
    }

    fn call(&mut self, place: Place, call: &Call<'_>, variable: Option<&str>) {
        self.expression(&call.callee, None);
        self.arguments(&call.arguments);
        let Some(name) = dotted(&call.callee) else { return };
        let text = |at: usize| call.arguments.get(at).and_then(|it| literal(&it.value));
        let texts = || call.arguments.first().and_then(|it| literals(&it.value));
        let required = self.conditional == 0;
        let named = |description: &str, fallback: &str| {
            let own = variable.filter(|it| it.is_ascii()).map(str::to_owned);
            own.or_else(|| words(description)).unwrap_or_else(|| fallback.to_owned())
        };
        let (parameter, is_named) = match name.as_str() {
            "tp.system.prompt" => {
                let description = text(0).unwrap_or_default();
                let name = named(&description, "prompt");
                let has_default = call.arguments.get(1).is_some_and(|argument| {
                    !matches!(argument.value.kind, ExpressionKind::Null)
                        && !matches!(argument.value.kind, ExpressionKind::Variable("undefined"))
                });
                let (kind, default) = (ParameterKind::Text, text(1));
                let required = required && !has_default;
                (Parameter { name, description, kind, required, default }, false)
            }
            "tp.system.suggester" | "tp.system.multi_suggester" => {
                let description = text(3).unwrap_or_default();
                let fallback = if name == "tp.system.suggester" { "choice" } else { "choices" };
                let kind = match fallback {
                    "choice" => ParameterKind::Choice(texts()),
                    _ => ParameterKind::Choices(texts()),
                };
                let name = named(&description, fallback);
                (Parameter { name, description, kind, required, default: None }, false)
            }
            "tp.mcpTools.prompt" => {
                let Some(name) = text(0) else { return };
                let (description, kind) = (text(1).unwrap_or_default(), ParameterKind::Text);
                (Parameter { name, description, kind, required, default: None }, true)
            }
            _ => return,
        };
        self.found.add(place, parameter, is_named);
    }
}

fn variable<'a>(pattern: &Pattern<'a>) -> Option<&'a str> {
    match pattern {
        Pattern::Name("tR") => None,
        Pattern::Name(name) => Some(name),
        _ => None,
    }
}

/// `a.b.c` as text.
fn dotted(expression: &Expression<'_>) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Variable(name) => Some((*name).to_owned()),
        ExpressionKind::Member(Member { object, key: Key::Name(Name(name)), .. }) => {
            Some(format!("{}.{name}", dotted(object)?))
        }
        _ => None,
    }
}

fn literal(expression: &Expression<'_>) -> Option<String> {
    match &expression.kind {
        ExpressionKind::String(text) => Some(text.clone()),
        ExpressionKind::Number(number) => Some(number.to_string()),
        ExpressionKind::Boolean(value) => Some(value.to_string()),
        ExpressionKind::Template(parts) => match parts.as_slice() {
            [TemplatePart::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn literals(expression: &Expression<'_>) -> Option<Vec<String>> {
    match &expression.kind {
        ExpressionKind::Array(elements) => {
            elements.iter().map(|element| literal(&element.value)).collect()
        }
        _ => None,
    }
}

/// A name made of the words of a question.
fn words(question: &str) -> Option<String> {
    const LONGEST: usize = 40;
    let words = question.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let mut name = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_");
    name.truncate(LONGEST);
    let name = name.trim_end_matches('_');
    (!name.is_empty()).then(|| name.to_owned())
}
