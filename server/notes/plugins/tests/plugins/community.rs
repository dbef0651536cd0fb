//! What shows that community plugins have changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwrit_plugins::community::{CommunityPlugins, PluginsStamp};
use toolwrit_vault::Vault;

const ENABLED: &str = "community-plugins.json";
const MANIFEST: &str = "plugins/dv/manifest.json";
const DATAVIEW: &str = r#"{"id": "dataview", "version": "0.5.68"}"#;
const UPDATED: &str = r#"{"id": "dataview", "version": "0.5.70"}"#;

struct Config {
    folder: TempDir,
    vault: Vault,
}

impl Config {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(".obsidian/plugins")).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        Self { folder, vault }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(".obsidian").join(path)
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self) -> (CommunityPlugins, PluginsStamp) {
        (CommunityPlugins::read(&self.vault), PluginsStamp::read(&self.vault))
    }
}

fn set_modified(path: &Path, time: std::time::SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Whatever changes what detection reads also changes the stamp, although the folder of plugins stays as it is.
#[test]
fn each_change_of_the_plugins_changes_their_stamp() {
    let config = Config::new();
    config.put("plugins/dv/main.js", "");
    let changes: [(&str, &dyn Fn()); 8] = [
        ("a manifest arrives", &|| config.put(MANIFEST, DATAVIEW)),
        ("a manifest breaks", &|| config.put(MANIFEST, "{")),
        ("a manifest is mended", &|| config.put(MANIFEST, DATAVIEW)),
        ("a manifest is replaced by one of the same size and time", &|| {
            let modified = fs::metadata(config.path(MANIFEST)).unwrap().modified().unwrap();
            config.put("next.json", UPDATED);
            set_modified(&config.path("next.json"), modified);
            fs::rename(config.path("next.json"), config.path(MANIFEST)).unwrap();
        }),
        ("a plugin is enabled", &|| config.put(ENABLED, r#"["dataview"]"#)),
        ("a manifest is written over", &|| {
            let modified = fs::metadata(config.path(MANIFEST)).unwrap().modified().unwrap();
            config.put(MANIFEST, DATAVIEW);
            set_modified(&config.path(MANIFEST), modified + std::time::Duration::from_secs(1));
        }),
        ("a manifest goes", &|| fs::remove_file(config.path(MANIFEST)).unwrap()),
        ("a plugin is installed", &|| config.put("plugins/x/manifest.json", r#"{"id": "x"}"#)),
    ];
    let mut last = config.read();
    for (what, change) in changes {
        assert_eq!(config.read(), last, "before: {what}");
        change();
        let now = config.read();
        assert_ne!(now.0, last.0, "{what}");
        assert_ne!(now.1, last.1, "{what}");
        last = now;
    }
}
