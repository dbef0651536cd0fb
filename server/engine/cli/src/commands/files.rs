//! `files`: lists what this program keeps for its user outside of what it serves, for a backup or a removal.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use crate::clients::ledger::Ledger;
use crate::commands::install::agreed;
use crate::config;
use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::home::shown;
use crate::program::{Program, Verb, invocation};
use toolwrit_core::folders;

pub(crate) const VERB: Verb = Verb { name: "files", command, run };

/// The folder that the servers of a user share.
const SHARED: &str = "toolwrit";

#[derive(Debug, Args)]
struct Flags {
    /// Delete them all, after a question. Nothing that is served, such as notes, is touched.
    #[arg(long)]
    remove: bool,
    /// Delete them without asking.
    #[arg(long, requires = "remove")]
    yes: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A folder of the program.
struct Kept {
    path: PathBuf,
    what: &'static str,
    /// Whether it is needed after a move to another machine.
    is_lasting: bool,
    bytes: u64,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new(VERB.name))
        .about("List the files that this program keeps, to back them up or to remove them")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { remove, yes, json } = Flags::from_arg_matches(matches)?;
    let kept = kept(program);
    if json {
        let list = kept.iter().map(|one| {
            json!({"path": one.path, "what": one.what, "backup": one.is_lasting, "bytes": one.bytes,
                "exists": one.path.exists()})
        });
        output::print_json(&list.collect::<Vec<_>>())?;
    } else {
        let columns = [("folder", Align::Left), ("kib", Align::Right), ("what", Align::Left)];
        let row = |one: &Kept| {
            vec![shown(&one.path), one.bytes.div_ceil(1024).to_string(), one.what.to_owned()]
        };
        output::print(&table(&columns, &kept.iter().map(row).collect::<Vec<_>>()))?;
    }
    if remove { self::remove(&kept, yes) } else { Ok(()) }
}

/// What the program keeps, also folders that do not exist yet.
fn kept(program: &Program) -> Vec<Kept> {
    let server = program.folder_name();
    let own = config::usual_file(&server).and_then(|file| file.parent().map(Path::to_owned));
    let data = |name: &str| folders::data().map(|data| data.join(name));
    let cache = folders::cache().map(|cache| cache.join(SHARED));
    let all = [
        (own, "configuration, and approved tools of upstreams", true),
        (data(&server), "audit, idempotency keys and access tokens", true),
        (data(SHARED), "what can be undone, files of clients before `install`, sample notes", true),
        (cache, "indexes, which are built again", false),
    ];
    let kept = all.into_iter().filter_map(|(path, what, is_lasting)| {
        let path = path?;
        let bytes = size(&path);
        Some(Kept { path, what, is_lasting, bytes })
    });
    kept.collect()
}

/// The bytes of the files in a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(_) => entry.metadata().map_or(0, |file| file.len()),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

fn remove(kept: &[Kept], yes: bool) -> Result<(), Exit> {
    let installed = Ledger::of_user().map(|ledger| ledger.records()).unwrap_or_default();
    if let Some(record) = installed.first() {
        return Err(Exit::Failed(format!(
            "{} still starts `{}`, and only these files can give its own back; run `{} uninstall --all` first",
            record.client,
            record.server,
            invocation()
        )));
    }
    if !agreed(yes, "Delete all of this?")? {
        return Err(Exit::Failed("nothing was deleted".to_owned()));
    }
    for Kept { path, .. } in kept.iter().filter(|one| one.path.exists()) {
        fs::remove_dir_all(path)
            .map_err(|error| Exit::Failed(format!("cannot delete {}: {error}", shown(path))))?;
    }
    output::print_message(
        "Deleted. What was served is as it was; remove the program as you installed it.",
    );
    Ok(())
}
