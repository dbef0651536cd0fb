//! Operations that are bound to HTTP APIs, as clients see them: a blog over real sockets.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod accounts;
pub(crate) mod api;
mod command_line;
mod failures;
mod hostile;
mod surfaces;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

use api::{Blog, password};

/// The server whose operations are bound to a blog.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_blog"))
}

/// The configuration of the server, and the folder of its data.
struct Home {
    folder: TempDir,
}

impl Home {
    /// The settings of `admin`, and those of the accounts `anna` and `ben`.
    fn of(blog: &Blog) -> Self {
        Self::with(&blog.url(), &password("admin"), &password("anna"))
    }

    fn with(url: &str, admin: &str, anna: &str) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, secret) in [("admin", admin), ("anna", anna), ("ben", &password("ben"))] {
            fs::write(folder.path().join(name), secret).unwrap();
        }
        let home = Self { folder };
        // Relative to the folder of the configuration.
        let secret = |user: &str| format!("password = {{ file = {user:?} }}");
        let text = format!(
            "[providers.wordpress]\nurl = {url:?}\nuser = \"admin\"\n{}\nnetworks = [\"127.0.0.0/8\"]\n\
             [providers.wordpress.accounts.anna]\nuser = \"anna\"\n{}\n\
             [providers.wordpress.accounts.ben]\nuser = \"ben\"\n{}\n",
            secret("admin"),
            secret("anna"),
            secret("ben"),
        );
        fs::write(home.path("config.toml"), text).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The flags that every command needs, and others.
    fn flags<'a>(&self, command: &'a str, others: &[&'a str]) -> Vec<String> {
        let config = self.path("config.toml").display().to_string();
        let data = self.path("data").display().to_string();
        let own = ["--config", &config, command, "--data-dir", &data];
        own.iter().chain(others).map(|flag| (*flag).to_owned()).collect()
    }

    fn serve(&self, others: &[&str], era: Era) -> Client {
        let flags = self.flags("serve", others);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Client::connect(program(), &flags, era)
    }
}
