//! Ends the upstreams when this process is killed. A process that is killed can do nothing, so another one must: a
//! shell whose standard input is a pipe from us. The system closes the pipe however we end, and the shell then ends
//! the process groups that it was told of.

use std::sync::{Mutex, PoisonError};

/// Reads `+ GROUP`, maybe with a command that removes what the group leaves, and `- GROUP` until the end of its input. It is in a group of its own and ignores signals that
/// end a terminal's processes.
#[cfg(unix)]
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=' '
cleanups=
while read -r sign group cleanup; do
    case $sign in
        +) groups="$groups$group "
           [ -n "$cleanup" ] && cleanups="$cleanups$group $cleanup
" ;;
        -) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
    esac
done
[ "$groups" = ' ' ] && exit 0
for group in $groups; do kill -TERM "-$group"; done
sleep 1
for group in $groups; do kill -KILL "-$group"; done
printf '%s' "$cleanups" | while read -r group cleanup; do
    case $groups in *" $group "*) $cleanup ;; esac
done
"#;

/// A process that ends the upstreams if we cannot. It starts with the first upstream.
#[derive(Debug, Default)]
pub(crate) struct Guard(Mutex<Watched>);

#[derive(Debug, Default)]
struct Watched {
    /// With the words of the command that removes what a group leaves.
    groups: Vec<(u32, String)>,
    #[cfg(unix)]
    shell: Option<Shell>,
}

impl Guard {
    /// Ends a group when this process has ended.
    pub(super) fn watch(&self, group: u32, cleanup: Option<&[String]>) {
        self.change(|watched| {
            let cleanup = cleanup.map(|words| format!(" {}", words.join(" "))).unwrap_or_default();
            let line = format!("+ {group}{cleanup}\n");
            watched.groups.push((group, cleanup));
            line
        });
    }

    /// No longer watches a group, because it has ended.
    pub(super) fn forget(&self, group: u32) {
        self.change(|watched| {
            watched.groups.retain(|(watched, _)| *watched != group);
            format!("- {group}\n")
        });
    }

    fn change(&self, change: impl FnOnce(&mut Watched) -> String) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = change(&mut watched);
        #[cfg(unix)]
        watched.tell(&line);
        // On Windows, the job object ends its processes with us.
        #[cfg(not(unix))]
        drop(line);
    }
}

#[cfg(unix)]
use shell::Shell;

#[cfg(unix)]
impl Watched {
    /// Tells the shell of a change. A shell that has ended is replaced by another one, which learns of all groups.
    fn tell(&mut self, line: &str) {
        if self.shell.as_mut().is_some_and(|shell| shell.tell(line).is_ok()) {
            return;
        }
        if self.groups.is_empty() {
            self.shell = None;
            return;
        }
        let started = Shell::start(SCRIPT).and_then(|mut shell| {
            self.groups
                .iter()
                .try_for_each(|(group, cleanup)| shell.tell(&format!("+ {group}{cleanup}\n")))?;
            Ok(shell)
        });
        self.shell = started
            .inspect_err(|error| {
                tracing::warn!(%error, "if this process is killed, upstreams may go on running");
            })
            .ok();
    }
}

#[cfg(unix)]
mod shell {
    use std::io::{self, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, ChildStdin, Command, Stdio};

    /// Variables of the shell: what runs containers is found by them.
    const KEPT: [&str; 4] = ["PATH", "HOME", "DOCKER_HOST", "XDG_RUNTIME_DIR"];

    /// The shell that runs the script.
    #[derive(Debug)]
    pub(super) struct Shell {
        input: Option<ChildStdin>,
        child: Option<Child>,
    }

    impl Shell {
        pub(super) fn start(script: &str) -> io::Result<Self> {
            let mut child = Command::new("/bin/sh")
                .args(["-c", script])
                .env_clear()
                .envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
                .current_dir("/")
                .process_group(0)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            Ok(Self { input: child.stdin.take(), child: Some(child) })
        }

        /// Writes a few bytes, for which the pipe has room.
        pub(super) fn tell(&mut self, line: &str) -> io::Result<()> {
            let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            input.write_all(line.as_bytes())
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            self.input = None;
            if let Some(mut child) = self.child.take() {
                // Without its input it ends soon. The system keeps it until someone has waited for it.
                std::thread::spawn(move || child.wait());
            }
        }
    }
}
