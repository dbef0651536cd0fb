//! `import openapi`: writes the first manifest of an API from a description of it.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;
use toolwrit_openapi::{Imported, Options, count_by_kind, import};

use super::Source;
use crate::exit::Exit;
use crate::output;
use crate::program::Program;
use crate::program::manifest;

pub(super) const SOURCE: Source = Source { name: "openapi", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// The document, of OpenAPI 3.0 or 3.1, as JSON or YAML.
    #[arg(value_name = "FILE|URL")]
    document: String,
    /// Operations to import, by operationId, as `GET /path`, or by a pattern with `*`; separated by commas.
    #[arg(long, value_name = "IDS")]
    only: Vec<String>,
    /// Category of all operations. By default, the first tag of each.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// File to write, which must not exist. By default, standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Further host from which documents may be read to which this one refers.
    #[arg(long = "allow-host", value_name = "HOST")]
    allowed_hosts: Vec<String>,
    /// Print the result and what was lost as JSON.
    #[arg(long)]
    json: bool,
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name))
        .about("Write a manifest from an OpenAPI document")
}

fn run(_: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { document, only, category, out, allowed_hosts, json } =
        Flags::from_arg_matches(matches)?;
    let options = Options { only, category, allowed_hosts };
    let imported = import(&document, &options).map_err(|why| Exit::Failed(why.to_string()))?;
    check(|_| Ok(imported.manifest.clone()))?;
    if let Some(path) = &out {
        write(path, &imported.manifest)?;
    }
    report(&imported, out.as_deref(), json)
}

/// Prints what was imported, and what was lost.
pub(super) fn report(imported: &Imported, out: Option<&Path>, json: bool) -> Result<(), Exit> {
    if json { print_json(imported, out) } else { print_text(imported, out) }
}

/// Refuses a manifest that would not load, which is an error of the import and not of the document.
pub(super) fn check(read: impl FnMut(&str) -> io::Result<String>) -> Result<(), Exit> {
    let Err(problems) = toolwrit_manifest::load_sources("the imported manifest", read) else {
        return Ok(());
    };
    manifest::print_problems(&problems);
    Err(Exit::Failed(
        "the manifest made of this document is invalid; select other operations with `--only`"
            .to_owned(),
    ))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Exit> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|why| {
        let help = match why.kind() {
            io::ErrorKind::AlreadyExists => "; remove it, or choose another name",
            _ => "",
        };
        Exit::Failed(format!("cannot write `{}`: {why}{help}", path.display()))
    })
}

fn print_text(imported: &Imported, out: Option<&Path>) -> Result<(), Exit> {
    match out {
        None => output::print(&imported.manifest)?,
        Some(path) => output::print_message(&format!("Wrote {}.", path.display())),
    }
    for loss in &imported.losses {
        let pointer = if loss.pointer.is_empty() { "/" } else { &loss.pointer };
        output::print_message(&format!(
            "lost: {}: {pointer}: {}",
            loss.kind.as_str(),
            loss.message
        ));
    }
    let counts = count_by_kind(&imported.losses).into_iter();
    let kinds: Vec<String> =
        counts.map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
    let lost = if kinds.is_empty() {
        "nothing lost".to_owned()
    } else {
        format!("lost: {}", kinds.join(", "))
    };
    let Imported { operations, types, .. } = imported;
    output::print_message(&format!("{operations} operations, {types} types; {lost}."));
    Ok(())
}

fn print_json(imported: &Imported, out: Option<&Path>) -> Result<(), Exit> {
    let losses: Vec<_> = imported
        .losses
        .iter()
        .map(|loss| {
            json!({"kind": loss.kind.as_str(), "pointer": loss.pointer, "message": loss.message})
        })
        .collect();
    let mut result = json!({
        "operations": imported.operations,
        "types": imported.types,
        "losses": losses,
    });
    match out {
        Some(path) => result["file"] = json!(path.to_string_lossy()),
        None => result["manifest"] = json!(imported.manifest),
    }
    output::print_json(&result)
}
