//! Templater: notes from templates, without Obsidian.
//!
//! A template is a note with commands: `<% tp.date.now() %>`. Their JavaScript is run by an interpreter of the
//! subset that templates use: values, strings, lists, objects, functions, conditions and loops, dates of
//! moment.js, and most of `tp`. Whatever needs Obsidian, the network or other programs is refused with the
//! reason. So is JavaScript beyond the subset, with its position. Runs are limited in time, memory and depth.
//!
//! What a template asks its user for, with `tp.system.prompt` and the like, becomes a [`Parameter`].
//!
//! The placeholders of the core plugin Templates work in every template.

mod environment;
mod parameters;
pub(crate) mod placeholders;
mod refused;
mod run;
mod script;
pub(crate) mod settings;
mod stamp;

use std::cell::RefCell;
use std::fmt;
use std::thread;

use serde_json::{Map, Value as Json};
use toolwrit_vault::{
    CancelCheck, Depth, EntryKind, Folder, FolderEntry, Vault, VaultError, VaultPath, WriteMode,
    Written,
};

pub use parameters::{Parameter, ParameterKind};
pub use stamp::TemplatesStamp;

use environment::{Environment, TEMPLATE_LIMIT};
use parameters::Parameters;
use script::{Fault, Reason};
use settings::Settings;

use toolwrit_moment::Moment;

/// How many templates are listed.
const MOST_LISTED: usize = 500;
/// The stack for running a template, in bytes; enough for the deepest nesting that the limits allow.
const STACK: usize = 64 << 20;

/// The templates of a vault.
#[derive(Debug)]
pub struct Templater<'v> {
    vault: &'v Vault,
    settings: Settings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its path in the templates folder, without `.md`.
    pub name: String,
    pub path: VaultPath,
    /// What it asks for.
    pub parameters: Vec<Parameter>,
    /// Whether it cannot be run at all.
    pub is_broken: bool,
    /// Why it cannot be run, or which parts of it fail when they are reached.
    pub problems: Vec<Problem>,
}

/// Something in a template that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The template.
    pub path: VaultPath,
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, message } = self;
        write!(f, "{path}:{line}:{column}: {message}")
    }
}

/// A template to run.
#[derive(Debug, Clone)]
pub struct Execution<'a> {
    /// Its name or its path in the vault.
    pub template: &'a str,
    /// The answers to what it asks for, by the names of the parameters.
    pub arguments: &'a Map<String, Json>,
    /// The note to create. Without it, nothing is written.
    pub target: Option<&'a VaultPath>,
    /// Whether to write nothing in any case. The target may exist then, and the template sees it.
    pub dry_run: bool,
    /// The current time.
    pub now: Moment,
}

/// The result of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The text.
    pub content: String,
    /// The path of the note: the target, or where the template moves its note.
    pub path: Option<VaultPath>,
    /// The created note, if one was created.
    pub written: Option<Written>,
}

/// Why a template was not run.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// No plugin names a folder of templates.
    #[error(
        "no templates folder is set, neither in Templater's settings nor in those of Templates"
    )]
    NoFolder,
    /// The settings cannot be read.
    #[error("the settings of a plugin cannot be read: {0}")]
    Settings(String),
    /// There is no such template.
    #[error("there is no template `{name}` in `{folder}`")]
    NotFound {
        /// As given.
        name: String,
        /// The templates folder.
        folder: String,
        /// Templates with similar names, best first.
        similar: Vec<String>,
    },
    /// Arguments that the template requires are missing.
    #[error("the template asks for {}", list_names(.0))]
    Missing(Vec<Parameter>),
    /// An argument that the template does not ask for.
    #[error("the template has no parameter `{name}`")]
    Unknown {
        /// As given.
        name: String,
        /// The names of its parameters.
        known: Vec<String>,
    },
    /// An argument does not fit.
    #[error("{0}")]
    Argument(Problem),
    /// The template fails, or uses what is not supported.
    #[error("{0}")]
    Failed(Problem),
    /// A limit is exceeded.
    #[error("{0}")]
    Exceeded(Problem),
    /// The vault refuses to read or to write.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

fn list_names(parameters: &[Parameter]) -> String {
    let name = |parameter: &Parameter| match parameter.description.as_str() {
        "" => format!("`{}`", parameter.name),
        description => format!("`{}` ({description})", parameter.name),
    };
    parameters.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl<'v> Templater<'v> {
    /// The templates of a vault, by the settings of Templater or of the core plugin Templates.
    ///
    /// # Errors
    /// `NoFolder` if no plugin sets a folder, `Settings`.
    pub fn open(vault: &'v Vault) -> Result<Self, TemplateError> {
        let settings = Settings::read(vault).map_err(TemplateError::Settings)?;
        Ok(Self { vault, settings: settings.ok_or(TemplateError::NoFolder)? })
    }

    /// The folder of the templates.
    pub fn folder(&self) -> &Folder {
        &self.settings.folder
    }

    /// The names of the templates, in order.
    ///
    /// # Errors
    /// `Vault` if the folder cannot be read.
    pub fn names(&self, cancelled: CancelCheck<'_>) -> Result<Vec<String>, TemplateError> {
        Ok(self.list_notes(cancelled)?.iter().map(|entry| self.name(&entry.path)).collect())
    }

    /// The templates, by name. A template that cannot be read or parsed is listed with its problem.
    ///
    /// # Errors
    /// `Vault` if the folder cannot be read.
    pub fn templates(&self, cancelled: CancelCheck<'_>) -> Result<Vec<Template>, TemplateError> {
        let paths: Vec<_> =
            self.list_notes(cancelled)?.into_iter().map(|entry| entry.path).collect();
        run_on_large_stack(|| Ok(paths.into_iter().map(|path| self.describe(path)).collect()))
    }

    /// A template by its name or path.
    ///
    /// # Errors
    /// `NotFound`, `Vault`.
    pub fn template(&self, name: &str) -> Result<Template, TemplateError> {
        let path = self.find(name)?;
        run_on_large_stack(|| Ok(self.describe(path)))
    }

    /// Runs a template, and creates the target.
    ///
    /// # Errors
    /// All but `NoFolder` and `Settings`. Nothing is written then.
    pub fn execute(
        &self,
        execution: &Execution<'_>,
        cancelled: CancelCheck<'_>,
    ) -> Result<Executed, TemplateError> {
        let path = self.find(execution.template)?;
        let text = self.read(&path)?;
        let (content, path) =
            run_on_large_stack(|| self.render(path, &text, execution, cancelled))?;
        let written = match &path {
            Some(path) if execution.target.is_some() && !execution.dry_run => {
                Some(self.vault.write(path, &content, WriteMode::CreateOnly, None)?)
            }
            _ => None,
        };
        Ok(Executed { content, path, written })
    }

    /// Runs a text as a template of this path.
    fn render(
        &self,
        path: VaultPath,
        text: &str,
        execution: &Execution<'_>,
        cancelled: CancelCheck<'_>,
    ) -> Result<(String, Option<VaultPath>), TemplateError> {
        let program = script::parse(text).map_err(|fault| template_error(&path, text, &fault))?;
        check(&Parameters::from_program(&program), execution.arguments)?;
        let target = execution.target.map(with_note_extension).transpose()?;
        let note = match &target {
            Some(target) if execution.dry_run => match self.vault.read(target, None) {
                Err(VaultError::NotFound { .. }) => None,
                read => Some(read?),
            },
            _ => None,
        };
        let environment = Environment {
            vault: self.vault,
            settings: &self.settings,
            now: execution.now.clone(),
            template: path,
            target: RefCell::new(target),
            note,
            arguments: execution.arguments,
            cancelled,
        };
        let done = run::run_program(&program, &environment);
        let content = done.map_err(|fault| template_error(&environment.template, text, &fault))?;
        Ok((content, environment.target.into_inner()))
    }

    fn list_notes(&self, cancelled: CancelCheck<'_>) -> Result<Vec<FolderEntry>, VaultError> {
        let listing = self.vault.list(self.folder(), Depth::DEEP, None, cancelled)?;
        let notes = listing.entries.into_iter().filter(|entry| entry.kind == EntryKind::Note);
        Ok(notes.take(MOST_LISTED).collect())
    }

    fn read(&self, path: &VaultPath) -> Result<String, TemplateError> {
        let note = self.vault.read(path, Some(TEMPLATE_LIMIT + 1))?;
        if note.truncated || note.content.len() > TEMPLATE_LIMIT {
            let (size, limit) = (note.size, TEMPLATE_LIMIT as u64);
            return Err(VaultError::TooLarge { path: note.path, size, limit }.into());
        }
        Ok(note.content)
    }

    fn describe(&self, path: VaultPath) -> Template {
        let name = self.name(&path);
        let mut template =
            Template { name, path, parameters: Vec::new(), is_broken: true, problems: Vec::new() };
        let text = match self.read(&template.path) {
            Ok(text) => text,
            Err(error) => {
                let path = template.path.clone();
                let message = error.to_string();
                template.problems.push(Problem { path, line: 1, column: 1, message });
                return template;
            }
        };
        match script::parse(&text) {
            Ok(program) => {
                template.is_broken = false;
                let found = Parameters::from_program(&program);
                template.parameters = found.list().to_vec();
                template.problems = found
                    .refused_names()
                    .iter()
                    .filter_map(|(position, name)| {
                        let why = refused::refusal(name)?;
                        let reason = Reason::Refused { what: format!("`{name}`").into(), why };
                        Some(to_problem(&template.path, &text, &Fault::new(*position, reason)))
                    })
                    .collect();
            }
            Err(fault) => template.problems.push(to_problem(&template.path, &text, &fault)),
        }
        template
    }

    /// The path of a template in its folder, without `.md`.
    fn name(&self, path: &VaultPath) -> String {
        let within = path.as_str().strip_prefix(self.folder().as_str()).unwrap_or(path.as_str());
        let within = within.trim_start_matches('/');
        let end = if path.is_note() { within.len() - ".md".len() } else { within.len() };
        within[..end].to_owned()
    }

    /// The template with this name in the folder, or with this path in the folder.
    fn find(&self, name: &str) -> Result<VaultPath, TemplateError> {
        let folder = self.folder().as_str();
        let within = name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let within = within.filter(|_| !folder.is_empty()).unwrap_or(name);
        let path = if folder.is_empty() { within.to_owned() } else { format!("{folder}/{within}") };
        let path = VaultPath::parse(&path).map_err(VaultError::from)?;
        match self.vault.locate(&path) {
            Err(VaultError::NotFound { similar, .. }) => Err(TemplateError::NotFound {
                name: name.to_owned(),
                folder: folder.to_owned(),
                similar: similar.iter().map(|path| self.name(path)).collect(),
            }),
            found => Ok(found?),
        }
    }
}

/// Runs the commands in a text that a daily note's template has, for the note at `target`.
pub(crate) fn render_new(
    vault: &Vault,
    settings: &Settings,
    template: &VaultPath,
    text: &str,
    (target, now): (&VaultPath, &Moment),
    cancelled: CancelCheck<'_>,
) -> Result<String, TemplateError> {
    let templater = Templater { vault, settings: settings.clone() };
    let execution = Execution {
        template: template.as_str(),
        arguments: &Map::new(),
        target: Some(target),
        dry_run: false,
        now: now.clone(),
    };
    let rendered = || templater.render(template.clone(), text, &execution, cancelled);
    Ok(run_on_large_stack(rendered)?.0)
}

/// Compares the arguments with what the template asks for.
fn check(parameters: &Parameters, arguments: &Map<String, Json>) -> Result<(), TemplateError> {
    let known = |name: &str| parameters.list().iter().any(|parameter| parameter.name == name);
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        let known = parameters.list().iter().map(|parameter| parameter.name.clone()).collect();
        return Err(TemplateError::Unknown { name: name.clone(), known });
    }
    let is_missing = |parameter: &&Parameter| {
        parameter.required && arguments.get(&parameter.name).is_none_or(Json::is_null)
    };
    let missing: Vec<_> = parameters.list().iter().filter(is_missing).cloned().collect();
    if missing.is_empty() { Ok(()) } else { Err(TemplateError::Missing(missing)) }
}

/// The path of a new note, with `.md`.
fn with_note_extension(path: &VaultPath) -> Result<VaultPath, VaultError> {
    if path.extension().is_some() {
        return Ok(path.clone());
    }
    Ok(VaultPath::parse(&format!("{path}.md"))?)
}

fn to_problem(path: &VaultPath, text: &str, fault: &Fault) -> Problem {
    let (line, column) = fault.position.in_text(text);
    Problem { path: path.clone(), line, column, message: fault.reason.to_string() }
}

fn template_error(path: &VaultPath, text: &str, fault: &Fault) -> TemplateError {
    let problem = to_problem(path, text, fault);
    let mut reason = &fault.reason;
    while let Reason::Included { reason: inner, .. } = reason {
        reason = inner;
    }
    match reason {
        Reason::Cancelled => VaultError::Cancelled.into(),
        Reason::Unanswered { .. } | Reason::Misanswered { .. } => TemplateError::Argument(problem),
        Reason::Exceeded(_) => TemplateError::Exceeded(problem),
        _ => TemplateError::Failed(problem),
    }
}

/// Does work that is nested as deeply as a template, on a thread with enough stack.
fn run_on_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, TemplateError> + Send,
) -> Result<T, TemplateError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("toolwrit-template".into()).stack_size(STACK);
        let failed = |source| VaultError::Io { doing: "run", path: "a template".into(), source };
        let thread = thread.spawn_scoped(scope, work).map_err(failed)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
