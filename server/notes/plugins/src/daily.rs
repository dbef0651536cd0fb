//! Daily notes, by the settings of the core plugin.

use serde_json::Value as Json;
use toolwrit_vault::{CancelCheck, Etag, Note, Vault, VaultError, VaultPath, WriteMode};

use crate::templater::settings::Settings;
use crate::templater::{self, TemplateError};
use toolwrit_moment::Moment;

/// The day of a daily note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Day {
    Today,
    /// The day before.
    Yesterday,
    /// The next day.
    Tomorrow,
    /// `YYYY-MM-DD`.
    Date(String),
}

impl From<&str> for Day {
    /// `today`, `yesterday`, `tomorrow` or a date.
    fn from(text: &str) -> Self {
        match text {
            "today" => Self::Today,
            "yesterday" => Self::Yesterday,
            "tomorrow" => Self::Tomorrow,
            date => Self::Date(date.to_owned()),
        }
    }
}

/// What to do about a daily note that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfAbsent {
    Create,
    /// Return what would be created, and write nothing.
    Preview,
}

/// A daily note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Daily {
    pub path: VaultPath,
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// Its text.
    pub content: String,
    /// Whether it existed.
    pub state: DailyState,
}

/// Whether a daily note existed. The etag is that of the note in the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DailyState {
    /// It existed.
    Found(Etag),
    /// It has been created.
    Created(Etag),
    /// It would be created.
    Absent,
}

/// Why there is no daily note.
#[derive(Debug, thiserror::Error)]
pub enum DailyError {
    /// The text names no day.
    #[error("`{0}` is not a valid date; expected one such as 2026-03-09")]
    NoDay(String),
    /// The settings cannot be read.
    #[error("the settings of daily notes cannot be used: {0}")]
    Settings(String),
    /// The template of daily notes fails.
    #[error("the template of daily notes fails: {0}")]
    Template(#[from] TemplateError),
    /// The vault refuses to read or to write.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// The settings of daily notes.
struct DailySettings {
    folder: String,
    format: String,
    template: Option<String>,
}

impl DailySettings {
    fn read(vault: &Vault) -> Result<Self, DailyError> {
        let saved = vault.core_plugin_settings("daily-notes").map_err(DailyError::Settings)?;
        let text = |key: &str| {
            let value = saved.as_ref().and_then(|saved| saved.get(key)).and_then(Json::as_str);
            value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        Ok(Self {
            folder: text("folder").unwrap_or_default().trim_matches('/').to_owned(),
            format: text("format").unwrap_or_else(|| "YYYY-MM-DD".to_owned()),
            template: text("template"),
        })
    }
}

/// Finds the daily note of a day. If there is none, it is created from the template of the settings, or previewed.
/// `now` is the current time.
///
/// # Errors
/// As [`DailyError`] says. Nothing is written then.
pub fn daily(
    vault: &Vault,
    day: &Day,
    now: &Moment,
    if_absent: IfAbsent,
    cancelled: CancelCheck<'_>,
) -> Result<Daily, DailyError> {
    let at = match day {
        Day::Today => now.clone(),
        Day::Yesterday => now.days_later(-1),
        Day::Tomorrow => now.days_later(1),
        Day::Date(text) => {
            Moment::parse_day(text, now).ok_or_else(|| DailyError::NoDay(text.clone()))?
        }
    };
    let settings = DailySettings::read(vault)?;
    let name = at.format(&settings.format);
    let path =
        if settings.folder.is_empty() { name } else { format!("{}/{name}", settings.folder) };
    let path = VaultPath::parse(&format!("{path}.md")).map_err(VaultError::from)?;
    let date = at.format("YYYY-MM-DD");
    match vault.read(&path, None) {
        Err(VaultError::NotFound { .. }) => {}
        note => return Ok(to_daily(note?, date)),
    }
    let content = match &settings.template {
        Some(template) => render_content(vault, template, &path, (&at, now), cancelled)?,
        None => String::new(),
    };
    if if_absent == IfAbsent::Preview {
        return Ok(Daily { path, date, content, state: DailyState::Absent });
    }
    match vault.write(&path, &content, WriteMode::CreateOnly, None) {
        // Another program has created it meanwhile.
        Err(VaultError::AlreadyExists { .. }) => Ok(to_daily(vault.read(&path, None)?, date)),
        written => {
            let written = written?;
            let state = DailyState::Created(written.etag);
            Ok(Daily { path: written.path, date, content, state })
        }
    }
}

fn to_daily(note: Note, date: String) -> Daily {
    Daily { path: note.path, date, content: note.content, state: DailyState::Found(note.etag) }
}

/// The text of a new note: the template with its placeholders replaced, and with the commands of Templater
/// run if Templater runs in new notes.
fn render_content(
    vault: &Vault,
    template: &str,
    path: &VaultPath,
    (at, now): (&Moment, &Moment),
    cancelled: CancelCheck<'_>,
) -> Result<String, DailyError> {
    let template = VaultPath::parse(template.trim_matches('/')).map_err(VaultError::from)?;
    let note = vault.read(&template, None)?;
    let settings = Settings::read(vault).map_err(DailyError::Settings)?.unwrap_or_default();
    let text = settings.placeholders.fill(&note.content, path.stem(), at);
    if !settings.on_creation {
        return Ok(text);
    }
    Ok(templater::render_new(vault, &settings, &note.path, &text, (path, now), cancelled)?)
}
