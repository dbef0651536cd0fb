//! A program that is killed at any of its writes leaves the old bytes or the new ones, and what it was about to do can be done, or
//! undone, by the next.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use toolwrit_tests::files::put;
use toolwrit_tests::requirement::{Need, met};

use super::User;

/// The system calls that change files.
const WRITES: &str =
    "write,fsync,rename,renameat,renameat2,unlink,unlinkat,link,linkat,mkdir,mkdirat,fchmod,fchown";
/// More of them than a run makes.
const MOST: usize = 80;

/// Runs a command that is killed at this write. Whether it was.
fn is_killed(user: &User, arguments: &[&str], at: usize) -> bool {
    let program = user.command(arguments);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e"]).arg(format!("trace={WRITES}"));
    traced.arg("-e").arg(format!("inject={WRITES}:signal=SIGKILL:when={at}"));
    traced.arg(program.get_program()).args(program.get_args()).current_dir(user.home());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    let ended = traced.output().expect("strace runs").status;
    assert!(ended.success() || ended.signal() == Some(9) || ended.code() == Some(137), "{ended:?}");
    !ended.success()
}

fn bytes(file: &Path) -> Vec<u8> {
    fs::read(file).expect("the file is there")
}

#[test]
fn a_kill_at_each_write_leaves_old_or_new_bytes() {
    if !met(&[Need::Program(Path::new("strace"), (6, 0))], "apt-get install strace") {
        return;
    }
    // A client of each form of file.
    for (client, file, old) in [
        (
            "cursor",
            ".cursor/mcp.json",
            "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}},\n}\n",
        ),
        ("codex", ".codex/config.toml", "# mine\n[mcp_servers.a]\ncommand = \"x\"\n"),
        (
            "goose",
            ".config/goose/config.yaml",
            "# mine\nextensions:\n  a:\n    type: stdio\n    cmd: x\n    args: []\n    enabled: true\n",
        ),
    ] {
        is_killed_at_each_write(client, file, old);
    }
}

fn is_killed_at_each_write(client: &str, file: &str, old: &str) {
    let install = |user: &User| {
        let vault = user.vault().display().to_string();
        ["install", client, "--yes", "--name", "notes", "--vault", &vault].map(str::to_owned)
    };
    let mut kills = 0;
    for at in 1..MOST {
        let user = User::new();
        put(&user.path(file), old);
        let arguments = install(&user);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let was_killed = is_killed(&user, &arguments, at);
        let now = bytes(&user.path(file));
        let is_new = String::from_utf8_lossy(&now).contains("notes");
        assert!(
            is_new || now == old.as_bytes(),
            "{client}, install, {at}: {}",
            String::from_utf8_lossy(&now)
        );
        // The next program does it, and undoes it.
        let again = user.run(&arguments);
        assert_eq!(again.code, Some(0), "{client}, install, {at}: {again:?}");
        let new = bytes(&user.path(file));

        let was_killed_later = is_killed(&user, &["uninstall", client, "--yes"], at);
        let now = bytes(&user.path(file));
        assert!(now == new || now == old.as_bytes(), "{client}, uninstall, {at}");
        // Without anything left to undo, the command says so.
        let _ = user.uninstall(&[client]);
        assert_eq!(
            String::from_utf8_lossy(&bytes(&user.path(file))),
            old,
            "{client}, uninstall, {at}"
        );
        kills += usize::from(was_killed) + usize::from(was_killed_later);
        if !was_killed && !was_killed_later {
            break;
        }
    }
    assert!((10..MOST).contains(&kills), "{client}, {kills} kills");
}
