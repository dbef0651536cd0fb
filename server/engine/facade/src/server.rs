//! A server inside an author's own program, built from the same parts as [`crate::stdio::main`] and the
//! command line.

use std::error::Error;
#[cfg(feature = "stdio")]
use std::io;
#[cfg(feature = "sqlite")]
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
#[cfg(feature = "stdio")]
use tokio::io::{AsyncRead, AsyncWrite};

use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::audit::storage::{State, Storage};
use toolwrit_core::dialogue::Dialogue;
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::{Choice, Policy, UnknownName};
use toolwrit_core::toolset::{App, Application, ProviderTables, Tools, Toolset};
use toolwrit_core::updates::Updates;
#[cfg(feature = "http")]
use toolwrit_http::{axum::Router, metrics::Metrics, server as http};
use toolwrit_mcp::endpoint::{Endpoint, Engine, Request};
#[cfg(any(feature = "http", feature = "stdio"))]
use toolwrit_mcp::surface::SurfaceConfig;
use toolwrit_mcp::surface::{Split, SurfaceChoice, SurfaceOptions};
#[cfg(feature = "stdio")]
use toolwrit_mcp::{protocol, stdio};
#[cfg(feature = "postgres")]
use toolwrit_postgres::{Replica, Settings};
#[cfg(feature = "sqlite")]
use toolwrit_state::StateWriter;

/// An application and its authority, ready to be served inside an author's own program.
///
/// Without a place for it, such as [`Builder::storage`], it stores no state: calls are not audited, and calls with an
/// idempotency key are refused. It needs a tokio runtime.
pub struct Server {
    engine: Arc<Engine>,
    #[cfg(feature = "stdio")]
    mcp: protocol::McpServer,
    direct: Endpoint,
    #[cfg(feature = "http")]
    http: Http,
    /// It is dropped after the engine, so that the last calls are written.
    _state: OpenState,
}

/// The parts for HTTP.
#[cfg(feature = "http")]
struct Http {
    router: Router,
    drain: http::Drain,
    settings: http::Settings,
}

/// Settings of a [`Server`].
pub struct Builder {
    app: Arc<dyn Toolset>,
    choice: Choice,
    surface: SurfaceOptions,
    settings: CallSettings,
    place: Place,
    location: Option<String>,
    #[cfg(feature = "http")]
    http: http::Settings,
}

/// Where the state is kept.
enum Place {
    Nowhere,
    Storage(Arc<dyn Storage>),
    #[cfg(feature = "sqlite")]
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Database(Box<Settings>),
}

/// What writes the state.
enum OpenState {
    Elsewhere,
    #[cfg(feature = "sqlite")]
    File(#[expect(dead_code, reason = "writes what is left when it is dropped")] StateWriter),
    #[cfg(feature = "postgres")]
    Database(#[expect(dead_code, reason = "writes what is left when it is dropped")] Replica),
}

impl Place {
    fn open(self) -> (State, OpenState) {
        match self {
            Self::Nowhere => (State::none(), OpenState::Elsewhere),
            Self::Storage(storage) => (State::kept_in(storage), OpenState::Elsewhere),
            #[cfg(feature = "sqlite")]
            Self::File(file) => {
                let writer = StateWriter::open(Some(file));
                (writer.state(), OpenState::File(writer))
            }
            #[cfg(feature = "postgres")]
            Self::Database(settings) => {
                let replica = Replica::open(*settings);
                (replica.state(), OpenState::Database(replica))
            }
        }
    }
}

impl Server {
    /// Begins a server of this application, with handlers from `Tools<App>`. Notifications of changed
    /// resources that the application itself sends are lost: for those, use [`Self::open`].
    pub fn builder<T: Tools>(app: T::App) -> Builder {
        Builder::new(Application::<T>::new(app, Updates::default(), ProviderTables::new()))
    }

    /// Opens the application, and begins a server of it.
    ///
    /// # Errors
    /// As [`App::open`].
    pub async fn open<T: Tools>(
        options: <T::App as App>::Options,
    ) -> std::result::Result<Builder, Box<dyn Error>> {
        Self::open_with::<T>(options, ProviderTables::new()).await
    }

    /// Opens the application, and begins a server of it, with settings of the providers to whose APIs the manifest binds
    /// operations: what is otherwise in `[providers.NAME]` of the configuration file.
    ///
    /// # Errors
    /// As [`App::open`].
    pub async fn open_with<T: Tools>(
        options: <T::App as App>::Options,
        providers: ProviderTables,
    ) -> std::result::Result<Builder, Box<dyn Error>> {
        Application::<T>::open(options, providers).await.map(Builder::new)
    }

    /// Serves one client over streams, one message per line, until the reader ends.
    ///
    /// # Errors
    /// If a stream fails. A client that disconnects is no error.
    #[cfg(feature = "stdio")]
    pub async fn serve_stdio(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        let server = self.mcp.for_client(true);
        stdio::serve_streams(server, reader, writer).await
    }

    /// Returns a router with the paths of the server, such as `/mcp`. Nest it under a path of another router,
    /// or use it as a fallback.
    #[cfg(feature = "http")]
    pub fn router(&self) -> Router {
        self.http.router.clone()
    }

    /// Calls an operation as the user of the server, without confirmation. For operations without `returns`
    /// the result is a string.
    ///
    /// # Errors
    /// The fault with which the call ends.
    pub async fn call(&self, operation: &str, arguments: Value) -> Result<Value> {
        let Value::Object(arguments) = arguments else {
            return Err(
                Fault::validation("The arguments are not an object.").of_operation(operation)
            );
        };
        let request = Request { dialogue: Dialogue::Settled, ..Request::default() };
        let outcome = self.direct.execute(operation.to_owned(), arguments, request).await?;
        Ok(outcome.value)
    }

    /// Stops the server: answers the HTTP requests in flight, refuses further ones, and closes the
    /// application.
    pub async fn close(&self) {
        #[cfg(feature = "http")]
        self.http.drain.end(self.http.settings.most_drain_time()).await;
        self.engine.close().await;
    }
}

impl Builder {
    fn new<T: Tools>(app: Application<T>) -> Self {
        Self {
            app: Arc::new(app),
            choice: Choice::default(),
            surface: SurfaceOptions::default(),
            settings: CallSettings::default(),
            place: Place::Nowhere,
            location: None,
            #[cfg(feature = "http")]
            http: http::Settings::default(),
        }
    }

    /// Sets the focus mode; the first of the manifest by default.
    #[must_use]
    pub fn focus(mut self, name: impl Into<String>) -> Self {
        self.choice.focus = Some(name.into());
        self
    }

    /// Sets the role; the first of the manifest by default. Over HTTP, a credential can only narrow it.
    #[must_use]
    pub fn role(mut self, name: impl Into<String>) -> Self {
        self.choice.role = Some(name.into());
        self
    }

    /// Refuses every operation that is not a read.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.choice.read_only = true;
        self
    }

    /// Sets how operations are presented as tools.
    #[must_use]
    pub fn surface(mut self, surface: SurfaceChoice) -> Self {
        self.surface.kind = surface;
        self
    }

    /// Sets whether tools are split by effect; they are by default.
    #[must_use]
    pub fn split(mut self, split: Split) -> Self {
        self.surface.split = split;
        self
    }

    /// Lists older names on the flat surface, too, as deprecated tools.
    #[must_use]
    pub fn legacy(mut self) -> Self {
        self.surface.legacy = true;
        self
    }

    /// Sets how many handlers may run at once; the manifest's number by default.
    #[must_use]
    pub fn concurrency(mut self, most: u32) -> Self {
        self.settings.concurrency = Some(most);
        self
    }

    /// Sets how many calls may be queued; 256 by default.
    #[must_use]
    pub fn queue(mut self, most: usize) -> Self {
        self.settings.queue = most;
        self
    }

    /// Keeps the audit, the answers to calls with an idempotency key, and the costs of tool listings in this file of `SQLite`,
    /// in place of a storage. It is created if it is missing. If it cannot be used, the reason is logged, and the server runs
    /// without state.
    #[cfg(feature = "sqlite")]
    #[must_use]
    pub fn state_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.place = Place::File(file.into());
        self
    }

    /// Keeps the state in a database of PostgreSQL that equal servers share, in place of a storage.
    #[cfg(feature = "postgres")]
    #[must_use]
    pub fn database(mut self, settings: Settings) -> Self {
        self.place = Place::Database(Box::new(settings));
        self
    }

    /// Names what the handlers change, in place of what the application says, for servers that reach it in different ways.
    #[must_use]
    pub fn location(mut self, name: impl Into<String>) -> Self {
        self.location = Some(name.into());
        self
    }

    /// Keeps the state in a storage of your own, in place of a state file.
    #[must_use]
    pub fn storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.place = Place::Storage(storage);
        self
    }

    /// Sets authentication and limits over HTTP.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn http(mut self, settings: http::Settings) -> Self {
        self.http = settings;
        self
    }

    /// Builds the server.
    ///
    /// # Errors
    /// If a name is not in the authority, or the file of access tokens cannot be used.
    pub fn build(self) -> std::result::Result<Server, BuildError> {
        let (state, open) = self.place.open();
        let recorder = Recorder::new(state.located(self.location.as_deref()));
        #[cfg(feature = "http")]
        let metrics =
            Arc::new(Metrics::new(&self.app.authority(), &recorder.counters, &recorder.state));
        #[cfg(feature = "http")]
        let recorder = recorder.observed_by(metrics.clone());
        let engine = Engine::new(self.app, &self.settings, recorder);
        let policy = Policy::new(engine.authority().clone(), &self.choice)?;
        let general = self.surface;
        #[cfg(any(feature = "http", feature = "stdio"))]
        let surface_config = SurfaceConfig { general, clients: Vec::new() };
        #[cfg(feature = "stdio")]
        let mcp = protocol::McpServer::new(&engine, &policy, &surface_config);
        let flat = SurfaceOptions { kind: SurfaceChoice::Flat, ..general };
        let direct = Endpoint::new(engine.clone(), policy.clone(), flat);
        #[cfg(feature = "http")]
        let http = {
            let (drain, policy) =
                (http::Drain::default(), (policy.clone(), self.choice.role.is_some()));
            let server = self.http.server(&engine, policy, surface_config.clone(), metrics)?;
            Http { router: server.router(&drain), drain, settings: self.http }
        };
        Ok(Server {
            engine,
            #[cfg(feature = "stdio")]
            mcp,
            direct,
            #[cfg(feature = "http")]
            http,
            _state: open,
        })
    }
}

/// Settings that do not match the authority, or cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A name that the authority does not have.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A file of access tokens that cannot be used.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Tokens(#[from] http::BadTokens),
}
