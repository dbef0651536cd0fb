//! A vault in a temporary folder with bases in it.

use std::fs;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value;
use tempfile::TempDir;
use toolwrit_dataview::Dataview;
use toolwrit_dataview::bases::{BaseError, View, ViewOptions, view};
use toolwrit_vault::{Vault, VaultPath};

/// When all files were changed last: 2024-03-03T12:00:00Z.
const MODIFIED: u64 = 1_709_467_200;
/// The current time: 2024-03-06T10:20:30Z, a Wednesday.
const NOW: i64 = 1_709_720_430;

pub(crate) struct Sandbox {
    folder: TempDir,
    dataview: Dataview,
}

impl Sandbox {
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let dataview = Dataview::new(Vault::open(folder.path()).unwrap());
        let sandbox = Self { folder, dataview };
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let place = self.folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, text).unwrap();
        let file = fs::File::options().write(true).open(&place).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(MODIFIED)).unwrap();
    }

    pub(crate) fn run(
        &self,
        path: &str,
        name: Option<&str>,
        options: &ViewOptions,
    ) -> Result<View, BaseError> {
        view(&self.dataview, &VaultPath::parse(path).unwrap(), name, options, &|| false)
    }

    pub(crate) fn view(&self, path: &str, name: Option<&str>) -> View {
        self.run(path, name, &options()).unwrap()
    }

    /// Why a view has no result.
    pub(crate) fn error(&self, path: &str, name: Option<&str>) -> BaseError {
        self.run(path, name, &options()).unwrap_err()
    }
}

/// All rows at the fixed time, in UTC.
pub(crate) fn options() -> ViewOptions {
    let now = Zoned::new(Timestamp::from_second(NOW).unwrap(), TimeZone::UTC);
    // A busy machine needs longer than a view may usually take.
    ViewOptions { now, time: Duration::from_mins(2), ..ViewOptions::default() }
}

/// The paths of the rows.
pub(crate) fn paths(view: &View) -> Vec<&str> {
    view.rows.iter().map(|row| row.path.as_str()).collect()
}

/// The values of the rows.
pub(crate) fn values(view: &View) -> Value {
    let row = |values: &[toolwrit_dataview::Value]| -> Value {
        values.iter().map(toolwrit_dataview::Value::to_json).collect()
    };
    view.rows.iter().map(|row_of| row(&row_of.values)).collect()
}

/// The error of a base that consists of a text.
pub(crate) fn invalid(base: &str) -> String {
    Sandbox::with_files(&[("B.base", base)]).error("B.base", None).to_string()
}
