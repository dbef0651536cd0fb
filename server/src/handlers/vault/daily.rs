//! `vault.daily`: daily notes.

use toolwrit::Result;
use toolwrit_plugins::Moment;
use toolwrit_plugins::daily::{self, Daily, DailyState, Day, IfAbsent};
use toolwrit_vault::{CancelCheck, Vault};

use crate::faults::daily_fault;
use crate::operations::{types, vault};

/// Finds or creates the daily note of a day.
pub(super) fn daily(
    vault: &Vault,
    p: &vault::Daily,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::DailyNote> {
    let day = Day::from(p.date.as_str());
    let if_absent = if p.dry_run { IfAbsent::Preview } else { IfAbsent::Create };
    let found = daily::daily(vault, &day, &Moment::now(), if_absent, is_cancelled);
    found.map(convert_daily).map_err(daily_fault)
}

fn convert_daily(daily: Daily) -> types::DailyNote {
    let (outcome, etag) = match daily.state {
        DailyState::Found(etag) => (types::DailyNoteOutcome::Found, Some(etag)),
        DailyState::Created(etag) => (types::DailyNoteOutcome::Created, Some(etag)),
        DailyState::Absent => (types::DailyNoteOutcome::WouldCreate, None),
    };
    types::DailyNote {
        path: daily.path.to_string(),
        date: daily.date,
        outcome,
        content: daily.content,
        etag: etag.map(|etag| etag.to_string()),
    }
}
