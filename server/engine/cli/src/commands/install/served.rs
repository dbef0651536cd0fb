//! What a client is to start: the launcher of this program, `serve`, and its flags.

use std::io::{IsTerminal as _, stdin};
use std::path::{Path, PathBuf, absolute};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::usage;
use crate::clients::{Client, launcher};
use crate::commands::serve;
use crate::config::named::{NamedPath, has_named_paths};
use crate::exit::Exit;
use crate::flags::given::values_given;
use crate::output;
use crate::program::home::shown;
use crate::program::{self, Program, program_name, quoted};
use toolwrit_core::toolset::{Candidate, Candidates};

/// The longest name of a server that is made from a path. Clients restrict it together with the name of a tool.
const LONGEST_NAME: usize = 20;

/// What is to be served, as flags of `serve`.
pub(super) struct Served {
    flags: Vec<String>,
    /// The flags that the user wrote for `serve`.
    given: Vec<String>,
}

/// Adds the flags of the application to a command, except those that have the name of one of the command's own.
pub(super) fn with_options(program: &Program, command: Command) -> Command {
    let application = (program.options)(Command::new("options"));
    let is_free = |arg: &&Arg| {
        let is_same = |own: &Arg| own.get_id() == arg.get_id() || own.get_long() == arg.get_long();
        !command.get_arguments().any(is_same)
    };
    let free: Vec<Arg> = application.get_arguments().filter(is_free).cloned().collect();
    command.args(free.into_iter().map(|arg| arg.required(false)))
}

impl Served {
    /// Takes what the flags name, or lets the user choose.
    ///
    /// # Errors
    /// If nothing is named, and there is nothing to choose, or nobody to ask.
    pub(super) fn choose(
        program: &Program,
        matches: &ArgMatches,
        given: &[String],
    ) -> Result<Self, Exit> {
        let application = (program.options)(Command::new("options"));
        let flags = program::flags().chain(application.get_arguments().cloned());
        // A client does not have the variables of this shell.
        let sources = [ValueSource::CommandLine, ValueSource::EnvVariable];
        let mut flags: Vec<String> =
            flags.flat_map(|flag| values_given(&flag, matches, &sources)).collect();
        if let Some(Candidates { flags: known, found }) = (program.candidates)() {
            let is_given = |flag: &&str| {
                let long = format!("--{flag}");
                let is_flag =
                    |word: &String| *word == long || word.starts_with(&format!("{long}="));
                flags.iter().chain(given).any(is_flag) || program.config.sets(flag)
            };
            if !known.iter().any(is_given) {
                let flag = format!("--{}", known.first().copied().unwrap_or_default());
                let chosen = choose(&flag, &found)?;
                flags.extend([flag, chosen.path.to_string_lossy().into_owned()]);
            }
        }
        Ok(Self { flags, given: given.to_vec() })
    }

    /// The words of the command that the client is to start.
    pub(super) fn words(&self, program: &Program, client: &Client) -> Vec<String> {
        let mut words = launcher::words(&program.tables().server.version);
        words.push(serve::VERB.name.to_owned());
        words.extend(self.flags.iter().cloned());
        let is_given = client.flags.first().is_some_and(|flag| self.given.contains(flag));
        if !is_given {
            words.extend(client.flags.iter().cloned());
        }
        words.extend(self.given.iter().cloned());
        words
    }

    /// The name of the server in clients: that of the first folder that is served, or the program's.
    pub(super) fn name(&self, program: &Program) -> String {
        let words = [&self.flags[..], &self.given[..]].concat();
        let named = served_paths(program, &words).into_iter().next();
        let name = named.and_then(|NamedPath { name, path }| {
            name.or_else(|| Some(path.file_name()?.to_string_lossy().into_owned()))
        });
        let slug = name.map(|name| slug(&name)).filter(|slug| !slug.is_empty());
        slug.unwrap_or_else(slug_of_program)
    }
}

fn slug_of_program() -> String {
    slug(program_name())
}

/// Small letters and digits, with `-` between words.
fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let plain: String = name.chars().map(plain).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let short: String = words.join("-").chars().take(LONGEST_NAME).collect();
    short.trim_end_matches('-').to_owned()
}

/// Checks that this program takes the words, and that the folders exist.
///
/// # Errors
/// What is wrong.
pub(super) fn check(program: &Program, words: &[String]) -> Result<(), Exit> {
    let flags = serving(words);
    parse(program, flags)?;
    if flags.iter().any(|word| word == "--http" || word.starts_with("--http=")) {
        return Err(usage(
            "a client starts the server on standard streams, so leave --http out; a client of a server on HTTP takes its address",
        ));
    }
    match missing(program, flags.get(1..).unwrap_or_default()).first() {
        None => Ok(()),
        Some(path) => Err(Exit::Configuration(format!(
            "{} is not a folder; name one that exists",
            path.display()
        ))),
    }
}

/// What is wrong with the words of an entry; `None` if this program takes them.
pub(crate) fn mistake(program: &Program, words: &[String]) -> Option<String> {
    let error = parse(program, serving(words)).err()?;
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    Some(first.trim_start_matches("error: ").to_owned())
}

/// The words from `serve` on.
fn serving(words: &[String]) -> &[String] {
    let start = words.iter().position(|word| word == serve::VERB.name);
    start.map_or(&[], |start| &words[start..])
}

fn parse(program: &Program, words: &[String]) -> Result<(), clap::Error> {
    let command = std::iter::once(program_name()).chain(words.iter().map(String::as_str));
    program.command().try_get_matches_from(command).map(drop)
}

/// The folders that flags of `serve` name and that do not exist.
pub(crate) fn missing(program: &Program, flags: &[String]) -> Vec<PathBuf> {
    let paths = served_paths(program, flags).into_iter().map(|named| named.path);
    paths.filter(|path| !path.is_dir()).collect()
}

/// The paths with names among flags of `serve`.
fn served_paths(program: &Program, flags: &[String]) -> Vec<NamedPath> {
    let application = (program.options)(Command::new(serve::VERB.name)).ignore_errors(true);
    let command = std::iter::once(serve::VERB.name.to_owned()).chain(flags.iter().cloned());
    // Flags of the engine may stand between those of the application.
    let command = whole(program, application).ignore_errors(true).try_get_matches_from(command);
    let Ok(matches) = command else { return Vec::new() };
    let options = (program.options)(Command::new("options"));
    let named = options.get_arguments().filter(|arg| has_named_paths(arg));
    let values = named.filter_map(|arg| {
        let id = arg.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        is_given.then(|| matches.get_many::<NamedPath>(id)).flatten()
    });
    values.flatten().cloned().collect()
}

/// The command `serve`, or else one that has only the application's flags.
fn whole(program: &Program, application: Command) -> Command {
    let serve = program.verbs().find(|verb| verb.name == serve::VERB.name);
    serve.map_or(application, |verb| (verb.command)(program).args(program::flags()))
}

/// Lets the user choose.
fn choose<'a>(flag: &str, candidates: &'a [Candidate]) -> Result<&'a Candidate, Exit> {
    match candidates {
        [] => Err(usage(format!("nothing says what to serve; add {flag} DIR"))),
        [only] => {
            output::print_message(&format!("Found {}, {}", only.title, described(only)));
            Ok(only)
        }
        several => {
            let rows = several.iter().enumerate();
            let rows =
                rows.map(|(at, one)| format!("  {}  {}, {}", at + 1, one.title, described(one)));
            let listed = rows.collect::<Vec<_>>().join("\n");
            if !stdin().is_terminal() {
                return Err(usage(format!(
                    "there are several to serve; add {flag} with one of them:\n{}",
                    several
                        .iter()
                        .map(|one| format!("  {flag} {}", quoted(&one.path.to_string_lossy())))
                        .collect::<Vec<_>>()
                        .join("\n")
                )));
            }
            output::print_message(&format!("There are several to serve:\n{listed}"));
            let chosen = output::answer("Serve which?").parse::<usize>().ok();
            let chosen = chosen.and_then(|number| several.get(number.checked_sub(1)?));
            chosen.ok_or_else(|| usage(format!("expected a number from 1 to {}", several.len())))
        }
    }
}

fn described(candidate: &Candidate) -> String {
    let path = absolute(&candidate.path);
    let path = shown(path.as_deref().unwrap_or(Path::new(&candidate.path)));
    if candidate.detail.is_empty() { path } else { format!("{path}, {}", candidate.detail) }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_are_short_and_plain() {
        for (name, expected) in [
            ("Notes", "notes"),
            ("My Second Brain (2024)", "my-second-brain-2024"),
            ("a_b", "a-b"),
            ("A very long name of a vault", "a-very-long-name-of"),
            ("日本語", ""),
        ] {
            assert_eq!(slug(name), expected);
        }
    }
}
