//! The state of the handlers: the open vaults and the web.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, json};
use toolwrit::chat::converse::settings::ChatSettings;
use toolwrit::chat::converse::{Conversations, Converses};
use toolwrit::cli::{NamedPath, NamedTable};
use toolwrit::{Code, Context, EngineFlags, Fault, Instance, Json, Setup, Updates};
use toolwrit_project::WorkspaceSettings;
use toolwrit_vault::{Folder, IndexStatus, Vault};
use toolwrit_web::{Network, Web, WebOptions};

use crate::faults::fault;
use crate::notebook::VaultNotebook;
use crate::plugins::{self, Models};
use crate::rest_api::{KEY_VARIABLE, RestApi};
use crate::served_vault::{Opening, ServedVault, VaultSettings, VaultTable, check_apart};
use crate::{diagnosis, registered_vaults, sample};

/// The application: open vaults, the Obsidian that may have the first one open, too, and the web.
pub(crate) struct Vaults {
    /// At least one. Conversations are in the first.
    served: Vec<ServedVault>,
    pub(crate) web: Web,
    /// Where the state of conversations is kept.
    chats: Option<PathBuf>,
    /// Set right after the vaults were opened, by programs that have conversations.
    pub(crate) conversations: OnceLock<Arc<Conversations>>,
}

/// Flags of the application, on all commands that open it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    engine: EngineFlags,
    /// Folder of notes, or NAME=DIR. May be repeated: each call then selects a vault by its name, and the first is the default.
    /// By default the current folder if it contains `.obsidian`, otherwise a sample vault, which is created if needed and
    /// reported on standard error.
    #[arg(long, env = "TOOLWRIT_VAULT", value_name = "DIR")]
    vault: Vec<NamedPath>,
    /// The tables `[vaults.NAME]` of the configuration file: `path`, `read_only`, `focus`, `roles`.
    #[arg(
        long,
        hide = true,
        value_name = "NAME={..}",
        value_parser = NamedTable::parser::<VaultTable>()
    )]
    vaults: Vec<NamedTable>,
    /// How many calls that changed the vault can be undone. Replaced and deleted text is kept for that, at most 30 days and
    /// 64 MiB; 0 keeps none.
    #[arg(long, env = "TOOLWRIT_UNDO", value_name = "CALLS", default_value_t = 200)]
    undo: usize,
    /// Address of Obsidian's plugin Local REST API. Used only if `TOOLWRIT_OBSIDIAN_API_KEY` contains
    /// the plugin's key.
    #[arg(
        long,
        env = "TOOLWRIT_OBSIDIAN_URL",
        value_name = "URL",
        default_value = "https://127.0.0.1:27124"
    )]
    obsidian_url: String,
    /// The plugin's self-signed certificate: a PEM file, or its SHA-256 fingerprint.
    #[arg(long, env = "TOOLWRIT_OBSIDIAN_CERT", value_name = "CERT")]
    obsidian_cert: Option<String>,
    /// Addresses that `web.fetch` may reach although they are not public: an address or a network, such as
    /// 10.0.0.0/8. May be repeated, or separated by commas.
    #[arg(long, env = "TOOLWRIT_WEB_ALLOW", value_name = "NETWORK", value_delimiter = ',')]
    web_allow: Vec<Network>,
    /// A workspace of `project.*`, the folder of one project's notes: NAME=FOLDER. May be repeated, or
    /// separated by commas; the first one is the default.
    #[arg(
        long,
        env = "TOOLWRIT_PROJECT",
        value_name = "NAME=FOLDER",
        value_delimiter = ',',
        default_value = "default=Projects",
        value_parser = parse_workspace
    )]
    project: Vec<WorkspaceSettings>,
}

impl toolwrit::App for Vaults {
    type Options = Options;

    /// Whether a vault is named, so that the sample vault is not created only to list operations.
    fn is_named(options: &Options) -> bool {
        !options.vault.is_empty() || !options.vaults.is_empty() || find_current_vault().is_some()
    }

    async fn open(options: Options, _: Updates) -> Result<Self, Box<dyn Error>> {
        let mut settings = VaultSettings::read(&options.vault, &options.vaults)?;
        if settings.is_empty() {
            settings.push(VaultSettings::at(choose_vault()?));
        }
        let rest_api = options.find_rest_api()?;
        let opening = Opening {
            read_only: options.engine.read_only,
            data: options.engine.data_dir.clone(),
            undo: options.undo,
            project: options.project,
        };
        let mut vaults = Vec::with_capacity(settings.len());
        for settings in settings {
            vaults.push(ServedVault::open(settings, &opening)?);
        }
        check_apart(&vaults)?;
        // Obsidian says nothing of the vault that its API belongs to.
        if let Some(first) = vaults.first_mut() {
            first.rest_api = rest_api;
        }
        let web = Web::new(WebOptions { allowed: options.web_allow, ..WebOptions::default() });
        let chats = options.engine.data_dir.map(|data| data.join("toolwrit/conversations"));
        Ok(Self { served: vaults, web, chats, conversations: OnceLock::new() })
    }

    fn setup(&self) -> Setup {
        let first = self.first();
        let (vault, is_sample) = (first.vault.clone(), first.is_sample);
        let locations = self.served.iter().map(|open| open.location.display().to_string());
        let locations: Vec<String> = locations.collect();
        let checked = self.served.clone();
        let folders: Vec<PathBuf> = self.served.iter().map(|open| open.location.clone()).collect();
        let for_sample = vault.clone();
        plugins::add_providers(Setup::new(), &self.served)
            .provider(Models::new(self.conversations.get()))
            .location(locations.join("\n"))
            .facts(move || facts(&vault, is_sample))
            .sample_data(move |cx| Box::pin(restore_sample(for_sample.clone(), is_sample, cx)))
            .check(move || checked.iter().flat_map(diagnosis::run_checks).collect::<Vec<_>>())
            .check(move || Vec::from_iter(registered_vaults::check(&folders, is_sample)))
    }

    fn instances(&self) -> Vec<Instance> {
        self.served.iter().map(ServedVault::instance).collect()
    }

    /// A plugin that one vault has may be missing in another.
    async fn before(&self, cx: &Context) -> Result<(), Fault> {
        match cx.required_provider() {
            Some(provider) if self.served.len() > 1 => {
                plugins::check_available(self.vault(cx), provider, cx).await
            }
            _ => Ok(()),
        }
    }
}

impl Vaults {
    /// Returns the vault that a call is about.
    pub(crate) fn vault(&self, cx: &Context) -> &ServedVault {
        self.served.get(cx.instance()).unwrap_or_else(|| self.first())
    }

    /// Returns the vault that is meant if none is named.
    fn first(&self) -> &ServedVault {
        &self.served[0]
    }
}

impl Options {
    /// Returns Obsidian's REST API, if its key is known.
    fn find_rest_api(&self) -> Result<Option<RestApi>, Box<dyn Error>> {
        // Not a flag: other users of this machine can read command lines.
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        let certificate = self.obsidian_cert.as_deref();
        Ok(key.map(|key| RestApi::new(&self.obsidian_url, certificate, &key)).transpose()?)
    }
}

/// What `introspect` says about the first vault.
fn facts(vault: &Vault, is_sample: bool) -> Map<String, Json> {
    let (index, notes) = match vault.index_status() {
        IndexStatus::NotStarted => ("not_started", None),
        IndexStatus::Building => ("building", None),
        IndexStatus::Ready { notes } => ("ready", Some(notes)),
        IndexStatus::Failed => ("failed", None),
    };
    let mut facts = json!({"name": vault.name(), "index": index, "sample": is_sample});
    if let Some(notes) = notes {
        facts["notes"] = notes.into();
    }
    Map::from_iter([("vault".to_owned(), facts)])
}

/// Restores what is missing of the sample vault.
async fn restore_sample(vault: Vault, is_sample: bool, cx: &Context) -> Result<Vec<String>, Fault> {
    if !is_sample {
        return Err(Fault::new(Code::ProviderUnavailable, "This is not the sample vault.")
            .hinting(plugins::OPEN_SAMPLE));
    }
    cx.blocking(move |_| sample::restore(&vault).map_err(fault)).await
}

impl Converses for Vaults {
    fn converse(&self, settings: ChatSettings) -> Arc<Conversations> {
        let new = || {
            let ServedVault { vault, location, .. } = self.first();
            let notebook = Arc::new(VaultNotebook::new(vault.clone(), location.clone()));
            let location = location.to_string_lossy().into_owned();
            let folder = self.chats.clone();
            let conversations = Conversations::new(notebook, location, folder, settings);
            Arc::new(conversations.with_read_tool("vault.read", "path"))
        };
        self.conversations.get_or_init(new).clone()
    }
}

/// Parses `NAME=FOLDER`.
fn parse_workspace(text: &str) -> Result<WorkspaceSettings, String> {
    let (name, folder) = text
        .split_once('=')
        .ok_or("expected NAME=FOLDER, such as app=Projects/App; in a call, the parameter is --param-workspace")?;
    let (name, folder) = (name.trim(), folder.trim());
    if name.is_empty() || name.chars().count() > 100 {
        return Err("expected a name of 1 to 100 characters before `=`".to_owned());
    }
    let folder = Folder::parse(folder).map_err(|error| error.to_string())?;
    Ok(WorkspaceSettings { name: name.to_owned(), folder })
}

/// Returns the current folder if it is a vault of Obsidian.
fn find_current_vault() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.join(".obsidian").is_dir().then_some(here)
}

/// Returns the vault for an operator who names none, and prints its folder on standard error.
#[expect(clippy::print_stderr, reason = "the operator must know which vault is served")]
fn choose_vault() -> io::Result<PathBuf> {
    if let Some(here) = find_current_vault() {
        eprintln!("Serving the vault in {}", here.display());
        return Ok(here);
    }
    let folder = sample::create_vault()?;
    eprintln!(
        "Serving the sample vault in {}; use --vault DIR to serve your own",
        folder.display()
    );
    Ok(folder)
}
