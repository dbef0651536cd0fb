//! The state of the handlers: the open vault, Obsidian's REST API and the web.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, json};
use toolwrit::chat::converse::settings::ChatSettings;
use toolwrit::chat::converse::{Conversations, Converses};
use toolwrit::{Code, Context, EngineFlags, Fault, Json, Setup, Updates};
use toolwrit_dataview::Dataview;
use toolwrit_plugins::smart_connections::SmartConnections;
use toolwrit_project::{WorkspaceSettings, Workspaces};
use toolwrit_vault::{Access, Folder, HistoryLimits, IndexStatus, OpenOptions, Vault};
use toolwrit_web::{Network, Web, WebOptions};

use crate::faults::fault;
use crate::notebook::VaultNotebook;
use crate::plugins::Models;
use crate::rest_api::{KEY_VARIABLE, RestApi};
use crate::{diagnosis, plugins, sample};

/// The application: one open vault, the Obsidian that may have it open, too, and the web.
pub(crate) struct Vaults {
    pub(crate) vault: Vault,
    pub(crate) dataview: Arc<Dataview>,
    pub(crate) smart_connections: SmartConnections,
    read_only: bool,
    is_sample: bool,
    pub(crate) rest_api: Option<RestApi>,
    pub(crate) web: Web,
    pub(crate) workspaces: Arc<Workspaces>,
    /// The folder of the vault. It identifies the vault among those of the user.
    location: PathBuf,
    /// Where the state of conversations is kept.
    chats: Option<PathBuf>,
    /// Set right after the vault was opened, by programs that have conversations.
    pub(crate) conversations: OnceLock<Arc<Conversations>>,
}

/// Flags of the application, on all commands that open it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    engine: EngineFlags,
    /// Folder of notes. By default the current folder if it contains `.obsidian`, otherwise a sample
    /// vault, which is created if needed and reported on standard error.
    #[arg(long, env = "TOOLWRIT_VAULT", value_name = "DIR")]
    vault: Option<PathBuf>,
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
        options.vault.is_some() || find_current_vault().is_some()
    }

    async fn open(options: Options, _: Updates) -> Result<Self, Box<dyn Error>> {
        let folder = match options.vault {
            Some(folder) => folder,
            None => choose_vault()?,
        };
        let EngineFlags { read_only, data_dir } = options.engine;
        let chats = data_dir.as_ref().map(|data| data.join("toolwrit/conversations"));
        let location = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let opened = OpenOptions {
            access: if read_only { Access::ReadOnly } else { Access::ReadWrite },
            state: data_dir.map(|data| data.join("toolwrit/vaults")),
            cache: toolwrit::folders::cache().map(|cache| cache.join("toolwrit/indexes")),
            history: HistoryLimits { calls: options.undo },
            file_system: None,
        };
        let opened = Vault::open_with(&folder, opened);
        let vault = opened.map_err(|error| format!("{}: {error}", folder.display()))?;
        // Not a flag: other users of this machine can read command lines.
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        let certificate = options.obsidian_cert.as_deref();
        let rest_api =
            key.map(|key| RestApi::new(&options.obsidian_url, certificate, &key)).transpose()?;
        let web = Web::new(WebOptions { allowed: options.web_allow, ..WebOptions::default() });
        let is_sample = sample::is_sample(&folder);
        let dataview = Arc::new(Dataview::new(vault.clone()));
        let smart_connections = SmartConnections::new(vault.clone());
        let workspaces = Arc::new(Workspaces::new(&vault, options.project)?);
        Ok(Self {
            vault,
            dataview,
            smart_connections,
            read_only,
            is_sample,
            rest_api,
            web,
            workspaces,
            location,
            chats,
            conversations: OnceLock::new(),
        })
    }

    fn setup(&self) -> Setup {
        let (vault, is_sample) = (self.vault.clone(), self.is_sample);
        let setup = plugins::add_providers(
            Setup::new(),
            &self.vault,
            &self.smart_connections,
            is_sample,
            self.rest_api.as_ref(),
        );
        let (for_sample, checked) = (vault.clone(), vault.clone());
        let (read_only, rest_api) = (self.read_only, self.rest_api.clone());
        let workspaces = self.workspaces.clone();
        setup
            .provider(Models::new(self.conversations.get()))
            .location(self.location.display().to_string())
            .facts(move || facts(&vault, is_sample))
            .sample_data(move |cx| Box::pin(restore_sample(for_sample.clone(), is_sample, cx)))
            .check(move || {
                diagnosis::run_checks(&checked, read_only, rest_api.as_ref(), &workspaces)
            })
    }
}

/// What `introspect` says about the vault.
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
            let notebook = Arc::new(VaultNotebook::new(self.vault.clone(), self.location.clone()));
            let location = self.location.to_string_lossy().into_owned();
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
