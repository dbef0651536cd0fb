//! `audit`: lists recorded calls from the state.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil::Date};

use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, fits, table, table_without};
#[cfg(feature = "postgres")]
use crate::program::in_runtime;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::authority::Tables;
use toolwrit_core::fault::Code;
use toolwrit_state::{Database, UnusableDatabase, select};

pub(crate) const VERB: Verb = Verb { name: "audit", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Show at most this many calls, the newest.
    #[arg(long, value_name = "N", default_value = "50")]
    limit: u32,
    /// Show only calls not older than this: `30m`, `2h`, `7d`, a date or an instant, in UTC.
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Timestamp>,
    /// Show only calls of this operation: its id, another name of it, or what the column OPERATION shows.
    #[arg(long, value_name = "OP")]
    operation: Option<String>,
    /// Show only calls of this account.
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Show only calls with this outcome: `ok`, or a code such as `NOT_FOUND`.
    #[arg(long, value_name = "CODE")]
    outcome: Option<String>,
    /// Show only calls of the conversation or the blocks in this note.
    #[cfg(feature = "chat")]
    #[arg(long, value_name = "NOTE")]
    note: Option<String>,
    /// Print JSON, one line for each call.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    state: StateFlags,
}

fn command(program: &Program) -> Command {
    let authority = program.tables();
    Flags::augment_args(Command::new("audit"))
        .about("Show recorded calls")
        .mut_arg("outcome", |arg| arg.value_parser(move |text: &str| outcome(authority, text)))
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    // Accept unknown names, too: calls of operations that were removed may still be recorded.
    let id = |name: String| {
        let found = program.tables().lookup(&name).map(|found| usize::from(found.operation));
        found.map_or(name, |index| program.tables().operations[index].id.clone())
    };
    let filter = AuditFilter {
        limit: flags.limit,
        since: flags.since,
        operation: flags.operation.map(id),
        principal: flags.principal,
        outcome: flags.outcome,
        only_calls: false,
        #[cfg(feature = "chat")]
        client: flags.note.map(|note| client(&note)),
        #[cfg(not(feature = "chat"))]
        client: None,
    };
    let rows = recorded(program, &flags.state, &filter)?;
    if flags.json {
        return rows.iter().try_for_each(output::print_json);
    }
    if rows.is_empty() {
        output::print_message("No recorded call matches.");
        return Ok(());
    }
    let instance = program.tables().categories.iter().find_map(|one| one.instance.as_deref());
    output::print(&show(&rows, instance.unwrap_or("instance")))
}

/// Reads the recorded calls.
fn recorded(
    program: &Program,
    state: &StateFlags,
    filter: &AuditFilter,
) -> Result<Vec<AuditRow>, Exit> {
    #[cfg(feature = "postgres")]
    if let Some(settings) = state.database(program)? {
        let read = in_runtime(1, async { Ok(toolwrit_postgres::calls(&settings, filter).await) })?;
        return read.map_err(|error| {
            Exit::Failed(format!("{}: {error}. {}", settings.address, error.fix()))
        });
    }
    let file = state.file(program).ok_or_else(|| Exit::configuration(UnusableDatabase::NoHome))?;
    let rows = Database::open_read_only(&file).and_then(|database| {
        database.map_or_else(|| Ok(Vec::new()), |database| select(&database, filter))
    });
    rows.map_err(|error| Exit::Failed(format!("{}: {error}", file.display())))
}

/// The name under which the calls of a note are recorded.
#[cfg(feature = "chat")]
fn client(note: &str) -> String {
    let stem = note.strip_suffix(".md").unwrap_or(note);
    toolwrit_chat::converse::Operations::client(&format!("{stem}.md"))
}

/// The columns that are left out where the table would not fit.
const EXPENDABLE: [&str; 5] = ["in", "out", "client", "surface", "replica"];

/// A table of calls. `instance` is the word for what a call is about, such as `vault`; its column is there if the calls differ in it.
/// Where it would not fit, instants have no fractions, and some columns are left out.
fn show(rows: &[AuditRow], instance: &'static str) -> String {
    let columns = [
        ("time", Align::Left),
        ("principal", Align::Left),
        ("client", Align::Left),
        ("surface", Align::Left),
        (instance, Align::Left),
        ("replica", Align::Left),
        ("operation", Align::Left),
        ("outcome", Align::Left),
        ("ms", Align::Right),
        ("in", Align::Right),
        ("out", Align::Right),
    ];
    let has_one = rows.iter().all(|row| row.instance == rows[0].instance);
    let has_replicas = rows.iter().any(|row| row.replica.is_some());
    let is_shown =
        |column: &str| (column != instance || !has_one) && (column != "replica" || has_replicas);
    let cells = |row: &AuditRow, time: String| {
        let cells = [
            time,
            row.principal.clone(),
            row.client.clone().unwrap_or_default(),
            row.surface.clone(),
            row.instance.clone().unwrap_or_default(),
            row.replica.clone().unwrap_or_default(),
            row.operation.clone().unwrap_or_else(|| row.name.clone()),
            row.outcome.clone(),
            format!("{}.{}", row.micros / 1000, row.micros % 1000 / 100),
            row.bytes_in.to_string(),
            row.bytes_out.to_string(),
        ];
        let cells = columns.iter().zip(cells).filter(|((name, _), _)| is_shown(name));
        cells.map(|(_, cell)| cell).collect::<Vec<String>>()
    };
    let whole: Vec<_> = rows.iter().map(|row| cells(row, row.time.clone())).collect();
    let short: Vec<_> = rows.iter().map(|row| cells(row, short(&row.time))).collect();
    let columns: Vec<_> = columns.into_iter().filter(|(name, _)| is_shown(name)).collect();
    if fits(&columns, &whole) {
        return table(&columns, &whole);
    }
    table_without(&columns, &short, &EXPENDABLE)
}

/// An instant without its fraction: `2026-11-27T05:45:12Z`.
fn short(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(seconds, _)| format!("{seconds}Z"))
}

/// Parses an instant, a date, or a span before now.
fn since(text: &str) -> Result<Timestamp, String> {
    if let Ok(instant) = text.parse() {
        return Ok(instant);
    }
    let utc = TimeZone::UTC;
    if let Ok(date) = text.parse::<Date>() {
        return date.to_zoned(utc).map(|day| day.timestamp()).map_err(|error| error.to_string());
    }
    let ago: Span = text.parse().map_err(|_| {
        "expected how long ago, such as 30m or 7d, a date such as 2026-11-22, or an instant such as \
         2026-11-22T09:30:00Z"
            .to_owned()
    })?;
    let instant = Timestamp::now().to_zoned(utc).checked_sub(ago);
    instant.map(|instant| instant.timestamp()).map_err(|error| error.to_string())
}

/// Checks an outcome: `ok`, or a code of the engine or the authority.
fn outcome(authority: &Tables, text: &str) -> Result<String, String> {
    let mut known: Vec<&str> = vec!["ok"];
    known.extend(Code::built_in_names().map(|name| -> &str { name }));
    known.extend(authority.errors.iter().map(|error| error.code.as_str()));
    if known.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("expected one of {}", known.join(", ")))
}
