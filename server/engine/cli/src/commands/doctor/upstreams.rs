//! The servers of others: whether each starts, and has the tools that were approved.

use std::time::Duration;

use futures::future::join_all;

use crate::program::{Program, in_runtime, invocation};
use toolwrit_core::diagnosis::Check;
use toolwrit_gateway::upstreams::{Approval, Approvals, UpstreamSettings, examine};

/// How long an upstream may take.
const TIME: Duration = Duration::from_secs(30);

pub(super) fn upstreams(program: &Program) -> Vec<Check> {
    let Some(path) = program.config.path() else { return Vec::new() };
    let approvals = Approvals::beside(path);
    let all = program.config.upstreams();
    let mut checks = in_runtime(1, async {
        Ok(join_all(all.iter().map(|settings| check(settings, &approvals))).await)
    })
    .unwrap_or_default();
    let (_, refused) = program.upstreams.approved(program.authority.clone());
    checks.extend(refused.iter().map(|refused| {
        Check::fail(
            format!("upstream {}", refused.upstream),
            format!("an approved tool is not offered: {refused}"),
            refused.remedy(),
        )
    }));
    checks
}

async fn check(settings: &UpstreamSettings, approvals: &Approvals) -> Check {
    let name = &settings.name;
    let (what, program) = (format!("upstream {name}"), invocation());
    if !settings.is_enabled {
        return Check::ok(what, "not enabled in the configuration");
    }
    if approvals.is_off(name) {
        let fix = format!("`{program} upstream enable {name}` switches it on.");
        return Check::warn(what, "it is switched off", fix);
    }
    let approve = format!("`{program} upstream approve {name}` shows its tools and approves them.");
    let lock = match approvals.approval(settings) {
        Approval::Missing => return Check::warn(what, "its tools are not approved", approve),
        Approval::Broken(why) => return Check::fail(what, why, approve),
        Approval::Elsewhere(_, why) => {
            return Check::warn(what, format!("it is held: {why}"), approve);
        }
        Approval::Approved(lock) => lock,
    };
    match examine(settings, approvals, TIME).await {
        Err(why) => {
            let fix = format!("Start it yourself to see why, or change [upstreams.{name}].");
            Check::fail(what, why, fix)
        }
        Ok(found) => {
            let (tools, verdict) = (found.tools.tools().len(), found.verdict(&lock));
            let unknown = settings.unknown_tools(&found.tools);
            if verdict.is_clean() && !unknown.is_empty() {
                let message = format!("it has no tools of these names: {}", unknown.join(", "));
                return Check::warn(what, message, format!("Correct [upstreams.{name}]."));
            }
            if verdict.is_clean() && lock.location().is_none() {
                let message = "its approval does not say for which program or address it is";
                return Check::warn(what, message, approve);
            }
            if verdict.is_clean() {
                return Check::ok(what, format!("it has {tools} tools, as approved"));
            }
            let changed = verdict.changes.len();
            let fix = format!("`{program} upstream diff {name}` shows the changes.");
            Check::warn(what, format!("{changed} tools are not as approved"), fix)
        }
    }
}
