//! Checks the state file, or the database that replicas share.

use std::path::Path;

#[cfg(feature = "postgres")]
use crate::exit::Exit;
use crate::program::Program;
use crate::program::home::shown;
#[cfg(feature = "postgres")]
use crate::program::in_runtime;
use crate::program::state::StateFlags;
use toolwrit_core::diagnosis::Check;
#[cfg(feature = "postgres")]
use toolwrit_postgres::{Problem, Report, Settings};
use toolwrit_state::{UnusableDatabase, examine};

/// The name of the checks.
const NAME: &str = "state";

/// Checks where the state is kept.
pub(super) fn checks(program: &Program, flags: &StateFlags) -> Vec<Check> {
    #[cfg(feature = "postgres")]
    if let Some(settings) = flags.database(program) {
        return database(&settings);
    }
    vec![file(flags.file(program).as_deref())]
}

/// Checks the database that replicas share.
#[cfg(feature = "postgres")]
fn database(settings: &Settings) -> Vec<Check> {
    let shown = &settings.address;
    let examined = in_runtime(1, async {
        let report = toolwrit_postgres::examine(settings).await;
        report.map_err(|error| Exit::Failed(error.to_string()))
    });
    let Report { server, schema, problems, .. } = match examined {
        Ok(report) => report,
        Err(exit) => {
            return vec![Check::fail(
                NAME,
                format!("{shown}: {}", exit.into_message()),
                "Mend the address in --state or TOOLWRIT_STATE, or the way to the database.",
            )];
        }
    };
    if problems.is_empty() {
        let schema = schema.map_or_else(
            || "no schema yet; the first server creates it".to_owned(),
            |version| format!("schema {version}"),
        );
        return vec![Check::ok(NAME, format!("{shown}, PostgreSQL {server}, {schema}"))];
    }
    let check = |problem: &Problem| {
        let message = format!("{shown}: {problem}");
        match problem {
            // Replicas then do the same, only slower or with other times in their logs.
            Problem::Clock(_) | Problem::Deaf(_) => Check::warn(NAME, message, problem.fix()),
            _ => Check::fail(NAME, message, problem.fix()),
        }
    };
    problems.iter().map(check).collect()
}

/// Checks the file of the audit, the idempotency keys and the costs of listings.
fn file(file: Option<&Path>) -> Check {
    let fix = "Fix the file. Without it, a server keeps no audit and refuses calls with an idempotency key.";
    let Some(file) = file else {
        return Check::fail(NAME, UnusableDatabase::NoHome.to_string(), fix);
    };
    let shown = shown(file);
    match examine(file) {
        Ok(None) => {
            Check::ok(NAME, format!("{shown}, does not exist yet; the first server creates it"))
        }
        Ok(Some(metadata)) => Check::ok(
            NAME,
            format!("{shown}, version {}, {} KiB", metadata.version, metadata.bytes.div_ceil(1024)),
        ),
        Err(error) => Check::fail(NAME, format!("{shown}: {error}"), fix),
    }
}
