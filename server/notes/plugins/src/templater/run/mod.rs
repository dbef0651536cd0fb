//! Runs the code of a template, within limits of time, memory and depth.
//!
//! All values live as long as the run, and refer to each other by position, so that no structure of values can
//! overflow the stack when it is dropped.

mod arrays;
mod budget;
mod builtins;
mod calls;
mod convert;
mod expressions;
mod globals;
mod heap;
mod ids;
mod json;
mod moments;
mod regexes;
mod scopes;
mod statements;
mod strings;
mod tp;
mod value;

use super::script::{Fault, Position, Program, Reason};

use super::environment::Environment;
use super::parameters::Parameters;
use budget::Budget;
use heap::Heap;
use scopes::Scopes;

/// What code comes to: a value, or why it stops.
type Outcome<T> = Result<T, Fault>;

/// A running template. `'p` is the lifetime of its program.
struct Run<'p> {
    environment: &'p Environment<'p>,
    /// What the template asks for.
    parameters: &'p Parameters,
    budget: Budget,
    heap: Heap<'p>,
    scopes: Scopes<'p>,
    /// The text that the template has produced: `tR`.
    output: String,
    /// The state of `Math.random`.
    seed: u64,
    /// How many templates include this one.
    includes: usize,
}

/// Runs a template, and returns the text.
///
/// # Errors
/// Why the program stopped, and where.
pub(super) fn run_program(program: &Program<'_>, environment: &Environment<'_>) -> Outcome<String> {
    let parameters = Parameters::from_program(program);
    let mut run = Run::new(environment, &parameters);
    run.run_top_level(program)?;
    Ok(run.output)
}

impl<'p> Run<'p> {
    fn new(environment: &'p Environment<'p>, parameters: &'p Parameters) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "any seed will do"
        )]
        let seed = environment.now.milliseconds() as u64;
        Self {
            environment,
            parameters,
            budget: Budget::default(),
            heap: Heap::default(),
            scopes: Scopes::default(),
            output: String::new(),
            seed,
            includes: 0,
        }
    }

    /// A failure of the code at a position.
    fn failure<T>(position: Position, message: impl Into<String>) -> Outcome<T> {
        Err(Fault::new(position, Reason::Failed(message.into())))
    }

    /// A failure because something is not supported.
    fn unsupported_failure<T>(position: Position, what: impl Into<String>) -> Outcome<T> {
        Err(Fault::new(position, Reason::Unsupported(what.into().into())))
    }

    /// Takes so many steps.
    fn take_steps(&mut self, position: Position, count: usize) -> Outcome<()> {
        if self.budget.take_steps(position, count)? && self.environment.is_cancelled() {
            return Err(Fault::new(position, Reason::Cancelled));
        }
        Ok(())
    }

    /// Runs something nested.
    fn run_nested<T>(
        &mut self,
        position: Position,
        run: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        self.budget.enter(position)?;
        let done = run(self);
        self.budget.leave();
        done
    }
}
