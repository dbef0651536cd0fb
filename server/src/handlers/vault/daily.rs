//! `vault.daily`: daily, weekly, monthly, quarterly and yearly notes.

use toolwrit::Result;
use toolwrit_plugins::Moment;
use toolwrit_plugins::periodic::{Day, IfAbsent, NoteState, Period, PeriodicNote, periodic_note};
use toolwrit_vault::{CancelCheck, Vault};

use crate::faults::periodic_fault;
use crate::operations::{types, vault};

/// Finds or creates the note of a period.
pub(super) fn daily(
    vault: &Vault,
    p: &vault::Daily,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::DailyNote> {
    let period = match p.period {
        vault::DailyPeriod::Day => Period::Day,
        vault::DailyPeriod::Week => Period::Week,
        vault::DailyPeriod::Month => Period::Month,
        vault::DailyPeriod::Quarter => Period::Quarter,
        vault::DailyPeriod::Year => Period::Year,
    };
    let day = Day::from(p.date.as_str());
    let if_absent = if p.dry_run { IfAbsent::Preview } else { IfAbsent::Create };
    let found = periodic_note(vault, (period, &day), &Moment::now(), if_absent, is_cancelled);
    found.map(convert_note).map_err(periodic_fault)
}

fn convert_note(note: PeriodicNote) -> types::DailyNote {
    let (outcome, etag) = match note.state {
        NoteState::Found(etag) => (types::DailyNoteOutcome::Found, Some(etag)),
        NoteState::Created(etag) => (types::DailyNoteOutcome::Created, Some(etag)),
        NoteState::Absent => (types::DailyNoteOutcome::WouldCreate, None),
    };
    types::DailyNote {
        path: note.path.to_string(),
        date: note.date,
        outcome,
        content: note.content,
        undo: None,
        etag: etag.map(|etag| etag.to_string()),
    }
}
