//! `metrics`: shows what tool listings cost clients, from the state.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
#[cfg(feature = "postgres")]
use crate::program::in_runtime;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
use toolwrit_core::audit::listing_costs::{AccountCosts, Total};
use toolwrit_state::{UnusableDatabase, listing_costs, reset_listing_costs};

pub(crate) const VERB: Verb = Verb { name: "metrics", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Delete the counts of all callers.
    #[arg(long)]
    reset: bool,
    /// Print JSON, in the format of `GET /tools/metrics`.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    state: StateFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("metrics"))
        .about("Show what tool listings cost clients, in tokens")
        .after_help(
            "Shows the counts of `GET /tools/metrics` for all callers. A running server saves them within \
             a second.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { reset, json, state } = Flags::from_arg_matches(matches)?;
    let costs = counted(program, &state, reset)?;
    if reset {
        output::print_message("The counts have been reset.");
        return Ok(());
    }
    let costs = costs.filter(|costs| !costs.totals.is_empty());
    let costs = costs.unwrap_or_else(AccountCosts::since_now);
    if json {
        return output::print_json(&costs.report());
    }
    if costs.totals.is_empty() {
        output::print_message("No listing has been counted.");
        return Ok(());
    }
    output::print(&format!("Since {:.0}:\n\n{}", costs.since, show(&costs)))
}

/// Reads the counts, or deletes them.
fn counted(
    program: &Program,
    state: &StateFlags,
    reset: bool,
) -> Result<Option<AccountCosts>, Exit> {
    #[cfg(feature = "postgres")]
    if let Some(settings) = state.database(program)? {
        let counted = in_runtime(1, async {
            Ok(if reset {
                toolwrit_postgres::reset_listing_costs(&settings).await.map(|()| None)
            } else {
                toolwrit_postgres::listing_costs(&settings).await.map(Some)
            })
        })?;
        return counted.map_err(|error| {
            Exit::Failed(format!("{}: {error}. {}", settings.address, error.fix()))
        });
    }
    let file: PathBuf =
        state.file(program).ok_or_else(|| Exit::configuration(UnusableDatabase::NoHome))?;
    let counted =
        if reset { reset_listing_costs(&file).map(|()| None) } else { listing_costs(&file) };
    counted.map_err(|error| Exit::Failed(format!("{}: {error}", file.display())))
}

fn show(costs: &AccountCosts) -> String {
    let (left, right) = (Align::Left, Align::Right);
    let columns = [
        ("principal", left),
        ("listings", right),
        ("baseline tokens", right),
        ("filtered tokens", right),
        ("reduction", right),
    ];
    let mut rows: Vec<Vec<String>> =
        costs.totals.iter().map(|(name, total)| row(name, *total)).collect();
    if rows.len() > 1 {
        rows.push(row("all", costs.total()));
    }
    table(&columns, &rows)
}

fn row(name: &str, total: Total) -> Vec<String> {
    let count = |tokens: Option<u64>| tokens.unwrap_or_default().to_string();
    let reduction = total.reduction_percent().map(|percent| format!("{percent}%"));
    let numbers = [total.requests.to_string(), count(total.full), count(total.sent)];
    [vec![name.to_owned()], numbers.to_vec(), vec![reduction.unwrap_or_default()]].concat()
}
