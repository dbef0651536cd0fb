//! The settings of the core plugin Daily notes and of the plugin Periodic Notes.

use jiff::civil::Weekday;
use serde_json::Value as Json;
use toolwrit_vault::Vault;

use super::{Period, PeriodicError};
use crate::community::CommunityPlugins;

const PERIODIC: &str = "periodic-notes";
const CALENDAR: &str = "calendar";

/// The settings of the notes of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PeriodSettings {
    pub(super) period: Period,
    pub(super) folder: String,
    pub(super) format: String,
    pub(super) template: Option<String>,
    /// The first day of a week. `gggg` and `ww` in formats depend on it.
    pub(super) first_weekday: Weekday,
}

impl PeriodSettings {
    /// Reads the settings of a period. Daily notes are those of the core plugin, unless Periodic Notes has its own.
    ///
    /// # Errors
    /// `Off` if there are no such notes, `Settings`.
    pub(super) fn read(vault: &Vault, period: Period) -> Result<Self, PeriodicError> {
        let plugins = CommunityPlugins::read(vault);
        let is_on = |id| plugins.find_plugin(id).is_some_and(|plugin| plugin.is_enabled);
        let data = |id| {
            let saved = if is_on(id) { vault.plugin_settings(id) } else { Ok(None) };
            saved.map(Option::unwrap_or_default).map_err(PeriodicError::Settings)
        };
        let periodic = data(PERIODIC)?;
        let own = find_period(&periodic, period);
        let saved = if own["enabled"].as_bool() == Some(true) {
            own.clone()
        } else if period == Period::Day {
            let core = vault.core_plugin_settings("daily-notes");
            core.map_err(PeriodicError::Settings)?.unwrap_or_default()
        } else {
            return Err(PeriodicError::Off(describe_switch(period, is_on(PERIODIC))));
        };
        let text = |key: &str| {
            let value = saved[key].as_str().map(str::trim).filter(|value| !value.is_empty());
            value.map(str::to_owned)
        };
        let app = vault.app_settings().map_err(PeriodicError::Settings)?.unwrap_or_default();
        let first_weekday = match read_weekday(&app["weekStart"]) {
            Some(weekday) => weekday,
            None => read_weekday(&data(CALENDAR)?["weekStart"]).unwrap_or(Weekday::Sunday),
        };
        Ok(Self {
            period,
            folder: text("folder").unwrap_or_default().trim_matches('/').to_owned(),
            format: text("format").unwrap_or_else(|| usual_format(period).to_owned()),
            template: text("template").or_else(|| text("templatePath")),
            first_weekday,
        })
    }
}

/// What the plugin has saved for a period: version 0.0.17 under `weekly`, later ones in the active set of calendars.
fn find_period(data: &Json, period: Period) -> &Json {
    let (older, newer) = match period {
        Period::Day => ("daily", "day"),
        Period::Week => ("weekly", "week"),
        Period::Month => ("monthly", "month"),
        Period::Quarter => ("quarterly", "quarter"),
        Period::Year => ("yearly", "year"),
    };
    let sets = data["calendarSets"].as_array();
    let active = sets.into_iter().flatten().find(|set| set["id"] == data["activeCalendarSet"]);
    active.map_or(&data[older], |set| &set[newer])
}

fn usual_format(period: Period) -> &'static str {
    match period {
        Period::Day => "YYYY-MM-DD",
        Period::Week => "gggg-[W]ww",
        Period::Month => "YYYY-MM",
        Period::Quarter => "YYYY-[Q]Q",
        Period::Year => "YYYY",
    }
}

/// What the user must switch on.
fn describe_switch(period: Period, is_on: bool) -> String {
    let notes = match period {
        Period::Day => "Daily",
        Period::Week => "Weekly",
        Period::Month => "Monthly",
        Period::Quarter => "Quarterly",
        Period::Year => "Yearly",
    };
    if is_on {
        format!("the switch `{notes} Notes` in the settings of the plugin Periodic Notes is off")
    } else {
        format!(
            "the community plugin Periodic Notes, which has the switch `{notes} Notes`, is not on"
        )
    }
}

/// The day with this name; `locale` names none.
fn read_weekday(saved: &Json) -> Option<Weekday> {
    Some(match saved.as_str()?.to_ascii_lowercase().as_str() {
        "sunday" => Weekday::Sunday,
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        _ => return None,
    })
}
