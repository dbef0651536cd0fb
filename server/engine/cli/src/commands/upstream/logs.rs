//! `upstream logs`: what an upstream has said, and its states.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::Chosen;
use crate::exit::Exit;
use crate::output;
use toolwrit_gateway::upstreams::log_files;

/// How often a log is looked at that is followed.
const INTERVAL: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    pub(super) name: String,
    /// Show at most so many lines.
    #[arg(long, value_name = "N", default_value = "100")]
    lines: usize,
    /// Show further lines as they are written, until the command is ended.
    #[arg(long)]
    follow: bool,
}

/// Prints the end of a log.
pub(super) fn logs(chosen: &Chosen<'_>, flags: &Flags) -> Result<(), Exit> {
    let files = log_files(&chosen.approvals, &flags.name);
    let mut last = VecDeque::with_capacity(flags.lines.min(4096));
    for file in &files {
        let Ok(file) = File::open(file) else { continue };
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            if last.len() == flags.lines {
                last.pop_front();
            }
            if flags.lines > 0 {
                last.push_back(String::from_utf8_lossy(&line).into_owned());
            }
        }
    }
    if last.is_empty() && !flags.follow {
        output::print_message("Nothing was logged yet. Servers that are running write the log.");
        return Ok(());
    }
    last.iter().try_for_each(|line| output::print(&format!("{line}\n")))?;
    if flags.follow { follow(&files[1]) } else { Ok(()) }
}

/// Prints what is added to a file, also after another one has taken its place.
fn follow(path: &Path) -> Result<(), Exit> {
    let size = |path: &Path| path.metadata().map_or(0, |found| found.len());
    let mut read = size(path);
    loop {
        sleep(INTERVAL);
        let now = size(path);
        if now < read {
            read = 0;
        }
        if now > read {
            let text = part(path, read, now - read).unwrap_or_default();
            output::print(&text)?;
            read = now;
        }
    }
}

fn part(path: &Path, from: u64, bytes: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut text = Vec::new();
    file.take(bytes).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
