//! The providers to whose APIs operations are bound: their settings, and whether they answer.

use crate::commands::serve;
use crate::config::Config;
use crate::program::{Program, in_runtime};
use toolwrit_core::availability::Probe;
use toolwrit_core::diagnosis::Check;
use toolwrit_core::fault::Fault;
use toolwrit_core::provider::Supervised;

pub(super) fn providers(program: &Program) -> Vec<Check> {
    // An invalid file is the result of another check.
    let config = serve::configuration(program).unwrap_or_else(|_| Config::default());
    let checks = in_runtime(1, async {
        // Connections need the runtime.
        let mut checks = Vec::new();
        for provider in (program.bound)(program, config.providers()) {
            let probe = provider.probe().await;
            let problems = provider.problems().await.unwrap_or_default();
            checks.push(check(&*provider, probe, &problems));
        }
        Ok(checks)
    });
    checks.unwrap_or_default()
}

fn check(provider: &dyn Supervised, probe: Result<Probe, Fault>, problems: &[String]) -> Check {
    let what = format!("provider {}", provider.name());
    match probe {
        Ok(Probe::Available { .. }) if !problems.is_empty() => {
            Check::warn(what, problems.join(" "), "The operator tells the author of the manifest.")
        }
        Ok(Probe::Available { .. }) if !provider.answers_probes() => {
            Check::ok(what, "its settings are complete; not checked: it has no `probe`")
        }
        Ok(Probe::Available { .. }) => Check::ok(what, "it answers, and accepts its settings"),
        Ok(Probe::Unavailable(why)) => Check::fail(what, why.message, why.remedy),
        Err(fault) => {
            let fix = "Check the settings of the provider, and whether the API can be reached.";
            Check::fail(what, fault.message(), fault.hint().unwrap_or(fix))
        }
    }
}
