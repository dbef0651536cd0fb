//! Checks the database that replicas share.

use toolwrit_core::diagnosis::Check;
use toolwrit_postgres::{Report, Settings, examine};

use crate::exit::Exit;
use crate::program::in_runtime;

/// The name of these checks.
const NAME: &str = "state";

/// The settings of a replica cannot be used.
pub(super) fn unusable(exit: Exit) -> Check {
    Check::fail(NAME, exit.into_message(), "Correct the flags of the state, or the configuration.")
}

/// Checks the database that a replica would use. There is a check for each problem.
pub(super) fn database(settings: &Settings) -> Vec<Check> {
    let shown = &settings.address;
    let failed = |reason: String, fix| vec![Check::fail(NAME, format!("{shown}: {reason}"), fix)];
    let Report { server, schema, newest, problems, .. } =
        match in_runtime(1, async { Ok(examine(settings).await) }) {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => return failed(error.to_string(), error.fix()),
            Err(exit) => return failed(exit.into_message(), "Try again."),
        };
    let schema = match schema {
        Some(version) if version < newest && problems.is_empty() => {
            format!(", schema {version}, which the next server migrates to {newest}")
        }
        Some(version) => format!(", schema {version}"),
        None if problems.is_empty() => ", no schema yet; the first server creates it".to_owned(),
        // A problem says why.
        None => String::new(),
    };
    let found = format!("{shown}, PostgreSQL {server}{schema}");
    if problems.is_empty() {
        return vec![Check::ok(NAME, found)];
    }
    let check = |problem: &toolwrit_postgres::Problem| {
        let verdict = if problem.is_fatal() { Check::fail } else { Check::warn };
        verdict(NAME, format!("{found}: {problem}"), problem.fix())
    };
    problems.iter().map(check).collect()
}
