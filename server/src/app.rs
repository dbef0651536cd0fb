//! The state behind the handlers: the vault that the operator named.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use toolwrit::Check;
use toolwrit_vault::Vault;

use crate::{diagnosis, sample};

/// The application: one open vault.
pub(crate) struct Vaults {
    pub(crate) vault: Vault,
}

/// Flags that the application adds to commands that touch the vault.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of notes. Without it: the current folder if it holds `.obsidian`, else a sample
    /// vault, which is created and named.
    #[arg(long, env = "TOOLWRIT_VAULT", value_name = "DIR")]
    vault: Option<PathBuf>,
}

impl toolwrit::App for Vaults {
    type Options = Options;

    fn open(options: Options) -> Result<Self, Box<dyn Error>> {
        let folder = match options.vault {
            Some(folder) => folder,
            None => choose()?,
        };
        let vault =
            Vault::open(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { vault })
    }

    fn diagnose(&self) -> Vec<Check> {
        diagnosis::checks(&self.vault)
    }
}

/// The vault for an operator who names none. Says on standard error which one it is.
#[expect(clippy::print_stderr, reason = "the operator is told which vault is served")]
fn choose() -> io::Result<PathBuf> {
    let here = std::env::current_dir()?;
    if here.join(".obsidian").is_dir() {
        eprintln!("Serving the vault in {}", here.display());
        return Ok(here);
    }
    let folder = sample::vault()?;
    eprintln!("Serving the sample vault in {}; --vault DIR serves your own", folder.display());
    Ok(folder)
}
