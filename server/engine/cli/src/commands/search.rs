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
use toolwrit_retrieval::{Evidence, Parts, ToolHit};

pub(crate) const VERB: Verb = Verb { name: "search", command, run };

/// Weak matches that are shown if none is strong.
const WEAK_SHOWN: usize = 3;

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
    /// Show all weak matches, too: operations that may fit, as their summary says. Without it, three are shown if no match
    /// is strong.
    #[arg(long)]
    weak: bool,
    /// Show what ranks each match (exact words, similar words, overall meaning, typical requests), and what judges whether
    /// it is meant (words covered, likeness, contradiction of the verb, object, and their weighted sum).
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
    let (reason, withheld, note) = (found.reason(), found.withheld, found.not_offered);
    let most_weak = match reason {
        _ if weak => usize::MAX,
        None => 0,
        Some(_) => WEAK_SHOWN,
    };
    let (mut found, mut left_out): (Vec<Match<'_>>, Vec<Match<'_>>) =
        found.found.into_iter().partition(Match::is_strong);
    found.extend(left_out.drain(..most_weak.min(left_out.len())));
    found.truncate(limit);
    if json {
        let rows: Vec<Value> = found.iter().map(|found| row(found, explain)).collect();
        let mut answer = json!({ "operations": rows });
        if let Some(reason) = reason {
            answer["reason"] = reason.into();
        }
        if let Some(note) = note {
            answer["note"] = note.into();
        }
        if let (Some(withheld), Value::Object(answer)) = (&withheld, &mut answer) {
            withheld.add_to(answer);
        }
        if found.is_empty() {
            answer["categories"] = endpoint.overview().into();
        }
        return output::print_json(&answer);
    }
    show(&endpoint, &found, explain)?;
    if let Some(note) = note {
        output::print_message(note);
    }
    if let Some(withheld) = &withheld {
        output::print_message(&format!("Withheld ({}):", withheld.because));
        for line in withheld.operations.iter().chain(&withheld.remedy) {
            output::print_message(line);
        }
    }
    match left_out.len() {
        0 => {}
        1 => output::print_message("1 weak match is left out; --weak shows it."),
        n => output::print_message(&format!("{n} weak matches are left out; --weak shows them.")),
    }
    Ok(())
}

/// Prints the matches, or else the categories on standard error, because standard output is for matches.
fn show(endpoint: &Endpoint, found: &[Match<'_>], explain: bool) -> Result<(), Exit> {
    if !found.is_empty() {
        return output::print(&if explain { explained(found) } else { listed(found) });
    }
    output::print_message(listing::NOTHING);
    endpoint.overview().iter().for_each(|category| output::print_message(category));
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
    if let Some(hit) = found.hit.filter(|_| explain) {
        row["parts"] = terms(&rank_terms(&hit));
        row["judgement"] = terms(&judgement_terms(&hit));
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
    let numbers = RANK.iter().chain(&JUDGEMENT).map(|name| (*name, Align::Right));
    let columns = [("operation", Align::Left), ("relevance", Align::Left)];
    let columns: Vec<_> = columns.into_iter().chain(numbers).collect();
    let cells = |found: &Match<'_>| {
        let terms = found.hit.map_or_else(
            // An operation that was found by its name has no score.
            || vec!["-".to_owned(); RANK.len() + JUDGEMENT.len()],
            |hit| {
                let terms = rank_terms(&hit).into_iter().chain(judgement_terms(&hit));
                terms.map(|(_, value)| format!("{value:.2}")).collect()
            },
        );
        let match_cells = [found.operation.id.as_str(), found.relevance()].map(str::to_owned);
        [match_cells.to_vec(), terms].concat()
    };
    table(&columns, &found.iter().map(cells).collect::<Vec<_>>())
}

/// The terms of the rank, and those of the judgement.
const RANK: [&str; 4] = ["lexical", "soft", "dense", "ask"];
const JUDGEMENT: [&str; 5] = ["coverage", "likeness", "contradiction", "object", "sum"];

type Term = (&'static str, f32);

fn rank_terms(hit: &ToolHit) -> Vec<Term> {
    let Parts { lexical, soft, dense, ask } = hit.parts;
    RANK.into_iter().zip([lexical, soft, dense, ask]).collect()
}

fn judgement_terms(hit: &ToolHit) -> Vec<Term> {
    let Evidence { coverage, likeness, contradiction, object, .. } = hit.evidence;
    let terms = [coverage, likeness, contradiction, object, hit.evidence.sum()];
    JUDGEMENT.into_iter().zip(terms).collect()
}

/// The terms by name, rounded to two digits.
fn terms(terms: &[Term]) -> Value {
    let rounded = |value: f32| (f64::from(value) * 100.0).round() / 100.0;
    let entry = |(name, value): &Term| ((*name).to_owned(), Value::from(rounded(*value)));
    Value::Object(terms.iter().map(entry).collect())
}
