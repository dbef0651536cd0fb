//! The results as Markdown.

use std::fmt;

use crate::losses::Losses;
use crate::tasks::Spent;

/// All measurements.
pub(crate) struct Report {
    pub(crate) listings: [Listing; 3],
    pub(crate) tasks: Vec<Spent>,
    /// Tasks whose tools are not in the list.
    pub(crate) left_out: usize,
    pub(crate) losses: Losses,
}

/// The tokens of a list of tools.
pub(crate) struct Listing {
    pub(crate) name: &'static str,
    pub(crate) tools: usize,
    pub(crate) tokens: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.listings(f)?;
        if self.tasks.is_empty() {
            writeln!(f, "\nThe list has none of the tools of the tasks.")?;
        } else {
            self.tasks(f)?;
            self.break_even(f)?;
        }
        write!(f, "\nThe manifest does not say, or says differently:\n\n{}", self.losses)
    }
}

impl Report {
    fn listings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| `tools/list` | tools | tokens |\n|---|---:|---:|")?;
        for Listing { name, tools, tokens } in &self.listings {
            writeln!(f, "| {name} | {tools} | {tokens} |")?;
        }
        Ok(())
    }

    fn tasks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n| search | tool | found | search | describe | call | in all | flat call |")?;
        writeln!(f, "|---|---|---:|---:|---:|---:|---:|---:|")?;
        for spent in &self.tasks {
            let found = spent.rank.map_or_else(|| "–".to_owned(), |rank| format!("{rank}."));
            let Spent { task, search, describe, call, flat, .. } = spent;
            let describe = if *describe == 0 { "–".to_owned() } else { describe.to_string() };
            writeln!(
                f,
                "| {} | `{}` | {found} | {search} | {describe} | {call} | {} | {flat} |",
                task.query,
                task.tool,
                spent.meta()
            )?;
        }
        self.sum(f)?;
        if self.left_out > 0 {
            writeln!(f, "\n{} tasks are left out: the list lacks their tools.", self.left_out)?;
        }
        writeln!(f, "\nDescribed, because of what a signature leaves open:\n")?;
        for Spent { task, .. } in &self.tasks {
            if let Some(why) = &task.describe {
                writeln!(f, "- `{}`: {why}", task.tool)?;
            }
        }
        Ok(())
    }

    fn sum(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |of: fn(&Spent) -> usize| self.tasks.iter().map(of).sum::<usize>();
        let first = self.tasks.iter().filter(|spent| spent.rank == Some(1)).count();
        let found = self.tasks.iter().filter(|spent| spent.rank.is_some()).count();
        writeln!(
            f,
            "| all {} | | {first} first, {found} in five | {} | {} | {} | {} | {} |",
            self.tasks.len(),
            sum(|spent| spent.search),
            sum(|spent| spent.describe),
            sum(|spent| spent.call),
            sum(Spent::meta),
            sum(|spent| spent.flat)
        )
    }

    /// The number of tasks in one conversation from which on the meta surface takes more tokens than a flat
    /// list. The list is counted once.
    fn break_even(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [given, flat, meta] = &self.listings;
        let spent: usize = self.tasks.iter().map(Spent::meta).sum();
        let spent_flat: usize = self.tasks.iter().map(|spent| spent.flat).sum();
        writeln!(f, "\n| | list | tasks | in all |\n|---|---:|---:|---:|")?;
        for (listing, tasks) in [(given, spent_flat), (flat, spent_flat), (meta, spent)] {
            let Listing { name, tokens, .. } = listing;
            writeln!(f, "| {name} | {tokens} | {tasks} | {} |", tokens + tasks)?;
        }
        let more = spent.saturating_sub(spent_flat);
        writeln!(f)?;
        for listing in [flat, given] {
            let saved = listing.tokens.saturating_sub(meta.tokens);
            // The largest n with n * more / tasks <= saved.
            let Some(last) = (saved * self.tasks.len()).checked_div(more) else { continue };
            writeln!(
                f,
                "- Beside \"{}\", meta saves {saved} tokens of the list and takes {} more a task: \
                 it takes more in all from the task number {} of a conversation on.",
                listing.name,
                more / self.tasks.len(),
                last + 1
            )?;
        }
        Ok(())
    }
}
