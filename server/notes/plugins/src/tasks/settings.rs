//! The settings of the plugin Tasks.

use serde_json::Value as Json;
use toolwrit_vault::Vault;

use super::fields::TaskFormat;
use crate::community::CommunityPlugins;

const TASKS: &str = "obsidian-tasks-plugin";
/// The most statuses that are read.
const MOST: usize = 500;

/// How tasks are changed in a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSettings {
    /// The plugin, if it is switched on.
    pub(super) plugin: Option<PluginSettings>,
    statuses: Vec<Status>,
}

/// What the plugin does beyond changing the status.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the plugin")]
pub(super) struct PluginSettings {
    pub(super) format: TaskFormat,
    pub(super) sets_done_date: bool,
    pub(super) sets_cancelled_date: bool,
    pub(super) sets_created_date: bool,
    pub(super) next_below: bool,
    pub(super) drops_scheduled: bool,
    /// The text that a task of the plugin has; empty if each task is one.
    filter: String,
}

/// What a status means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusKind {
    /// Not begun.
    Todo,
    /// Begun.
    InProgress,
    /// Completed.
    Done,
    /// Not to be done.
    Cancelled,
    /// No task.
    NonTask,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Status {
    symbol: char,
    next: char,
    kind: StatusKind,
}

impl TaskSettings {
    /// Reads the settings of a vault. Without the plugin, a change of a task changes only its box.
    ///
    /// # Errors
    /// Which file cannot be read, and why.
    pub fn read(vault: &Vault) -> Result<Self, String> {
        let plugins = CommunityPlugins::read(vault);
        if !plugins.find_plugin(TASKS).is_some_and(|plugin| plugin.is_enabled) {
            return Ok(Self { plugin: None, statuses: Vec::new() });
        }
        let data = vault.plugin_settings(TASKS)?.unwrap_or_default();
        let statuses = ["coreStatuses", "customStatuses"].into_iter().flat_map(|list| {
            let list = data["statusSettings"][list].as_array();
            list.into_iter().flatten().filter_map(read_status)
        });
        let statuses = statuses.take(MOST).collect();
        Ok(Self { plugin: Some(PluginSettings::from_data(&data)), statuses })
    }

    /// The format of the fields of tasks.
    pub fn format(&self) -> TaskFormat {
        self.plugin.as_ref().map(|plugin| plugin.format).unwrap_or_default()
    }

    /// What a status means.
    pub fn kind(&self, symbol: char) -> StatusKind {
        self.find(symbol).map_or_else(|| default_kind(symbol), |status| status.kind)
    }

    /// The status after a toggle.
    pub(super) fn next(&self, symbol: char) -> char {
        let next = self.find(symbol).map(|status| status.next);
        next.unwrap_or(match (symbol, &self.plugin) {
            ('x' | 'X', _) => ' ',
            (' ', _) | (_, Some(_)) => 'x',
            // Obsidian itself clears any box that is not empty.
            (_, None) => ' ',
        })
    }

    /// The status of a new occurrence of a task that got this one.
    pub(super) fn next_occurrence(&self, symbol: char) -> char {
        let mut next = self.next(symbol);
        for _ in 0..=self.statuses.len() {
            if matches!(self.kind(next), StatusKind::Todo | StatusKind::InProgress) {
                return next;
            }
            next = self.next(next);
        }
        ' '
    }

    /// The status that means this: the usual one, otherwise the first.
    pub(super) fn symbol(&self, kind: StatusKind, usual: char) -> char {
        if self.kind(usual) == kind {
            return usual;
        }
        let found = self.statuses.iter().find(|status| status.kind == kind);
        found.map_or(usual, |status| status.symbol)
    }

    fn find(&self, symbol: char) -> Option<&Status> {
        self.statuses.iter().find(|status| status.symbol == symbol)
    }
}

impl PluginSettings {
    fn from_data(data: &Json) -> Self {
        let flag = |key: &str, default: bool| data[key].as_bool().unwrap_or(default);
        let format = match data["taskFormat"].as_str() {
            Some("dataview") => TaskFormat::Dataview,
            _ => TaskFormat::Emoji,
        };
        Self {
            format,
            sets_done_date: flag("setDoneDate", true),
            sets_cancelled_date: flag("setCancelledDate", true),
            sets_created_date: flag("setCreatedDate", false),
            next_below: flag("recurrenceOnNextLine", false),
            drops_scheduled: flag("removeScheduledDateOnRecurrence", false),
            filter: data["globalFilter"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// Whether a text is that of a task of the plugin.
    pub(super) fn covers(&self, body: &str) -> bool {
        let filter = self.filter.trim();
        if filter.starts_with('#') {
            // A tag counts only as a whole, and with the tags nested in it.
            let ends =
                |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "_-".contains(c));
            return body.match_indices(filter).any(|(at, _)| ends(&body[at + filter.len()..]));
        }
        body.contains(filter)
    }
}

fn read_status(json: &Json) -> Option<Status> {
    let character = |key: &str| {
        let mut characters = json[key].as_str()?.chars();
        characters.next().filter(|_| characters.next().is_none())
    };
    let symbol = character("symbol")?;
    let kind = match json["type"].as_str() {
        Some("TODO" | "ON_HOLD") => StatusKind::Todo,
        Some("IN_PROGRESS") => StatusKind::InProgress,
        Some("DONE") => StatusKind::Done,
        Some("CANCELLED") => StatusKind::Cancelled,
        Some("NON_TASK") => StatusKind::NonTask,
        _ => default_kind(symbol),
    };
    Some(Status { symbol, next: character("nextStatusSymbol").unwrap_or('x'), kind })
}

fn default_kind(symbol: char) -> StatusKind {
    match symbol {
        'x' | 'X' => StatusKind::Done,
        '/' => StatusKind::InProgress,
        '-' => StatusKind::Cancelled,
        _ => StatusKind::Todo,
    }
}
