//! The laboratory: handlers that wait, block, panic and overflow, to test how the engine reacts.

mod blocking;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use std::time::Duration;

use toolwrit::{
    Answered, BoxFuture, Context, Fault, Form, Input, Probe, Provider, Reason, Result, Roots,
    Sampling, Unavailable,
};

use blocking::{Gate, Meetings};

toolwrit::authority!("authority.yaml");

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Default)]
pub(crate) struct Lab {
    running: Arc<AtomicI64>,
    peak: AtomicI64,
    stopped: Arc<AtomicI64>,
    stamps: AtomicI64,
    count: Arc<AtomicI64>,
    bench: Arc<Bench>,
    tries: AtomicI64,
    meetings: Arc<Meetings>,
    gate: Arc<Gate>,
}

impl toolwrit::App for Lab {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn Error>> {
        Ok(Self::default())
    }

    fn setup(&self) -> toolwrit::Setup {
        toolwrit::Setup::new().provider(self.bench.clone())
    }
}

/// A bench that can be carried away.
#[derive(Default)]
struct Bench {
    is_gone: AtomicBool,
}

impl Provider for Bench {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        let probe = if self.is_gone.load(SeqCst) {
            Probe::Unavailable(Unavailable::new(
                Reason::NotInstalled,
                "It was carried away.",
                "Carry it in with `lab.furnish`.",
            ))
        } else {
            Probe::Available { version: None }
        };
        Box::pin(async move { Ok(probe) })
    }
}

/// Counts a handler as running until it ends or is dropped.
struct Running(Arc<AtomicI64>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Lab {
    fn run(&self) -> Running {
        let now = self.running.fetch_add(1, SeqCst) + 1;
        self.peak.fetch_max(now, SeqCst);
        Running(self.running.clone())
    }

    /// Counts, reports it, and waits.
    async fn count(&self, cx: &Context, by: i64, wait: i64) -> i64 {
        let count = self.count.fetch_add(by, SeqCst) + by;
        cx.progress(1.0, None, Some("counted"));
        tokio::time::sleep(millis(wait)).await;
        count
    }

    /// Blocks a thread until the call is cancelled or times out, and reports it.
    async fn block(&self, cx: &Context) -> Result<String> {
        let (running, stopped, reports) = (self.running.clone(), self.stopped.clone(), cx.clone());
        cx.blocking(move |cancelled| {
            running.fetch_add(1, SeqCst);
            let own = Running(running);
            reports.progress(0.0, None, Some("lingering"));
            while !cancelled() {
                std::thread::yield_now();
            }
            // Who sees that it has stopped sees that it does not run.
            drop(own);
            stopped.fetch_add(1, SeqCst);
            Ok(String::new())
        })
        .await
    }
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

impl lab::Handlers for Lab {
    async fn echo(&self, _: &Context, p: lab::Echo) -> Result<lab::EchoResult> {
        Ok(types::Echo { text: p.text })
    }

    async fn wait(&self, cx: &Context, p: lab::Wait) -> Result<lab::WaitResult> {
        let _running = self.run();
        for step in 1..=p.steps {
            tokio::time::sleep(millis(p.millis / p.steps)).await;
            #[expect(clippy::cast_precision_loss, reason = "at most a hundred")]
            cx.progress(step as f64, Some(p.steps as f64), Some("waiting"));
        }
        Ok("waited".to_owned())
    }

    async fn chatter(&self, cx: &Context, p: lab::Chatter) -> Result<lab::ChatterResult> {
        let message = "chatter ".repeat(32);
        for report in 1..=p.reports {
            #[expect(clippy::cast_precision_loss, reason = "at most a million")]
            cx.progress(report as f64, None, Some(&message));
        }
        Ok("said".to_owned())
    }

    async fn hasty(&self, _: &Context, p: lab::Hasty) -> Result<lab::HastyResult> {
        tokio::time::sleep(millis(p.millis)).await;
        Ok("waited".to_owned())
    }

    async fn grind(&self, cx: &Context, _: lab::Grind) -> Result<lab::GrindResult> {
        self.block(cx).await
    }

    async fn linger(&self, cx: &Context, _: lab::Linger) -> Result<lab::LingerResult> {
        self.block(cx).await
    }

    async fn hold(&self, _: &Context, p: lab::Hold) -> Result<lab::HoldResult> {
        let (meetings, most) = (self.meetings.clone(), millis(p.millis));
        Ok(meetings.attend(most).to_owned())
    }

    async fn stall(&self, cx: &Context, p: lab::Stall) -> Result<lab::StallResult> {
        let _running = self.run();
        cx.progress(0.0, None, Some("blocks its thread next"));
        if p.woken {
            tokio::time::sleep(millis(1)).await;
        }
        self.gate.pass();
        Ok("released".to_owned())
    }

    async fn alone(&self, _: &Context, p: lab::Alone) -> Result<lab::AloneResult> {
        let _running = self.run();
        tokio::time::sleep(millis(p.millis)).await;
        Ok("waited".to_owned())
    }

    async fn tally(&self, _: &Context, _: lab::Tally) -> Result<lab::TallyResult> {
        let running = self.running.load(SeqCst);
        let (peak, stopped) = (self.peak.load(SeqCst), self.stopped.load(SeqCst));
        Ok(types::Tally { running, peak, stopped })
    }

    async fn stamp(&self, _: &Context, _: lab::Stamp) -> Result<lab::StampResult> {
        Ok(types::Stamp { run: self.stamps.fetch_add(1, SeqCst) })
    }

    async fn touch(&self, _: &Context, p: lab::Touch) -> Result<lab::TouchResult> {
        tokio::time::sleep(millis(p.millis)).await;
        Ok("touched".to_owned())
    }

    async fn panic(&self, _: &Context, p: lab::Panic) -> Result<lab::PanicResult> {
        panic!("the handler fell over {}", p.secret);
    }

    async fn defect(&self, _: &Context, p: lab::Defect) -> Result<lab::DefectResult> {
        Err(Fault::internal(format!("/etc/{}", p.secret)))
    }

    async fn text(&self, _: &Context, p: lab::Text) -> Result<lab::TextResult> {
        Ok("é".repeat(usize::try_from(p.bytes / 2).unwrap_or_default()))
    }

    async fn items(&self, _: &Context, p: lab::Items) -> Result<lab::ItemsResult> {
        Ok(types::Items { items: (0..p.count).map(|n| format!("item {n}")).collect() })
    }

    async fn pages(&self, _: &Context, p: lab::Pages) -> Result<lab::PagesResult> {
        Ok(types::Items { items: (0..p.count).map(|n| format!("item {n}")).collect() })
    }

    async fn records(&self, _: &Context, p: lab::Records) -> Result<lab::RecordsResult> {
        let bytes = |n| if p.huge == Some(n) { 60_000 } else { p.bytes };
        let item = |n| format!("{n:<width$}", width = usize::try_from(bytes(n)).unwrap_or(1));
        Ok(types::Items { items: (0..p.count).map(item).collect() })
    }

    async fn twins(&self, _: &Context, p: lab::Twins) -> Result<lab::TwinsResult> {
        let text = "é".repeat(usize::try_from(p.bytes / 2).unwrap_or_default());
        let items = (0..p.count).map(|n| format!("item {n}")).collect();
        Ok(types::Twins { left: text.clone(), right: text, both: types::Items { items } })
    }

    async fn digits(&self, _: &Context, p: lab::Digits) -> Result<lab::DigitsResult> {
        Ok((0..p.count).map(|n| (n.to_string(), n)).collect())
    }

    async fn point(&self, _: &Context, p: lab::Point) -> Result<lab::PointResult> {
        Ok(types::Point { x: p.x, y: 2, label: Some("here".to_owned()) })
    }

    async fn names(&self, _: &Context, _: lab::Names) -> Result<lab::NamesResult> {
        Ok(vec!["one".to_owned(), "two".to_owned()])
    }

    async fn shapes(&self, _: &Context, p: lab::Shapes) -> Result<lab::ShapesResult> {
        Ok(format!("{p:?}"))
    }

    async fn clash(&self, _: &Context, p: lab::Clash) -> Result<lab::ClashResult> {
        Ok(format!("{p:?}"))
    }

    async fn steps(&self, _: &Context, p: lab::Steps) -> Result<lab::StepsResult> {
        Ok(format!("{p:?}"))
    }

    async fn shelve(&self, _: &Context, p: lab::Shelve) -> Result<lab::ShelveResult> {
        Ok(types::Shelved { thing: p.thing, shelf: p.shelf })
    }

    async fn shelved(&self, _: &Context, p: lab::Shelved) -> Result<lab::ShelvedResult> {
        Ok(types::Found { thing: p.thing, shelf: format!("{:?}", p.shelf) })
    }

    async fn unshelve(&self, _: &Context, p: lab::Unshelve) -> Result<lab::UnshelveResult> {
        Ok(types::Found { thing: p.thing, shelf: "none".to_owned() })
    }

    async fn count(&self, cx: &Context, p: lab::Count) -> Result<lab::CountResult> {
        let count = self.count(cx, p.by, p.millis).await;
        match p.fail {
            None => Ok(count),
            Some(lab::CountFail::NotFound) => Err(Fault::not_found(format!("Not at {count}."))),
            Some(lab::CountFail::Upstream) => Err(Fault::upstream(format!("Not at {count}."))),
        }
    }

    async fn jot(&self, cx: &Context, _: lab::Jot) -> Result<lab::JotResult> {
        let count = self.count.clone();
        cx.blocking(move |_| Ok(count.fetch_add(1, SeqCst) + 1)).await
    }

    async fn late(&self, cx: &Context, _: lab::Late) -> Result<lab::LateResult> {
        let (gate, stopped) = (self.gate.clone(), self.stopped.clone());
        cx.blocking(move |_| {
            gate.pass();
            stopped.fetch_add(1, SeqCst);
            Ok("late".to_owned())
        })
        .await
    }

    async fn release(&self, _: &Context, _: lab::Release) -> Result<lab::ReleaseResult> {
        self.gate.open();
        Ok("released".to_owned())
    }

    async fn assign(&self, cx: &Context, p: lab::Assign) -> Result<lab::AssignResult> {
        Ok(self.count(cx, 1, p.millis).await)
    }

    async fn enrol(&self, _: &Context, p: lab::Enrol) -> Result<lab::EnrolResult> {
        Ok(format!("{} accounts", 1 + p.others.map_or(0, |others| others.len())))
    }

    async fn scrap(&self, cx: &Context, p: lab::Scrap) -> Result<lab::ScrapResult> {
        if p.dry_run {
            return Ok(self.count.load(SeqCst));
        }
        if p.ask {
            cx.ask("why", &Form::new("Why?")).await?;
        }
        Ok(self.count(cx, 1, 0).await)
    }

    async fn greet(&self, cx: &Context, _: lab::Greet) -> Result<lab::GreetResult> {
        let form = Form::new("What is your name?").input("name", Input::text());
        let Answered::Accepted(answer) = cx.ask("name", &form).await? else {
            return Ok("Nobody here.".to_owned());
        };
        let name = answer["name"].as_str().unwrap_or_default();
        let form = Form::new("Which colour?").input("colour", Input::one_of(&["red", "green"]));
        match cx.ask("colour", &form).await? {
            Answered::Accepted(answer) => Ok(format!("{name} likes {}.", answer["colour"])),
            Answered::Declined | Answered::Cancelled => Ok(format!("{name} likes nothing.")),
        }
    }

    async fn brew(&self, cx: &Context, p: lab::Brew) -> Result<lab::BrewResult> {
        cx.progress(0.0, None, Some("brewing"));
        tokio::time::sleep(millis(p.millis)).await;
        match p.fail {
            None => Ok(self.count(cx, 1, 0).await),
            Some(lab::BrewFail::NotFound) => Err(Fault::not_found("No leaves.")),
            Some(lab::BrewFail::Panic) => panic!("the pot broke"),
        }
    }

    async fn toil(&self, cx: &Context, _: lab::Toil) -> Result<lab::ToilResult> {
        Ok(self.count(cx, 1, 0).await)
    }

    async fn cast(&self, cx: &Context, _: lab::Cast) -> Result<lab::CastResult> {
        let form = Form::new("Which metal?").input("metal", Input::text());
        let Answered::Accepted(_) = cx.ask("metal", &form).await? else {
            return Err(Fault::cancelled("No metal."));
        };
        cx.begin_task()?;
        let form = Form::new("Which colour?").input("colour", Input::one_of(&["red", "green"]));
        cx.ask("colour", &form).await?;
        Ok(self.count(cx, 1, 0).await)
    }

    async fn melt(&self, cx: &Context, _: lab::Melt) -> Result<lab::MeltResult> {
        if cx.can_ask(Roots) {
            cx.ask("folders", &Roots).await?;
        }
        cx.begin_task()?;
        Ok(self.count(cx, 1, 0).await)
    }

    async fn consult(&self, cx: &Context, _: lab::Consult) -> Result<lab::ConsultResult> {
        let sampling = Sampling::new("The capital of France?", 20);
        cx.ask_together([("capital", sampling.clone().into()), ("folders", Roots.into())]).await?;
        let capital = cx.ask("capital", &sampling).await?.text;
        let folders = cx.ask("folders", &Roots).await?.len();
        Ok(format!("{capital}, {folders}"))
    }

    async fn flaky(&self, _: &Context, p: lab::Flaky) -> Result<lab::FlakyResult> {
        let tries = self.tries.fetch_add(1, SeqCst) + 1;
        if tries > p.failures {
            self.tries.store(0, SeqCst);
            return Ok(tries);
        }
        let fault = match p.code {
            lab::FlakyCode::NotFound => Fault::not_found("Gone."),
            lab::FlakyCode::Upstream => Fault::upstream("Not yet."),
            lab::FlakyCode::Spent => Fault::upstream("Never.").retryable(false),
        };
        Err(match p.after {
            Some(seconds) => fault.retry_after(seconds),
            None => fault,
        })
    }

    async fn trace(&self, cx: &Context, _: lab::Trace) -> Result<lab::TraceResult> {
        Ok(cx.traceparent().unwrap_or_else(|| "none".to_owned()))
    }

    async fn caller(&self, cx: &Context, _: lab::Caller) -> Result<lab::CallerResult> {
        Ok(serde_json::json!({
            "principal": cx.principal().as_str(),
            "role": cx.role(),
            "scopes": cx.scopes(),
            "subject": cx.claim("sub"),
            "claims": cx.claims().map(|(name, _)| name).collect::<Vec<_>>(),
            "client": cx.client().map(|client| [client.name(), client.version()]),
            "surface": cx.surface().map(toolwrit::SurfaceKind::as_str),
            "request": cx.request_id().map(ToString::to_string),
        }))
    }

    async fn tried(&self, _: &Context, _: lab::Tried) -> Result<lab::TriedResult> {
        Ok(self.tries.load(SeqCst))
    }

    async fn furnish(&self, _: &Context, p: lab::Furnish) -> Result<lab::FurnishResult> {
        self.bench.is_gone.store(!p.bench, SeqCst);
        Ok("furnished".to_owned())
    }

    async fn measure(&self, _: &Context, _: lab::Measure) -> Result<lab::MeasureResult> {
        Ok("measured".to_owned())
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<Lab>>()
}
