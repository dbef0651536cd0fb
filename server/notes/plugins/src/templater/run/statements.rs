//! Runs statements.

use std::rc::Rc;

use super::value::Value;
use super::{Outcome, Place, Run};
use crate::templater::script::{
    Declaration, Expression, Fault, Keyword, Pattern, Program, Reason, Statement, StatementKind,
};

/// How a statement ended.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl<'p> Run<'p> {
    /// Runs the statements of the template itself.
    pub(super) fn top(&mut self, program: &'p Program<'p>) -> Outcome<()> {
        self.budget.bytes(Place(0), 64 * program.vars.len())?;
        self.hoist_vars(&program.vars);
        self.hoist(&program.statements)?;
        for statement in &program.statements {
            match self.statement(statement)? {
                Flow::Next => {}
                Flow::Break | Flow::Continue => {
                    return Self::failed(
                        statement.place,
                        "`break` or `continue` outside of a loop",
                    );
                }
                Flow::Return(_) => {
                    return Self::unsupported(statement.place, "`return` outside of a function");
                }
            }
        }
        Ok(())
    }

    pub(super) fn block(&mut self, statements: &'p [Statement<'p>]) -> Outcome<Flow> {
        let Some(first) = statements.first() else { return Ok(Flow::Next) };
        self.scoped(first.place, |run| run.statements(statements))
    }

    /// Runs statements in the current scope.
    pub(super) fn statements(&mut self, statements: &'p [Statement<'p>]) -> Outcome<Flow> {
        self.hoist(statements)?;
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// Declares the functions among the statements, which may be called before them.
    fn hoist(&mut self, statements: &'p [Statement<'p>]) -> Outcome<()> {
        for statement in statements {
            if let StatementKind::Function(name, function) = &statement.kind {
                let closure = self.function(statement.place, function)?;
                self.declare(statement.place, name, closure, Keyword::Let)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'p Statement<'p>) -> Outcome<Flow> {
        self.steps(statement.place, 1)?;
        self.nested(statement.place, |run| run.statement_kind(statement))
    }

    fn statement_kind(&mut self, statement: &'p Statement<'p>) -> Outcome<Flow> {
        let place = statement.place;
        match &statement.kind {
            StatementKind::Text(text) => {
                let text = self.environment.filled(text);
                self.print(place, &text)?;
            }
            StatementKind::Output(value) => {
                let value = self.value(value)?;
                let text = self.text_of(place, &value)?;
                self.print(place, &text)?;
            }
            StatementKind::Expression(value) => drop(self.value(value)?),
            StatementKind::Declare(declared) => self.declarations(declared)?,
            StatementKind::Function(..) => {}
            StatementKind::Block(statements) => return self.block(statements),
            StatementKind::If(condition, then, otherwise) => {
                return match (self.value(condition)?.is_truthy(), otherwise) {
                    (true, _) => self.statement(then),
                    (false, Some(otherwise)) => self.statement(otherwise),
                    (false, None) => Ok(Flow::Next),
                };
            }
            StatementKind::For { start, condition, step, body } => {
                return self.scoped(place, |run| {
                    run.for_loop(start.as_deref(), condition.as_ref(), step.as_ref(), body)
                });
            }
            StatementKind::ForEach { keyword, pattern, over, keys, body } => {
                return self.for_each((*keyword, pattern), over, *keys, body);
            }
            StatementKind::While(condition, body) => {
                while self.value(condition)?.is_truthy() {
                    match self.statement(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        returned @ Flow::Return(_) => return Ok(returned),
                    }
                }
            }
            StatementKind::DoWhile(body, condition) => loop {
                match self.statement(body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    returned @ Flow::Return(_) => return Ok(returned),
                }
                if !self.value(condition)?.is_truthy() {
                    break;
                }
            },
            StatementKind::Switch(value, cases) => return self.switch(place, value, cases),
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or(Value::Undefined)));
            }
            StatementKind::Throw(value) => {
                let value = self.value(value)?;
                let text = self.text_of(place, &value)?;
                return Self::failed(place, text.as_ref());
            }
            StatementKind::Try { body, catch, finally } => {
                let caught = catch.as_ref().map(|(pattern, body)| (pattern.as_ref(), &body[..]));
                return self.attempt(body, caught, finally);
            }
        }
        Ok(Flow::Next)
    }

    /// Adds text to the output.
    pub(super) fn print(&mut self, place: Place, text: &str) -> Outcome<()> {
        self.budget.bytes(place, text.len())?;
        self.output.push_str(text);
        Ok(())
    }

    fn declarations(&mut self, declared: &'p [Declaration<'p>]) -> Outcome<()> {
        for Declaration { pattern, value, keyword } in declared {
            let place = value.as_ref().map_or(Place(0), |value| value.place);
            let value = match value {
                Some(value) => self.value(value)?,
                // It is declared already, and may have a value.
                None if *keyword == Keyword::Var => continue,
                None => Value::Undefined,
            };
            self.bind(place, pattern, value, Some(*keyword))?;
        }
        Ok(())
    }

    fn for_loop(
        &mut self,
        start: Option<&'p Statement<'p>>,
        condition: Option<&'p Expression<'p>>,
        step: Option<&'p Expression<'p>>,
        body: &'p Statement<'p>,
    ) -> Outcome<Flow> {
        if let Some(start) = start {
            self.statement(start)?;
        }
        loop {
            if let Some(condition) = condition
                && !self.value(condition)?.is_truthy()
            {
                return Ok(Flow::Next);
            }
            match self.statement(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                returned @ Flow::Return(_) => return Ok(returned),
            }
            if let Some(step) = step {
                self.value(step)?;
            }
        }
    }

    fn for_each(
        &mut self,
        (keyword, pattern): (Keyword, &'p Pattern<'p>),
        over: &'p Expression<'p>,
        keys: bool,
        body: &'p Statement<'p>,
    ) -> Outcome<Flow> {
        let place = over.place;
        let list = self.value(over)?;
        let items = if keys { self.keys(place, &list)? } else { self.elements(place, &list)? };
        for item in items {
            let flow = self.scoped(place, |run| {
                run.bind(place, pattern, item, Some(keyword))?;
                run.statement(body)
            })?;
            match flow {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                returned @ Flow::Return(_) => return Ok(returned),
            }
        }
        Ok(Flow::Next)
    }

    fn switch(
        &mut self,
        place: Place,
        value: &'p Expression<'p>,
        cases: &'p [(Option<Expression<'p>>, Vec<Statement<'p>>)],
    ) -> Outcome<Flow> {
        let value = self.value(value)?;
        let mut chosen = None;
        for (at, (case, _)) in cases.iter().enumerate() {
            if let Some(case) = case
                && self.value(case)?.is(&value)
            {
                chosen = Some(at);
                break;
            }
        }
        let default = || cases.iter().position(|(case, _)| case.is_none());
        let Some(first) = chosen.or_else(default) else { return Ok(Flow::Next) };
        self.scoped(place, |run| {
            for (_, body) in &cases[first..] {
                match run.statements(body)? {
                    Flow::Next => {}
                    Flow::Break => return Ok(Flow::Next),
                    other => return Ok(other),
                }
            }
            Ok(Flow::Next)
        })
    }

    /// Runs `try`. Only failures of the code are caught: no limit and no refusal.
    fn attempt(
        &mut self,
        body: &'p [Statement<'p>],
        catch: Option<(Option<&'p Pattern<'p>>, &'p [Statement<'p>])>,
        finally: &'p [Statement<'p>],
    ) -> Outcome<Flow> {
        let tried = match (self.block(body), catch) {
            (Err(Fault { place, reason: Reason::Failed(message) }), Some((pattern, body))) => self
                .scoped(place, |run| {
                    if let Some(pattern) = pattern {
                        let message = run.string(place, &message)?;
                        let error = [(Rc::from("message"), message)].into_iter().collect();
                        let error = run.object(place, error)?;
                        run.bind(place, pattern, error, Some(Keyword::Let))?;
                    }
                    run.statements(body)
                }),
            (tried, _) => tried,
        };
        match (tried, self.block(finally)?) {
            (tried, Flow::Next) => tried,
            (_, left) => Ok(left),
        }
    }
}
