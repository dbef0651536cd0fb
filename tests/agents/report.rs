//! What agents have done, as Markdown.

use std::fmt::{self, Write as _};

use super::caller::{Cost, tokens_of_list};
use super::tasks::{Task, World, tasks};
use super::worlds::{Served, Surface};

/// An agent, which returns what it says in the end.
pub(crate) type Agent<'a> = &'a dyn Fn(&Task, Surface, &mut Served) -> (String, Cost);

/// What became of a task.
pub(crate) struct Did {
    pub(crate) ask: String,
    pub(crate) surface: Surface,
    pub(crate) is_done: bool,
    pub(crate) cost: Cost,
}

/// What became of all tasks on the surfaces.
pub(crate) struct Report {
    pub(crate) did: Vec<Did>,
    /// The tokens of the three lists of each surface.
    pub(crate) lists: Vec<(Surface, usize)>,
}

impl Report {
    /// Does all tasks on these surfaces. A task begins with the state in which the one before has left its world, and in a
    /// conversation of its own.
    pub(crate) fn of(surfaces: &[Surface], agent: Agent<'_>) -> Self {
        let mut report = Self { did: Vec::new(), lists: Vec::new() };
        for surface in surfaces.iter().copied() {
            let mut listed = 0;
            for world in [World::Vault, World::Site, World::Gateway] {
                let mut served = Served::start(world, surface);
                listed += tokens_of_list(&served.tools);
                for task in tasks().into_iter().filter(|task| task.world == world) {
                    let (said, cost) = agent(&task, surface, &mut served);
                    let is_done = served.is_done(&task.done, &said);
                    report.did.push(Did { ask: task.ask, surface, is_done, cost });
                }
            }
            report.lists.push((surface, listed));
        }
        report
    }

    /// How many tasks are done on a surface.
    pub(crate) fn done(&self, surface: Surface) -> usize {
        self.on(surface).filter(|did| did.is_done).count()
    }

    fn on(&self, surface: Surface) -> impl Iterator<Item = &Did> {
        self.did.iter().filter(move |did| did.surface == surface)
    }

    /// A row for each task: whether it is done on each surface, and in how many calls.
    pub(crate) fn tasks(&self) -> String {
        let names = self.lists.iter().map(|(surface, _)| format!(" {} |", surface.name()));
        let mut out = format!("| task |{}\n", names.collect::<String>());
        out.push_str(&"|---".repeat(self.lists.len() + 1));
        out.push_str("|\n");
        let first = self.lists.first().map(|(surface, _)| *surface);
        for ask in first.into_iter().flat_map(|first| self.on(first)).map(|did| &did.ask) {
            let cells = self.did.iter().filter(|did| did.ask == *ask).map(|did| {
                let word = if did.is_done { "done" } else { "**not done**" };
                let errors = match did.cost.errors {
                    0 => String::new(),
                    errors => format!(", {errors} with an error"),
                };
                let calls = did.cost.calls;
                format!(" {word}, {calls} call{}{errors} |", if calls == 1 { "" } else { "s" })
            });
            let cells: String = cells.collect();
            writeln!(out, "| {ask} |{cells}").unwrap();
        }
        out
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| surface | done | calls | repairs | tokens of the lists | tokens of the tasks |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|---:|")?;
        for (surface, listed) in &self.lists {
            let sum = |part: fn(&Cost) -> usize| {
                self.on(*surface).map(|did| part(&did.cost)).sum::<usize>()
            };
            let repairs: usize =
                self.on(*surface).filter(|did| did.is_done).map(|did| did.cost.errors).sum();
            writeln!(
                f,
                "| {} | {} of {} | {} | {repairs} | {listed} | {} |",
                surface.name(),
                self.done(*surface),
                self.on(*surface).count(),
                sum(|cost| cost.calls),
                sum(|cost| cost.tokens),
            )?;
        }
        Ok(())
    }
}
