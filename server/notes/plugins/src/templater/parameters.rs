//! What a template asks its user for, found in its code.

use std::collections::HashMap;

use super::refused::refusal;
use super::script::{
    Argument, Body, Call, Expression, ExpressionKind, Function, Key, Member, Name, Pattern,
    Position, Program, Property, Statement, StatementKind, TemplatePart, Unary,
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
    calls: HashMap<Position, usize>,
    refused: Vec<(Position, String)>,
}

impl Parameters {
    pub(super) fn from_program(program: &Program<'_>) -> Self {
        let mut search = Search { found: Self::default(), conditional: 0 };
        search.search_statements(&program.statements);
        search.found
    }

    /// The parameters in the order of the template, each once.
    pub(super) fn list(&self) -> &[Parameter] {
        &self.list
    }

    /// The name of the parameter that a call asks for.
    pub(super) fn name_at(&self, call: Position) -> Option<&str> {
        Some(&self.list[*self.calls.get(&call)?].name)
    }

    /// The positions where the template uses what is refused, and the names.
    pub(super) fn refused_names(&self) -> &[(Position, String)] {
        &self.refused
    }

    fn add(&mut self, call: Position, mut parameter: Parameter, is_named: bool) {
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
    /// How many conditions, loops and functions contain the current position.
    conditional: usize,
}

impl Search {
    fn search_optional(&mut self, search: impl FnOnce(&mut Self)) {
        self.conditional += 1;
        search(self);
        self.conditional -= 1;
    }

    fn search_statements(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.search_statement(statement);
        }
    }

    fn search_statement(&mut self, statement: &Statement<'_>) {
        match &statement.kind {
            StatementKind::Text(_) | StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Output(value)
            | StatementKind::Expression(value)
            | StatementKind::Throw(value) => self.search_expression(value, None),
            StatementKind::Declare(declared) => {
                for declaration in declared {
                    if let Some(value) = &declaration.value {
                        self.search_expression(value, variable_name(&declaration.pattern));
                    }
                }
            }
            StatementKind::Function(_, function) => self.search_function(function),
            StatementKind::Block(statements) => self.search_statements(statements),
            StatementKind::If(condition, then, otherwise) => {
                self.search_expression(condition, None);
                self.search_optional(|search| {
                    search.search_statement(then);
                    if let Some(otherwise) = otherwise {
                        search.search_statement(otherwise);
                    }
                });
            }
            StatementKind::For { start, condition, step, body } => {
                if let Some(start) = start {
                    self.search_statement(start);
                }
                self.search_optional(|search| {
                    for part in [condition, step].into_iter().flatten() {
                        search.search_expression(part, None);
                    }
                    search.search_statement(body);
                });
            }
            StatementKind::ForEach { over, body, .. } => {
                self.search_expression(over, None);
                self.search_optional(|search| search.search_statement(body));
            }
            StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
                self.search_optional(|search| {
                    search.search_expression(condition, None);
                    search.search_statement(body);
                });
            }
            StatementKind::Switch(value, cases) => {
                self.search_expression(value, None);
                self.search_optional(|search| {
                    for (case, body) in cases {
                        if let Some(case) = case {
                            search.search_expression(case, None);
                        }
                        search.search_statements(body);
                    }
                });
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.search_expression(value, None);
                }
            }
            StatementKind::Try { body, catch, finally } => self.search_optional(|search| {
                search.search_statements(body);
                if let Some((_, catch)) = catch {
                    search.search_statements(catch);
                }
                search.search_statements(finally);
            }),
        }
    }

    /// `variable` is the variable that takes the value.
    fn search_expression(&mut self, expression: &Expression<'_>, variable: Option<&str>) {
        match &expression.kind {
            ExpressionKind::Null
            | ExpressionKind::Boolean(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Regex { .. } => {}
            ExpressionKind::Variable(name) => self.check_name(expression.position, name),
            ExpressionKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Value(value) = part {
                        self.search_expression(value, None);
                    }
                }
            }
            ExpressionKind::Array(elements) => self.search_arguments(elements),
            ExpressionKind::Object(properties) => {
                for property in properties {
                    match property {
                        Property::Pair(Key::Name(Name(name)), value) => {
                            self.search_expression(value, Some(name));
                        }
                        Property::Pair(Key::Computed(key), value) => {
                            self.search_expression(key, None);
                            self.search_expression(value, None);
                        }
                        Property::Spread(value) => self.search_expression(value, None),
                    }
                }
            }
            ExpressionKind::Function(function) => self.search_function(function),
            ExpressionKind::Member(member) => self.search_member(expression, member),
            ExpressionKind::Call(call) => self.search_call(expression.position, call, variable),
            ExpressionKind::Unary(Unary::Await, value) => self.search_expression(value, variable),
            ExpressionKind::Unary(_, value) => self.search_expression(value, None),
            ExpressionKind::Update { target, .. } => self.search_expression(target, None),
            ExpressionKind::Binary(_, left, right) => {
                self.search_expression(left, None);
                self.search_expression(right, None);
            }
            ExpressionKind::Logical(_, left, right) => {
                self.search_expression(left, variable);
                self.search_optional(|search| search.search_expression(right, None));
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.search_expression(condition, None);
                self.search_optional(|search| {
                    search.search_expression(then, variable);
                    search.search_expression(otherwise, variable);
                });
            }
            ExpressionKind::Assign(_, pattern, value) => {
                self.search_expression(value, self::variable_name(pattern));
            }
        }
    }

    fn search_arguments(&mut self, arguments: &[Argument<'_>]) {
        for argument in arguments {
            self.search_expression(&argument.value, None);
        }
    }

    fn search_function(&mut self, function: &Function<'_>) {
        self.search_optional(|search| match &function.body {
            Body::Value(value) => search.search_expression(value, None),
            Body::Statements(statements) => search.search_statements(statements),
        });
    }

    fn search_member(&mut self, expression: &Expression<'_>, member: &Member<'_>) {
        match to_dotted(expression) {
            Some(name) => self.check_name(expression.position, &name),
            None => self.search_expression(&member.object, None),
        }
        if let Key::Computed(key) = &member.key {
            self.search_expression(key, None);
        }
    }

    /// Notes a name that is refused, or that contains one at its start.
    fn check_name(&mut self, position: Position, name: &str) {
        let mut starts = name.match_indices('.').map(|(at, _)| &name[..at]).chain([name]);
        if let Some(refused) = starts.find(|start| refusal(start).is_some()) {
            self.found.refused.push((position, refused.to_owned()));
        }
    }

    fn search_call(&mut self, position: Position, call: &Call<'_>, variable: Option<&str>) {
        self.search_expression(&call.callee, None);
        self.search_arguments(&call.arguments);
        let Some(name) = to_dotted(&call.callee) else { return };
        let text =
            |at: usize| call.arguments.get(at).and_then(|argument| literal_text(&argument.value));
        let texts = || call.arguments.first().and_then(|argument| literal_texts(&argument.value));
        let required = self.conditional == 0;
        let named = |description: &str, fallback: &str| {
            let from_variable = variable.filter(|name| name.is_ascii()).map(str::to_owned);
            from_variable
                .or_else(|| name_from_words(description))
                .unwrap_or_else(|| fallback.to_owned())
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
        self.found.add(position, parameter, is_named);
    }
}

fn variable_name<'a>(pattern: &Pattern<'a>) -> Option<&'a str> {
    match pattern {
        Pattern::Name("tR") => None,
        Pattern::Name(name) => Some(name),
        _ => None,
    }
}

/// `a.b.c` as text.
fn to_dotted(expression: &Expression<'_>) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Variable(name) => Some((*name).to_owned()),
        ExpressionKind::Member(Member { object, key: Key::Name(Name(name)), .. }) => {
            Some(format!("{}.{name}", to_dotted(object)?))
        }
        _ => None,
    }
}

fn literal_text(expression: &Expression<'_>) -> Option<String> {
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

fn literal_texts(expression: &Expression<'_>) -> Option<Vec<String>> {
    match &expression.kind {
        ExpressionKind::Array(elements) => {
            elements.iter().map(|element| literal_text(&element.value)).collect()
        }
        _ => None,
    }
}

/// A name made of the words of a question.
fn name_from_words(question: &str) -> Option<String> {
    const LONGEST: usize = 40;
    let words =
        question.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_");
    name.truncate(LONGEST);
    let name = name.trim_end_matches('_');
    (!name.is_empty()).then(|| name.to_owned())
}
