//! Upstream servers on the status page.

use std::fs;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use super::driven;

/// Starts the upstream: a server with a vault of its own, which keeps its process id, unless it is broken.
fn script(folder: &str, program: &str, vault: &str) -> String {
    format!(
        "#!/bin/sh\ntest ! -e '{folder}/broken' || exit 7\necho $$ > '{folder}/pid'\nexec '{program}' serve --vault '{vault}'\n"
    )
}

#[cfg(unix)]
#[test]
fn operators_restart_and_enable_upstreams() {
    let (home, vault) = (Home::new(), vaults::empty());
    let folder = home.path().to_str().unwrap();
    let program = toolwrit().to_str().unwrap();
    let (start, config) = (home.path().join("start.sh"), home.path().join("config.toml"));
    fs::write(&start, script(folder, program, vault.path().to_str().unwrap())).unwrap();
    let table = format!("[upstreams.shelf]\ncommand = [\"/bin/sh\", \"{}\"]\n", start.display());
    fs::write(&config, table).unwrap();
    let config = config.to_str().unwrap();
    let run = |words: &[&str]| {
        let output = home.command(toolwrit(), &[words, &["--config", config]].concat()).output();
        assert!(output.as_ref().is_ok_and(|own| own.status.success()), "{output:?}");
    };
    run(&["upstream", "approve", "shelf", "--yes"]);
    let server =
        Server::start(home.command(toolwrit(), &["browse", "--no-open", "--config", config]));
    let off = [program, "upstream", "disable", "shelf", "--config", config];
    driven("status.mjs", &[&[server.url.as_str(), folder], &off[..]].concat());
}
