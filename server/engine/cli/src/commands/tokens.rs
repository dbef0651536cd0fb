//! `tokens`: measures what each surface costs a client.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use crate::commands::check::budget_of;
use crate::exit::Exit;
use crate::flags::{PinFlags, PolicyFlags};
use crate::output;
use crate::output::table::{Align, table_without};
use crate::program::{Program, Verb};
use toolwrit_core::authority::Tables;
use toolwrit_core::caller::surface_kind::SurfaceKind;
use toolwrit_mcp::surface::Split;
use toolwrit_mcp::surface::{MeasuredSurface, PinnedCost, measure_all, measure_pins};

pub(crate) const VERB: Verb = Verb { name: "tokens", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    pins: PinFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("tokens"))
        .about("Measure what each surface costs a client")
        .after_help(
            "Counts the tokens (o200k) of what a client hands its model: the names, descriptions and input \
             schemas of the listed tools, as compact JSON. The column other has those of titles, annotations \
             and output schemas; saved is how much less a surface costs than flat. Without --focus, every focus mode \
             is measured. With --pin, a row has the cost of each pinned operation, and one of all of them: they are \
             added to every surface but flat.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { json, policy: flags, pins } = Flags::from_arg_matches(matches)?;
    let whole = program.whole_listed();
    let policy = flags.policy_of(&whole)?;
    let authority = whole.tables();
    let chosen = flags.names_focus().then(|| policy.focus());
    let costs: Vec<MeasuredSurface> = measure_all(&policy)
        .filter(|cost| chosen.is_none_or(|focus| cost.focus == focus))
        .collect();
    let pinned = measure_pins(&policy, pins.named(&whole)?);
    if json {
        let rows: Vec<Value> = costs.iter().map(|cost| row(authority, cost, &costs)).collect();
        let pins: Vec<Value> = pinned.iter().map(pin_row).collect();
        let mut measured = json!({ "role": policy.role(), "surfaces": rows });
        if !pins.is_empty() {
            measured["pins"] = pins.into();
        }
        return output::print_json(&measured);
    }
    let (left, right) = (Align::Left, Align::Right);
    let columns = [
        ("surface", left),
        ("split", left),
        ("focus", left),
        ("tools", right),
        ("bytes", right),
        ("tokens", right),
        ("other", right),
        ("budget", right),
        ("saved", right),
    ];
    let rows: Vec<Vec<String>> = costs
        .iter()
        .map(|cost| {
            vec![
                cost.kind.as_str().to_owned(),
                cost.split.map_or("-", Split::as_str).to_owned(),
                cost.focus.clone(),
                cost.tools.to_string(),
                cost.bytes.to_string(),
                cost.tokens.to_string(),
                cost.other_tokens.to_string(),
                budget_of(authority, cost).map_or("-".to_owned(), |budget| budget.to_string()),
                match cost.kind {
                    SurfaceKind::Flat => "-".to_owned(),
                    _ => format!("{:.1} %", reduction(cost, &costs)),
                },
            ]
        })
        .chain(pinned.iter().map(|cost| {
            let what = cost.tool.as_deref().unwrap_or("all pins");
            let dash = || "-".to_owned();
            let (tools, bytes) = (cost.tools.to_string(), cost.bytes.to_string());
            let focus = policy.focus().to_owned();
            let tokens = cost.tokens.to_string();
            vec![what.to_owned(), dash(), focus, tools, bytes, tokens, dash(), dash(), dash()]
        }))
        .collect();
    output::print(&table_without(&columns, &rows, &["bytes", "other"]))
}

fn pin_row(cost: &PinnedCost) -> Value {
    json!({ "tool": cost.tool, "tools": cost.tools, "bytes": cost.bytes, "tokens": cost.tokens })
}

fn row(authority: &Tables, cost: &MeasuredSurface, all: &[MeasuredSurface]) -> Value {
    let mut row = json!({
        "surface": cost.kind.as_str(),
        "split": cost.split_name(),
        "focus": cost.focus,
        "tools": cost.tools,
        "bytes": cost.bytes,
        "tokens": cost.tokens,
        "other_tokens": cost.other_tokens,
        "reduction_percent": (reduction(cost, all) * 10.0).round() / 10.0,
    });
    if let Some(budget) = budget_of(authority, cost) {
        row["budget"] = budget.into();
    }
    row
}

/// The percentage of tokens that a surface saves, compared with flat under the same focus mode.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^53")]
fn reduction(cost: &MeasuredSurface, all: &[MeasuredSurface]) -> f64 {
    let flat =
        all.iter().find(|other| other.kind == SurfaceKind::Flat && other.focus == cost.focus);
    let flat = flat.map_or(1, |flat| flat.tokens.max(1)) as f64;
    100.0 * (1.0 - cost.tokens as f64 / flat)
}
