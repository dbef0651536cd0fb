//! Daily, weekly, monthly, quarterly and yearly notes.

mod placeholders;
mod settings;

use toolwrit_moment::{Duration, Moment, Unit};
use toolwrit_vault::{CancelCheck, Etag, Note, Vault, VaultError, VaultPath, WriteMode};

use crate::templater::settings::Settings;
use crate::templater::{self, TemplateError};
use placeholders::NoteDates;
use settings::PeriodSettings;

/// How long a periodic note lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// Which one of the periodic notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Day {
    /// That of today.
    Today,
    /// That of the day before.
    Yesterday,
    /// That of the next day.
    Tomorrow,
    /// The one before that of today.
    Previous,
    /// The one after that of today.
    Next,
    /// That of a day, `YYYY-MM-DD`.
    Date(String),
}

impl From<&str> for Day {
    /// `today`, `yesterday`, `tomorrow`, `previous`, `next` or a date.
    fn from(text: &str) -> Self {
        match text {
            "today" => Self::Today,
            "yesterday" => Self::Yesterday,
            "tomorrow" => Self::Tomorrow,
            "previous" => Self::Previous,
            "next" => Self::Next,
            date => Self::Date(date.to_owned()),
        }
    }
}

/// What to do about a periodic note that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfAbsent {
    Create,
    /// Return what would be created, and write nothing.
    Preview,
}

/// A periodic note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodicNote {
    pub path: VaultPath,
    /// Its first day, `YYYY-MM-DD`.
    pub date: String,
    /// Its text.
    pub content: String,
    /// Whether it existed.
    pub state: NoteState,
}

/// Whether a periodic note existed. The etag is that of the note in the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteState {
    /// It existed.
    Found(Etag),
    /// It has been created.
    Created(Etag),
    /// It would be created.
    Absent,
}

/// Why there is no periodic note.
#[derive(Debug, thiserror::Error)]
pub enum PeriodicError {
    /// The text names no day.
    #[error("`{0}` is not a valid date; expected one such as 2026-03-09")]
    NoDay(String),
    /// The vault has no notes of this period. The text names the switch.
    #[error("{0}")]
    Off(String),
    /// The settings cannot be read.
    #[error("the settings of periodic notes cannot be used: {0}")]
    Settings(String),
    /// The template of the note fails.
    #[error("the template of the note fails: {0}")]
    Template(#[from] TemplateError),
    /// The vault refuses to read or to write.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl Period {
    fn unit(self) -> Unit {
        match self {
            Self::Day => Unit::Day,
            Self::Week => Unit::Week,
            Self::Month => Unit::Month,
            Self::Quarter => Unit::Quarter,
            Self::Year => Unit::Year,
        }
    }
}

/// Finds a periodic note. If there is none, it is created from the template of the settings, or previewed. `now` is the
/// current time.
///
/// # Errors
/// As [`PeriodicError`] says. Nothing is written then.
pub fn periodic_note(
    vault: &Vault,
    (period, day): (Period, &Day),
    now: &Moment,
    if_absent: IfAbsent,
    cancelled: CancelCheck<'_>,
) -> Result<PeriodicNote, PeriodicError> {
    let settings = PeriodSettings::read(vault, period)?;
    let first = find_first_day(&settings, day, now)?;
    let name = first.format_in_weeks(&settings.format, settings.first_weekday);
    let path =
        if settings.folder.is_empty() { name } else { format!("{}/{name}", settings.folder) };
    let path = VaultPath::parse(&format!("{path}.md")).map_err(VaultError::from)?;
    let date = first.format("YYYY-MM-DD");
    match vault.read(&path, None) {
        Err(VaultError::NotFound { .. }) => {}
        note => return Ok(to_found(note?, date)),
    }
    let content = match &settings.template {
        Some(template) => {
            render_content(vault, &settings, template, &path, (&first, now), cancelled)?
        }
        None => String::new(),
    };
    if if_absent == IfAbsent::Preview {
        return Ok(PeriodicNote { path, date, content, state: NoteState::Absent });
    }
    match vault.write(&path, &content, WriteMode::CreateOnly, None) {
        // Another program has created it meanwhile.
        Err(VaultError::AlreadyExists { .. }) => Ok(to_found(vault.read(&path, None)?, date)),
        written => {
            let written = written?;
            let state = NoteState::Created(written.etag);
            Ok(PeriodicNote { path: written.path, date, content, state })
        }
    }
}

/// The first day of the period, at the current time of day, as Periodic Notes has it.
fn find_first_day(
    settings: &PeriodSettings,
    day: &Day,
    now: &Moment,
) -> Result<Moment, PeriodicError> {
    let (given, away) = match day {
        Day::Today => (now.clone(), 0.0),
        Day::Previous => (now.clone(), -1.0),
        Day::Next => (now.clone(), 1.0),
        Day::Yesterday => (now.days_later(-1), 0.0),
        Day::Tomorrow => (now.days_later(1), 0.0),
        Day::Date(text) => {
            let day = Moment::parse_day(text, now);
            (day.ok_or_else(|| PeriodicError::NoDay(text.clone()))?, 0.0)
        }
    };
    let start = match settings.period {
        Period::Week => given.start_of_week(settings.first_weekday),
        other => given.start_of(other.unit()),
    };
    let first = start.plus(Duration::new(away, settings.period.unit()));
    let at_clock = |day: &jiff::Zoned| day.with().time(now.zoned()?.time()).build().ok();
    let at = first.zoned().and_then(at_clock).map(Moment::from);
    at.ok_or_else(|| PeriodicError::NoDay(first.format("YYYY-MM-DD")))
}

fn to_found(note: Note, date: String) -> PeriodicNote {
    let state = NoteState::Found(note.etag);
    PeriodicNote { path: note.path, date, content: note.content, state }
}

/// The text of a new note: the template with its placeholders replaced, and with the commands of Templater
/// run if Templater runs in new notes.
fn render_content(
    vault: &Vault,
    period: &PeriodSettings,
    template: &str,
    path: &VaultPath,
    (first, now): (&Moment, &Moment),
    cancelled: CancelCheck<'_>,
) -> Result<String, PeriodicError> {
    let template = VaultPath::parse(template.trim_matches('/')).map_err(VaultError::from)?;
    let note = vault.read(&template, None)?;
    let settings = Settings::read(vault).map_err(PeriodicError::Settings)?.unwrap_or_default();
    let dates = NoteDates { first, title: path.stem(), period, usual: &settings.placeholders };
    let text = dates.fill(&note.content);
    if !settings.on_creation {
        return Ok(text);
    }
    Ok(templater::render_new(vault, &settings, &note.path, &text, (path, now), cancelled)?)
}
