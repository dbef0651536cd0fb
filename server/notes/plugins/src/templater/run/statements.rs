//! Runs statements.

use std::rc::Rc;

use super::value::Value;
use super::{Outcome, Position, Run};
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
    pub(super) fn run_top_level(&mut self, program: &'p Program<'p>) -> Outcome<()> {
        self.budget.take_bytes(Position(0), 64 * program.vars.len())?;
        self.hoist_vars(&program.vars);
        self.hoist(&program.statements)?;
        for statement in &program.statements {
            match self.run_statement(statement)? {
                Flow::Next => {}
                Flow::Break | Flow::Continue => {
                    return Self::failure(
                        statement.position,
                        "`break` or `continue` outside of a loop",
                    );
                }
                Flow::Return(_) => {
                    return Self::unsupported_failure(
                        statement.position,
                        "`return` outside of a function",
                    );
                }
            }
        }
        Ok(())
    }

    pub(super) fn run_block(&mut self, statements: &'p [Statement<'p>]) -> Outcome<Flow> {
        let Some(first) = statements.first() else { return Ok(Flow::Next) };
        self.run_scoped(first.position, |run| run.run_statements(statements))
    }

    /// Runs statements in the current scope.
    pub(super) fn run_statements(&mut self, statements: &'p [Statement<'p>]) -> Outcome<Flow> {
        self.hoist(statements)?;
        for statement in statements {
            match self.run_statement(statement)? {
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
                let closure = self.function(statement.position, function)?;
                self.declare(statement.position, name, closure, Keyword::Let)?;
            }
        }
        Ok(())
    }

    fn run_statement(&mut self, statement: &'p Statement<'p>) -> Outcome<Flow> {
        self.take_steps(statement.position, 1)?;
        self.run_nested(statement.position, |run| run.run_statement_kind(statement))
    }

    fn run_statement_kind(&mut self, statement: &'p Statement<'p>) -> Outcome<Flow> {
        let position = statement.position;
        match &statement.kind {
            StatementKind::Text(text) => {
                let text = self.environment.fill_placeholders(text);
                self.print(position, &text)?;
            }
            StatementKind::Output(value) => {
                let value = self.evaluate(value)?;
                let text = self.convert_to_text(position, &value)?;
                self.print(position, &text)?;
            }
            StatementKind::Expression(value) => drop(self.evaluate(value)?),
            StatementKind::Declare(declared) => self.run_declarations(declared)?,
            StatementKind::Function(..) => {}
            StatementKind::Block(statements) => return self.run_block(statements),
            StatementKind::If(condition, then, otherwise) => {
                return match (self.evaluate(condition)?.is_truthy(), otherwise) {
                    (true, _) => self.run_statement(then),
                    (false, Some(otherwise)) => self.run_statement(otherwise),
                    (false, None) => Ok(Flow::Next),
                };
            }
            StatementKind::For { start, condition, step, body } => {
                return self.run_scoped(position, |run| {
                    run.run_for(start.as_deref(), condition.as_ref(), step.as_ref(), body)
                });
            }
            StatementKind::ForEach { keyword, pattern, over, keys, body } => {
                return self.run_for_each((*keyword, pattern), over, *keys, body);
            }
            StatementKind::While(condition, body) => {
                while self.evaluate(condition)?.is_truthy() {
                    match self.run_statement(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        returned @ Flow::Return(_) => return Ok(returned),
                    }
                }
            }
            StatementKind::DoWhile(body, condition) => loop {
                match self.run_statement(body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    returned @ Flow::Return(_) => return Ok(returned),
                }
                if !self.evaluate(condition)?.is_truthy() {
                    break;
                }
            },
            StatementKind::Switch(value, cases) => return self.run_switch(position, value, cases),
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or(Value::Undefined)));
            }
            StatementKind::Throw(value) => {
                let value = self.evaluate(value)?;
                let text = self.convert_to_text(position, &value)?;
                return Self::failure(position, text.as_ref());
            }
            StatementKind::Try { body, catch, finally } => {
                let caught = catch.as_ref().map(|(pattern, body)| (pattern.as_ref(), &body[..]));
                return self.run_try(body, caught, finally);
            }
        }
        Ok(Flow::Next)
    }

    /// Adds text to the output.
    pub(super) fn print(&mut self, position: Position, text: &str) -> Outcome<()> {
        self.budget.take_bytes(position, text.len())?;
        self.output.push_str(text);
        Ok(())
    }

    fn run_declarations(&mut self, declared: &'p [Declaration<'p>]) -> Outcome<()> {
        for Declaration { pattern, value, keyword } in declared {
            let position = value.as_ref().map_or(Position(0), |value| value.position);
            let value = match value {
                Some(value) => self.evaluate(value)?,
                // It is declared already, and may have a value.
                None if *keyword == Keyword::Var => continue,
                None => Value::Undefined,
            };
            self.bind(position, pattern, value, Some(*keyword))?;
        }
        Ok(())
    }

    fn run_for(
        &mut self,
        start: Option<&'p Statement<'p>>,
        condition: Option<&'p Expression<'p>>,
        step: Option<&'p Expression<'p>>,
        body: &'p Statement<'p>,
    ) -> Outcome<Flow> {
        if let Some(start) = start {
            self.run_statement(start)?;
        }
        loop {
            if let Some(condition) = condition
                && !self.evaluate(condition)?.is_truthy()
            {
                return Ok(Flow::Next);
            }
            match self.run_statement(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                returned @ Flow::Return(_) => return Ok(returned),
            }
            if let Some(step) = step {
                self.evaluate(step)?;
            }
        }
    }

    fn run_for_each(
        &mut self,
        (keyword, pattern): (Keyword, &'p Pattern<'p>),
        over: &'p Expression<'p>,
        keys: bool,
        body: &'p Statement<'p>,
    ) -> Outcome<Flow> {
        let position = over.position;
        let list = self.evaluate(over)?;
        let items =
            if keys { self.keys(position, &list)? } else { self.elements(position, &list)? };
        for item in items {
            let flow = self.run_scoped(position, |run| {
                run.bind(position, pattern, item, Some(keyword))?;
                run.run_statement(body)
            })?;
            match flow {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                returned @ Flow::Return(_) => return Ok(returned),
            }
        }
        Ok(Flow::Next)
    }

    fn run_switch(
        &mut self,
        position: Position,
        value: &'p Expression<'p>,
        cases: &'p [(Option<Expression<'p>>, Vec<Statement<'p>>)],
    ) -> Outcome<Flow> {
        let value = self.evaluate(value)?;
        let mut chosen = None;
        for (at, (case, _)) in cases.iter().enumerate() {
            if let Some(case) = case
                && self.evaluate(case)?.is(&value)
            {
                chosen = Some(at);
                break;
            }
        }
        let default = || cases.iter().position(|(case, _)| case.is_none());
        let Some(first) = chosen.or_else(default) else { return Ok(Flow::Next) };
        self.run_scoped(position, |run| {
            for (_, body) in &cases[first..] {
                match run.run_statements(body)? {
                    Flow::Next => {}
                    Flow::Break => return Ok(Flow::Next),
                    other => return Ok(other),
                }
            }
            Ok(Flow::Next)
        })
    }

    /// Runs `try`. Only failures of the code are caught: no limit and no refusal.
    fn run_try(
        &mut self,
        body: &'p [Statement<'p>],
        catch: Option<(Option<&'p Pattern<'p>>, &'p [Statement<'p>])>,
        finally: &'p [Statement<'p>],
    ) -> Outcome<Flow> {
        let tried = match (self.run_block(body), catch) {
            (Err(Fault { position, reason: Reason::Failed(message) }), Some((pattern, body))) => {
                self.run_scoped(position, |run| {
                    if let Some(pattern) = pattern {
                        let message = run.string(position, &message)?;
                        let error = [(Rc::from("message"), message)].into_iter().collect();
                        let error = run.object(position, error)?;
                        run.bind(position, pattern, error, Some(Keyword::Let))?;
                    }
                    run.run_statements(body)
                })
            }
            (tried, _) => tried,
        };
        match (tried, self.run_block(finally)?) {
            (tried, Flow::Next) => tried,
            (_, left) => Ok(left),
        }
    }
}
