//! A ledger for tests of several servers that share a folder. It writes a line before it answers, so that every answer has its
//! line, and a call that is done twice has two.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::time::Duration;

use toolwrit::{Answered, Context, Fault, Form, Input, ResourceContents, Result, Updates};

toolwrit::authority!("authority.yaml");

#[derive(toolwrit::clap::Args)]
#[command(next_help_heading = "Ledger")]
struct Options {
    /// The folder of the ledger.
    #[arg(long, env = "LEDGER_FOLDER", value_name = "DIR")]
    folder: PathBuf,
}

struct Ledger {
    lines: PathBuf,
    counted: AtomicI64,
    updates: Updates,
}

impl toolwrit::App for Ledger {
    type Options = Options;

    async fn open(options: Options, updates: Updates) -> std::result::Result<Self, Box<dyn Error>> {
        let lines = options.folder.join("lines");
        Ok(Self { lines, counted: AtomicI64::new(0), updates })
    }
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

fn unreadable(error: &io::Error) -> Fault {
    Fault::internal(format!("the ledger: {error}"))
}

impl Ledger {
    /// Writes a line in one step, as several processes do at once.
    fn write(&self, line: String) -> Result<types::Line> {
        let file = File::options().create(true).append(true).open(&self.lines);
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|error| unreadable(&error))?;
        self.updates.resource("ledger://lines");
        Ok(types::Line { line, by: std::process::id().into() })
    }

    /// Asks for a name, and writes it.
    async fn sign(&self, cx: &Context) -> Result<types::Line> {
        let form = Form::new("What is your name?").input("name", Input::text());
        match cx.ask("name", &form).await? {
            Answered::Accepted(answer) => {
                self.write(answer["name"].as_str().unwrap_or_default().to_owned())
            }
            Answered::Declined | Answered::Cancelled => Err(Fault::cancelled("No name.")),
        }
    }

    fn read(&self) -> Result<Vec<String>> {
        match fs::read_to_string(&self.lines) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

impl ledger::Handlers for Ledger {
    async fn append(&self, cx: &Context, p: ledger::Append) -> Result<ledger::AppendResult> {
        let written = self.write(p.line)?;
        cx.progress(0.0, None, Some("written"));
        tokio::time::sleep(millis(p.millis)).await;
        Ok(written)
    }

    async fn put(&self, cx: &Context, p: ledger::Put) -> Result<ledger::PutResult> {
        let written = self.write(p.line)?;
        cx.progress(0.0, None, Some("written"));
        tokio::time::sleep(millis(p.millis)).await;
        Ok(written)
    }

    async fn strike(&self, _: &Context, p: ledger::Strike) -> Result<ledger::StrikeResult> {
        self.write(format!("not {}", p.line))
    }

    async fn sign(&self, cx: &Context, _: ledger::Sign) -> Result<ledger::SignResult> {
        self.sign(cx).await
    }

    async fn countersign(
        &self,
        cx: &Context,
        _: ledger::Countersign,
    ) -> Result<ledger::CountersignResult> {
        self.sign(cx).await
    }

    async fn total(&self, _: &Context, _: ledger::Total) -> Result<ledger::TotalResult> {
        let lines = i64::try_from(self.read()?.len()).unwrap_or(i64::MAX);
        Ok(types::Total { lines, run: self.counted.fetch_add(1, SeqCst) + 1 })
    }

    async fn lines(&self, _: &Context, _: ledger::Lines) -> Result<ledger::LinesResult> {
        Ok(types::Entries { items: self.read()? })
    }

    async fn shift(&self, _: &Context, p: ledger::Shift) -> Result<ledger::ShiftResult> {
        self.write("begins".to_owned())?;
        tokio::time::sleep(millis(p.millis)).await;
        self.write("ends".to_owned())
    }

    async fn brew(&self, _: &Context, p: ledger::Brew) -> Result<ledger::BrewResult> {
        tokio::time::sleep(millis(p.millis)).await;
        self.write(p.line)
    }
}

impl clerk::Handlers for Ledger {
    async fn who(&self, _: &Context, _: clerk::Who) -> Result<clerk::WhoResult> {
        Ok(std::process::id().into())
    }

    async fn wait(&self, _: &Context, p: clerk::Wait) -> Result<clerk::WaitResult> {
        tokio::time::sleep(millis(p.millis)).await;
        Ok(std::process::id().into())
    }

    async fn panic(&self, _: &Context, _: clerk::Panic) -> Result<clerk::PanicResult> {
        panic!("the clerk fell over");
    }
}

impl resources::Handlers for Ledger {
    async fn lines(&self, _: &Context, _: resources::Lines) -> Result<resources::LinesResult> {
        Ok(ResourceContents::text(self.read()?.join("\n")))
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<Ledger>>()
}
