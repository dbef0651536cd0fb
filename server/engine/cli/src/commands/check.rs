//! `check`: checks a manifest, and the token costs of its surfaces against their budgets.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};
use toolwrit_loader::RUNS_COMMANDS;
use toolwrit_manifest::{BindingKind, LeftOut, Model, Problem, Severity, Sources};

use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::manifest;
use crate::program::{Program, Verb};
use toolwrit_core::authority::{Authority, Tables};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_mcp::surface::{MeasuredSurface, measure};
use toolwrit_mcp::surface::{Split, SurfaceChoice};

pub(crate) const VERB: Verb = Verb { name: "check", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// The same as --manifest.
    #[arg(conflicts_with = "manifest")]
    file: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("check")).about("Check a manifest and its token budgets")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { file, json } = Flags::from_arg_matches(matches)?;
    let file = file.or_else(|| matches.get_one::<PathBuf>("manifest").cloned());
    let loaded = match &file {
        Some(file) => toolwrit_manifest::load(file),
        None => manifest::kept(program.tables()),
    };
    if let Err(problems) = &loaded
        && let Some(exit) = manifest::unreadable(problems)
        && !json
    {
        return Err(exit);
    }
    let (model, problems, sources): (Option<&Model>, Vec<&Problem>, _) = match &loaded {
        Ok(authority) => {
            (Some(authority), authority.warnings().iter().collect(), authority.sources())
        }
        Err(problems) => (None, problems.iter().collect(), problems.sources()),
    };
    let budgets = match (&file, &loaded) {
        (_, Err(_)) => Vec::new(),
        (None, Ok(_)) => budgets(program.authority)?,
        (Some(_), Ok(authority)) => budgets(&toolwrit_loader::load(authority, "", ""))?,
    };
    let left_out = match (&file, &loaded) {
        (Some(_), Ok(authority)) => authority.without_handlers().1,
        _ => LeftOut::default(),
    };
    let result = CheckResult { model, problems, sources, budgets, left_out };
    if json { result.print_json() } else { result.print_text() }
}

/// The cost of a surface, and its budget in tokens.
pub(crate) struct SurfaceBudget {
    cost: MeasuredSurface,
    limit: u64,
}

impl SurfaceBudget {
    pub(crate) fn exceeded(&self) -> bool {
        self.cost.tokens as u64 > self.limit
    }

    pub(crate) fn message(&self) -> String {
        let SurfaceBudget { cost, limit } = self;
        let surface = cost.kind.as_str();
        format!("the {surface} surface costs {} tokens, over its budget of {limit}", cost.tokens)
    }
}

pub(crate) const HELP: &str = "shorten texts, or raise the limit under `budget`";

/// Measures the surfaces with a budget, under the default focus mode and role.
pub(crate) fn budgets(authority: &Authority) -> Result<Vec<SurfaceBudget>, Exit> {
    let policy = Policy::new(authority.clone(), &Choice::default()).map_err(Exit::configuration)?;
    let measured = limits(authority.tables()).into_iter().filter_map(|(kind, split, limit)| {
        limit.map(|limit| SurfaceBudget { cost: measure(&policy, kind, split), limit })
    });
    Ok(measured.collect())
}

/// Each surface with the split that is measured, and its budget in tokens.
fn limits(authority: &Tables) -> [(SurfaceChoice, Option<Split>, Option<u64>); 3] {
    [
        (SurfaceChoice::Flat, None, authority.budget.flat),
        (SurfaceChoice::Dispatch, Some(Split::Effect), authority.budget.dispatch),
        (SurfaceChoice::Meta, Some(Split::Effect), authority.budget.meta),
    ]
}

/// The budget of a surface. `None` if it has none, or if budgets do not apply to this focus mode and split.
pub(crate) fn budget_of(authority: &Tables, cost: &MeasuredSurface) -> Option<u64> {
    let is_default = authority.focus.first().is_none_or(|focus| focus.name == cost.focus);
    let mut limits = limits(authority).into_iter().filter(|_| is_default);
    limits.find(|(kind, split, _)| kind.as_str() == cost.kind.as_str() && *split == cost.split)?.2
}

/// The result of a check.
struct CheckResult<'a> {
    /// `None` if the manifest is invalid.
    model: Option<&'a Model>,
    problems: Vec<&'a Problem>,
    sources: &'a Sources,
    budgets: Vec<SurfaceBudget>,
    /// What `--manifest` does not serve.
    left_out: LeftOut,
}

impl CheckResult<'_> {
    fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|problem| problem.severity() == severity).count()
    }

    fn errors(&self) -> usize {
        let exceeded = self.budgets.iter().filter(|budget| budget.exceeded()).count();
        self.count(Severity::Error) + exceeded
    }

    fn print_text(&self) -> Result<(), Exit> {
        for problem in &self.problems {
            manifest::print_problem(problem, self.sources);
        }
        for budget in self.budgets.iter().filter(|budget| budget.exceeded()) {
            output::print_error(None, &format!("{}\n  = help: {HELP}\n", budget.message()));
        }
        let root = self.sources.iter().next().map_or("the manifest", |source| &source.path);
        let warnings = counted(self.count(Severity::Warning), "warning");
        let Some(model) = self.model.filter(|_| self.errors() == 0) else {
            let errors = counted(self.errors(), "error");
            return Err(Exit::Configuration(format!("{root} has {errors} and {warnings}")));
        };
        let operations = counted(model.operations.len(), "operation");
        output::print(&format!("{root} is valid: {operations}, {warnings}."))?;
        if !self.left_out.is_empty() {
            output::print_message(&format!("note: {}", self.left_out));
        }
        if let Some(message) = self.commands() {
            output::print_message(&format!("note: {message}"));
        }
        if self.budgets.is_empty() {
            return Ok(());
        }
        let columns =
            [("surface", Align::Left), ("tokens", Align::Right), ("budget", Align::Right)];
        let row = |SurfaceBudget { cost, limit }: &SurfaceBudget| {
            vec![cost.kind.as_str().to_owned(), cost.tokens.to_string(), limit.to_string()]
        };
        let rows: Vec<_> = self.budgets.iter().map(row).collect();
        output::print(&format!("\n{}", table(&columns, &rows)))
    }

    /// What is said of operations that are commands, if this program cannot run them.
    fn commands(&self) -> Option<String> {
        let providers = &self.model?.providers;
        let of_commands = providers.iter().find(|provider| {
            provider.binding.as_ref().is_some_and(|binding| binding.kind == BindingKind::Command)
        });
        let name = &of_commands.filter(|_| !RUNS_COMMANDS)?.name;
        Some(format!(
            "the operations of `{name}` are commands, which this program does not run: it is built without the feature `commands`"
        ))
    }

    fn print_json(&self) -> Result<(), Exit> {
        let exceeded =
            self.budgets.iter().filter(|budget| budget.exceeded()).map(
                |budget| json!({"severity": "error", "message": budget.message(), "help": HELP}),
            );
        let commands = self.commands().into_iter();
        let commands = commands.map(|message| json!({"severity": "warning", "message": message}));
        let problems = self.problems.iter().map(|problem| entry(problem, self.sources));
        let budgets = self.budgets.iter().map(|SurfaceBudget { cost, limit }| {
            json!({"surface": cost.kind.as_str(), "tokens": cost.tokens, "budget": limit})
        });
        let left_out = [&*self.left_out.handled, &*self.left_out.cookbooks].concat();
        output::print_json(&json!({
            "valid": self.errors() == 0,
            "problems": problems.chain(exceeded).chain(commands).collect::<Vec<_>>(),
            "budgets": budgets.collect::<Vec<_>>(),
            "left_out": left_out,
        }))?;
        match self.errors() {
            0 => Ok(()),
            _ => Err(Exit::Configuration(String::new())),
        }
    }
}

/// A problem as JSON, without unknown values.
fn entry(problem: &Problem, sources: &Sources) -> Value {
    let place = problem.place();
    let file = place.and_then(|place| sources.get(place)).map(|source| source.path.as_str());
    let mut entry = json!({
        "severity": problem.severity().as_str(),
        "file": file,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "message": problem.message(),
        "expected": problem.expected_text(),
        "help": problem.help_text(),
    });
    if let Some(entry) = entry.as_object_mut() {
        entry.retain(|_, value| !value.is_null());
    }
    entry
}

fn counted(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
