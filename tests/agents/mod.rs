//! Agents on each surface: twelve tasks on notes, a site and a gateway. The scripted agent is the test here. The bench `agents`
//! measures a model, too.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

pub(crate) mod caller;
pub(crate) mod policy;
mod rank;
pub(crate) mod report;
mod site;
pub(crate) mod tasks;
pub(crate) mod worlds;

/// A change of the search, the descriptions or the errors shows here.
#[cfg(test)]
#[test]
fn the_scripted_agent_does_its_tasks_on_each_surface() {
    let report = report::Report::of(&worlds::Surface::ALL, &policy::run);
    insta::assert_snapshot!(report.tasks());
    for surface in worlds::Surface::ALL {
        assert!(report.done(surface) >= 6, "{}:\n{report}", surface.name());
    }
}
