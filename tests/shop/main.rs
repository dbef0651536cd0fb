//! The print shop: an author's handlers for the declarations of its manifest.

use std::error::Error;
use std::io::stderr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use serde::Serialize;
use toolwrit::{Context, Fault, Page, Result};

toolwrit::authority!("authority.yaml");

/// The tray of a fault.
#[derive(Serialize)]
struct Tray {
    tray: u8,
}

#[derive(Default)]
pub(crate) struct Shop {
    counts: AtomicI64,
    prices: AtomicI64,
}

impl toolwrit::App for Shop {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn Error>> {
        Ok(Self::default())
    }
}

impl prints::Handlers for Shop {
    async fn parse(&self, _: &Context, p: prints::Parse) -> Result<prints::ParseResult> {
        Ok(p.text.parse()?)
    }

    async fn print(&self, _: &Context, p: prints::Print) -> Result<prints::PrintResult> {
        match p.empty {
            Some(prints::PrintEmpty::Ink) => Err(errors::out_of_ink("There is no black ink.")),
            Some(prints::PrintEmpty::Paper) => Err(errors::no_paper("Tray 2 is empty.")
                .with_path("/of")
                .with_details(Tray { tray: 2 })),
            None => Ok(prints::PrintResult { copies: p.copies, of: p.of, shift: p.shift }),
        }
    }

    async fn cancel(&self, _: &Context, _: prints::Cancel) -> Result<String> {
        Ok("cancelled".to_owned())
    }
}

impl stock::Handlers for Shop {
    async fn count(&self, _: &Context, _: stock::Count) -> Result<stock::CountResult> {
        Ok(self.counts.fetch_add(1, SeqCst))
    }

    async fn trays(&self, _: &Context, _: stock::Trays) -> Result<stock::TraysResult> {
        Ok(stock::TraysResult { trays: trays(), printer: "left".to_owned() })
    }

    async fn orders(&self, _: &Context, p: stock::Orders) -> Result<Page<stock::OrdersResult>> {
        let (numbers, next) = numbers(p.count, p.cursor.as_deref(), p.limit)?;
        let width = usize::try_from(p.bytes)?;
        let items = numbers.iter().map(|number| format!("{number:<width$}")).collect();
        Ok(Page { items, next, total: None })
    }

    async fn deliveries(
        &self,
        _: &Context,
        p: stock::Deliveries,
    ) -> Result<Page<stock::DeliveriesResult>> {
        let (numbers, next) = numbers(p.count, p.cursor.as_deref(), p.limit)?;
        let deliveries = numbers.iter().map(ToString::to_string).collect();
        let items = stock::DeliveriesResult { deliveries, carrier: "mail".to_owned() };
        Ok(Page { items, next, total: Some(p.count.into()) })
    }

    /// Returns the orders that it shreds, or would shred.
    async fn shred(&self, cx: &Context, p: stock::Shred) -> Result<Page<stock::ShredResult>> {
        let (numbers, next) = numbers(p.count, p.cursor.as_deref(), p.limit)?;
        let items = numbers.iter().map(ToString::to_string).collect();
        let page = Page { items, next, total: Some(p.count.into()) };
        if !p.dry_run && !cx.confirmed().covers(page.clone()) {
            return Err(Fault::conflict("The orders are not those that were confirmed."));
        }
        Ok(page)
    }

    async fn printers(&self, _: &Context, _: stock::Printers) -> Result<stock::PrintersResult> {
        Ok(vec![types::Printer { name: "left".to_owned(), trays: trays() }])
    }

    async fn prices(&self, _: &Context, _: stock::Prices) -> Result<stock::PricesResult> {
        Ok(self.prices.fetch_add(1, SeqCst))
    }
}

/// Up to `limit` of the numbers below `count`, from the start of the page, and the start of the next page.
fn numbers(count: u32, begin: Option<&str>, limit: i64) -> Result<(Vec<u32>, Option<String>)> {
    let begin = begin.map_or(Ok(0), |begin| begin.trim_start_matches("from ").parse())?;
    let end = count.min(begin + u32::try_from(limit)?);
    let next = (end < count).then(|| format!("from {end}"));
    Ok(((begin..end).collect(), next))
}

fn trays() -> Vec<types::Tray> {
    let tray = |sheets| types::Tray { paper: format!("A{sheets}"), sheets };
    (3..=5).map(tray).collect()
}

fn main() -> ExitCode {
    // The author's own log, without times.
    tracing_subscriber::fmt().without_time().with_ansi(false).with_writer(stderr).init();
    toolwrit::cli::main::<Tools<Shop>>()
}
