//! `search`: finds operations by description, as `search_tools` does.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::output::render;
use crate::output::table::{Align, table};
use crate::program::{Program, Verb};
use toolwrit_mcp::endpoint::{Endpoint, Match, SearchQuery};
use toolwrit_retrieval::Parts;

pub(crate) const VERB: Verb = Verb { name: "search", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// What to do, in words; quotes are not needed. `effect:read`, `tag:NAME` and `category:NAME` filter
    /// the results. Without a query, the categories are listed.
    query: Vec<String>,
    /// Search only the operations of this category.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Show at most this many operations.
    #[arg(long, value_name = "N", default_value = "8")]
    limit: usize,
    /// Show weak matches, too: operations that are similar to the query, but probably not meant.
    #[arg(long)]
    weak: bool,
    /// Show the parts of each score: exact words, similar words, overall meaning, typical requests.
    #[arg(long)]
    explain: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(program: &Program) -> Command {
    listing::with_options(program, Flags::augment_args(Command::new("search")))
        .about("Find operations by what they do")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { query, category, limit, weak, explain, json, policy } =
        Flags::from_arg_matches(matches)?;
    let endpoint = listing::endpoint(program, matches, &policy.policy(program)?)?;
    let query = query.join(" ");
    if query.trim().is_empty() && category.is_none() {
        return overview(&endpoint, json);
    }
    let wanted = SearchQuery { query: Some(&query), category: category.as_deref() };
    let found = endpoint.find(wanted).map_err(|fault| render::failure(fault, json))?;
    let reason = found.reason();
    let (found, left_out): (Vec<Match<'_>>, Vec<Match<'_>>) =
        found.matches.into_iter().partition(|found| weak || found.is_strong());
    let found: Vec<Match<'_>> = found.into_iter().take(limit).collect();
    if json {
        let rows: Vec<Value> = found.iter().map(|found| row(found, explain)).collect();
        let mut answer = json!({ "operations": rows });
        if let Some(reason) = reason {
            answer["reason"] = reason.into();
        }
        if found.is_empty() {
            answer["categories"] = endpoint.overview().into();
        }
        return output::print_json(&answer);
    }
    if found.is_empty() {
        // Print on standard error, because standard output is for matches.
        output::print_message(listing::NOTHING);
        endpoint.overview().iter().for_each(|category| output::print_message(category));
    } else {
        output::print(&if explain { explained(&found) } else { listed(&found) })?;
    }
    match left_out.len() {
        0 => {}
        1 => output::print_message("1 weak match is left out; --weak shows it."),
        n => output::print_message(&format!("{n} weak matches are left out; --weak shows them.")),
    }
    Ok(())
}

/// Prints a line for each category.
fn overview(endpoint: &Endpoint, json: bool) -> Result<(), Exit> {
    let categories = endpoint.overview();
    if json {
        return output::print_json(&json!({ "categories": categories }));
    }
    output::print(&categories.join("\n"))
}

fn row(found: &Match<'_>, explain: bool) -> Value {
    let mut row = listing::row(found.operation);
    row["relevance"] = found.relevance().into();
    if let Some(parts) = found.parts.filter(|_| explain) {
        let parts = parts_by_name(parts).map(|(name, value)| (name.to_owned(), value.into()));
        row["parts"] = Value::Object(parts.into_iter().collect());
    }
    row
}

fn listed(found: &[Match<'_>]) -> String {
    let columns = ["operation", "effect", "relevance", "summary"].map(|name| (name, Align::Left));
    let cells = |found: &Match<'_>| {
        let operation = found.operation;
        let effect = operation.effect.as_str();
        [operation.id.as_str(), effect, found.relevance(), &operation.summary]
            .map(str::to_owned)
            .to_vec()
    };
    listing::operations_table(&columns, &found.iter().map(cells).collect::<Vec<_>>())
}

fn explained(found: &[Match<'_>]) -> String {
    let columns = [
        ("operation", Align::Left),
        ("relevance", Align::Left),
        ("lexical", Align::Right),
        ("soft", Align::Right),
        ("dense", Align::Right),
        ("ask", Align::Right),
    ];
    let cells = |found: &Match<'_>| {
        let match_cells = [found.operation.id.as_str(), found.relevance()].map(str::to_owned);
        let parts = found.parts.map_or_else(
            // An operation that was found by its name has no score.
            || vec!["-".to_owned(); 4],
            |parts| parts_by_name(parts).map(|(_, value)| format!("{value:.2}")).to_vec(),
        );
        [match_cells.to_vec(), parts].concat()
    };
    table(&columns, &found.iter().map(cells).collect::<Vec<_>>())
}

/// The parts by name, rounded to two digits.
fn parts_by_name(parts: Parts) -> [(&'static str, f64); 4] {
    let Parts { lexical, soft, dense, ask } = parts;
    [("lexical", lexical), ("soft", soft), ("dense", dense), ("ask", ask)]
        .map(|(name, value)| (name, (f64::from(value) * 100.0).round() / 100.0))
}
