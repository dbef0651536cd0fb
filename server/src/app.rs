//! The state of the handlers: the open vaults and the web.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, json};
use toolwrit::chat::converse::settings::ChatSettings;
use toolwrit::chat::converse::{Conversations, Converses};
use toolwrit::cli::{NamedPath, NamedTable};
use toolwrit::{Candidates, Code, Context, EngineFlags, Fault, Instance, Json, Setup, Updates};
use toolwrit_project::WorkspaceSettings;
use toolwrit_vault::{Folder, IndexStatus, Vault};
use toolwrit_web::{Network, Web, WebOptions};

use crate::faults::fault;
use crate::notebook::VaultNotebook;
use crate::plugins::{self, Models};
use crate::rest_api::{KEY_VARIABLE, RestApi};
use crate::served_vault::{Opening, ServedVault, VaultSettings, VaultTable, check_apart};
use crate::setup_mode::NoNotes;
use crate::{diagnosis, registered_vaults, sample, setup_mode};

/// The application: open vaults, the Obsidian that may have the first one open, too, and the web.
pub(crate) struct Vaults {
    /// Conversations are in the first. Empty in setup mode.
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
    /// By default the current folder if it contains `.obsidian`. Otherwise no notes are served until one is named.
    #[arg(long, env = "TOOLWRIT_VAULT", value_name = "DIR")]
    vault: Vec<NamedPath>,
    /// Serve invented notes to try the server with, in place of a vault. They are created in the user's data folder.
    #[arg(
        long,
        env = "TOOLWRIT_SAMPLE",
        hide_env_values = true,
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue
    )]
    sample: bool,
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
    /// How long `project.batch_update` remembers what it has created: hours, at most 8760.
    #[arg(
        long,
        env = "TOOLWRIT_PROJECT_REMEMBER",
        value_name = "HOURS",
        default_value_t = 24,
        value_parser = clap::value_parser!(u16).range(..=8_760)
    )]
    project_remember: u16,
}

impl toolwrit::App for Vaults {
    type Options = Options;

    /// Whether a vault is named.
    fn is_named(options: &Options) -> bool {
        options.sample
            || !options.vault.is_empty()
            || !options.vaults.is_empty()
            || find_current_vault().is_some()
    }

    /// The vault in the current folder, or else those that Obsidian knows.
    fn candidates() -> Option<Candidates> {
        let found = match find_current_vault() {
            Some(here) => vec![registered_vaults::candidate(here)],
            None => registered_vaults::candidates(),
        };
        Some(Candidates { flags: &["vault", "vaults", "sample"], found })
    }

    async fn open(options: Options, _: Updates) -> Result<Self, Box<dyn Error>> {
        let settings = options.served()?;
        let rest_api = options.find_rest_api()?;
        let opening = Opening {
            read_only: options.engine.read_only,
            data: options.engine.data_dir.clone(),
            undo: options.undo,
            project: options.project,
            project_remember: options.project_remember,
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
        let Some(first) = self.served.first() else {
            return Setup::new()
                .instructions(setup_mode::instructions())
                .described(|| "no notes, because no folder is chosen (add --vault DIR),".to_owned())
                .check(|| [diagnosis::no_vault()]);
        };
        let (vault, is_sample) = (first.vault.clone(), first.is_sample);
        let locations = self.served.iter().map(|open| open.location.display().to_string());
        let locations: Vec<String> = locations.collect();
        let checked = self.served.clone();
        let folders: Vec<PathBuf> = self.served.iter().map(|open| open.location.clone()).collect();
        let shown = folders.clone();
        let (for_sample, for_user, path) = (vault.clone(), vault.clone(), locations[0].clone());
        let setup = match &self.served[..] {
            [only] => {
                let name = only.vault.name();
                Setup::new().instructions(format!("The vault `{name}`.")).named(name)
            }
            _ => Setup::new(),
        };
        plugins::add_providers(setup, &self.served)
            .provider(Models::new(self.conversations.get()))
            .location(locations.join("\n"))
            .exclusive()
            .described(move || describe(&shown))
            .facts(move || facts(&vault, is_sample, None))
            .private_facts(move || facts(&for_user, is_sample, Some(&path)))
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
                plugins::check_available(self.vault(cx)?, provider, cx).await
            }
            _ => Ok(()),
        }
    }
}

impl Vaults {
    /// Returns the vault that a call is about.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` in setup mode.
    pub(crate) fn vault(&self, cx: &Context) -> Result<&ServedVault, Fault> {
        self.served.get(cx.instance()).map_or_else(|| self.first(), Ok)
    }

    /// Returns the vault that is meant if none is named.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` in setup mode.
    pub(crate) fn first(&self) -> Result<&ServedVault, Fault> {
        self.served.first().ok_or_else(setup_mode::fault)
    }
}

impl Options {
    /// Returns the vaults that are served, and says on standard error if it is one that is not named. None in setup mode.
    #[expect(clippy::print_stderr, reason = "the operator must know which vault is served")]
    fn served(&self) -> Result<Vec<VaultSettings>, Box<dyn Error>> {
        if self.sample {
            let folder = sample::create_vault()?;
            eprintln!("Serving the sample vault in {}", folder.display());
            return Ok(vec![VaultSettings::at(folder)]);
        }
        let named = VaultSettings::read(&self.vault, &self.vaults)?;
        let here = find_current_vault().filter(|_| named.is_empty());
        let Some(here) = here else { return Ok(named) };
        eprintln!("Serving the vault in {}", here.display());
        Ok(vec![VaultSettings::at(here)])
    }

    /// Returns Obsidian's REST API, if its key is known.
    fn find_rest_api(&self) -> Result<Option<RestApi>, Box<dyn Error>> {
        // Not a flag: other users of this machine can read command lines.
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        let certificate = self.obsidian_cert.as_deref();
        Ok(key.map(|key| RestApi::new(&self.obsidian_url, certificate, &key)).transpose()?)
    }
}

/// What `introspect` says about the first vault, with its path for the user of this machine.
fn facts(vault: &Vault, is_sample: bool, path: Option<&str>) -> Map<String, Json> {
    let (index, notes) = match vault.index_status() {
        IndexStatus::NotStarted => ("not_started", None),
        IndexStatus::Building => ("building", None),
        IndexStatus::Ready { notes } => ("ready", Some(notes)),
        IndexStatus::Failed => ("failed", None),
    };
    let mut facts = json!({"name": vault.name(), "index": index, "sample": is_sample});
    if let Some(path) = path {
        facts["path"] = path.into();
    }
    if let Some(notes) = notes {
        facts["notes"] = notes.into();
    }
    Map::from_iter([("vault".to_owned(), facts)])
}

/// Names vaults for people, with the number of their notes.
fn describe(folders: &[PathBuf]) -> String {
    let folders = folders.iter().map(|folder| {
        let found = registered_vaults::candidate(folder.clone());
        format!("{} ({})", folder.display(), found.detail)
    });
    folders.collect::<Vec<_>>().join(", ")
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
            let folder = self.chats.clone();
            let conversations = match self.served.first() {
                Some(ServedVault { vault, location, .. }) => {
                    let notebook = Arc::new(VaultNotebook::new(vault.clone(), location.clone()));
                    let location = location.to_string_lossy().into_owned();
                    Conversations::new(notebook, location, folder, settings)
                }
                None => Conversations::new(Arc::new(NoNotes), String::new(), None, settings),
            };
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
