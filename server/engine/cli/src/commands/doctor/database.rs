//! Checks the database that replicas share.

use toolwrit_core::diagnosis::Check;
use toolwrit_postgres::{Report, Settings, examine};

use crate::program::in_runtime;

/// The name of these checks.
const NAME: &str = "state";

/// Checks the database that a replica would use. There is a check for each problem.
pub(super) fn database(settings: &Settings) -> Vec<Check> {
    let shown = &settings.address;
    let unreachable = |reason: &str| {
        let fix = "Correct --state, or TOOLWRIT_STATE, and let this machine reach the database.";
        vec![Check::fail(NAME, format!("{shown}: {reason}"), fix)]
    };
    let Report { server, schema, problems, .. } =
        match in_runtime(1, async { Ok(examine(settings).await) }) {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => return unreachable(&error.to_string()),
            Err(exit) => return unreachable(&exit.into_message()),
        };
    let schema = match schema {
        Some(version) => format!("schema {version}"),
        None => "no schema yet; the first server creates it".to_owned(),
    };
    let found = format!("{shown}, PostgreSQL {server}, {schema}");
    if problems.is_empty() {
        return vec![Check::ok(NAME, found)];
    }
    let check = |problem: &toolwrit_postgres::Problem| {
        let verdict = if problem.is_fatal() { Check::fail } else { Check::warn };
        verdict(NAME, format!("{found}: {problem}"), problem.fix())
    };
    problems.iter().map(check).collect()
}
