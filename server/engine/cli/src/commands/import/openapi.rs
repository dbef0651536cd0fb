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
    /// The document, of OpenAPI 3.0, 3.1 or 3.2 or Swagger 2.0, as JSON or YAML.
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
    /// File with an overlay of the document: changes that are made before it is imported. OpenAPI Overlay 1.0.
    #[arg(long = "overlay", value_name = "FILE")]
    overlays: Vec<PathBuf>,
    /// Earlier import of the document. Prints what has changed since in place of the manifest.
    #[cfg(feature = "docs")]
    #[arg(long, value_name = "MANIFEST")]
    update: Option<PathBuf>,
    /// Print the result and what was lost as JSON.
    #[arg(long)]
    json: bool,
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name))
        .about("Write a manifest from an OpenAPI document")
}

fn run(_: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let options = Options {
        only: flags.only,
        category: flags.category,
        allowed_hosts: flags.allowed_hosts,
        overlays: flags.overlays,
    };
    let imported = import(&flags.document, &options);
    let imported = imported.map_err(|why| Exit::Failed(why.to_string()))?;
    check(|_| Ok(imported.manifest.clone()))?;
    let out = flags.out.as_deref();
    if let Some(path) = out {
        write(path, &imported.manifest)?;
    }
    #[cfg(feature = "docs")]
    if let Some(earlier) = &flags.update {
        return print_changes(earlier, &imported, out, flags.json);
    }
    report(&imported, out, flags.json)
}

/// Prints what callers notice of the changes since an earlier import.
#[cfg(feature = "docs")]
fn print_changes(
    earlier: &Path,
    imported: &Imported,
    out: Option<&Path>,
    json: bool,
) -> Result<(), Exit> {
    let earlier = toolwrit_manifest::load(earlier).map_err(|why| manifest::invalid(&why))?;
    let now =
        toolwrit_manifest::load_sources("the imported manifest", |_| Ok(imported.manifest.clone()));
    let now = now.map_err(|why| manifest::invalid(&why))?;
    let changes = toolwrit_docs::changes(&earlier, &now);
    if json {
        return output::print_json(&json!({ "changes": changes, "file": out }));
    }
    if let Some(path) = out {
        output::print_message(&format!("Wrote {}.", path.display()));
    }
    if changes.is_empty() {
        return output::print("Nothing that callers notice has changed.");
    }
    output::print(&changes.join("\n"))
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
