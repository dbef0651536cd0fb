//! Three replicas behind the balancer are to a client what one server is: the conformance suite of MCP finds no difference.

use std::path::Path;

use toolwrit_tests::conformance::Suite;

use toolwrit_tests::cluster::Cluster;

/// Runs the scenarios of a revision through the balancer.
fn conforms(revision: &str, scenarios: usize) {
    let Some(suite) = Suite::find() else { return };
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let Some(cluster) = Cluster::of(program, &["--sessions", "64"]) else { return };
    cluster.in_use();
    suite.conforms(&format!("http://{}/mcp", cluster.balancer.address), revision, scenarios);
}

#[test]
fn the_requirements_of_2025_11_25_are_met_through_the_balancer() {
    conforms("2025-11-25", 30);
}

#[test]
fn the_requirements_of_2026_07_28_are_met_through_the_balancer() {
    conforms("2026-07-28", 37);
}
