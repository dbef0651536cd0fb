//! Checks the manifest: the one compiled into the program, or that of `--manifest`.

use crate::commands::check;
use crate::program::Program;
use crate::program::manifest;
use toolwrit_core::diagnosis::Check;

const WHAT: &str = "manifest";

pub(super) fn checks(program: &Program) -> Vec<Check> {
    let mut checks = Vec::new();
    match manifest::kept(program.whole().tables()) {
        Ok(authority) => checks.extend(authority.warnings().iter().map(|problem| {
            let fix = problem.help_text().unwrap_or("Run `check` to see the place.");
            Check::warn(WHAT, problem.message(), fix)
        })),
        // It was valid when it was compiled, so the language has changed since.
        Err(problems) => checks.extend(
            problems
                .iter()
                .map(|problem| Check::fail(WHAT, problem.message(), "Rebuild the program.")),
        ),
    }
    match check::budgets(program.authority) {
        Ok(budgets) => {
            let exceeded = budgets.iter().filter(|budget| budget.exceeded());
            checks.extend(exceeded.map(|b| Check::fail(WHAT, b.message(), check::HELP)));
        }
        Err(exit) => checks.push(Check::fail(WHAT, exit.into_message(), check::HELP)),
    }
    if checks.is_empty() {
        let operations = program.tables().operations.len();
        checks.push(Check::ok(WHAT, format!("{operations} operations, within the budgets")));
    }
    checks
}
