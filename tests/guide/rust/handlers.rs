//! The Rust of the page `handlers`.

/// The program of the page, and its tests.
mod program {
    use std::process::ExitCode;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use toolwrit::{Context, Fault, Result};

    toolwrit::authority!("../authority.yaml");

    #[derive(Default)]
    struct App {
        notes: Mutex<Vec<types::Note>>,
    }

    impl App {
        fn notes(&self) -> MutexGuard<'_, Vec<types::Note>> {
            self.notes.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl toolwrit::App for App {
        type Options = ();

        async fn open((): (), _: toolwrit::Updates) -> toolwrit::Opened<Self> {
            Ok(Self::default())
        }
    }

    impl notes::Handlers for App {
        async fn add(&self, _: &Context, p: notes::Add) -> Result<notes::AddResult> {
            let mut notes = self.notes();
            let id = notes.iter().map(|note| note.id).max().unwrap_or(0) + 1;
            let note = types::Note { id, text: p.text };
            notes.push(note.clone());
            Ok(note)
        }

        async fn list(&self, _: &Context, p: notes::List) -> Result<notes::ListResult> {
            let wanted = p.containing.unwrap_or_default();
            let notes = self.notes();
            let found = notes.iter().filter(|note| note.text.contains(&wanted));
            Ok(found.cloned().collect())
        }

        async fn remove(&self, _: &Context, p: notes::Remove) -> Result<String> {
            let mut notes = self.notes();
            let Some(at) = notes.iter().position(|note| note.id == p.id) else {
                return Err(Fault::not_found(format!("There is no note {}.", p.id))
                    .with_path("/id")
                    .hinting("notes.list has the ids."));
            };
            notes.remove(at);
            Ok(format!("Removed note {}.", p.id))
        }
    }

    fn main() -> ExitCode {
        toolwrit::cli::main::<Tools<App>>()
    }

    #[test]
    fn the_page_shows_the_manifest() {
        let page = include_str!("../../../docs/src/guide/handlers.md");
        assert!(page.contains(include_str!("../authority.yaml")));
    }

    #[tokio::test]
    async fn a_note_gets_the_next_id() {
        let app = App::default();
        let cx = Context::test().principal("alice").role("owner").build();
        let p = notes::Add { text: "Buy milk".to_owned() };
        let note = notes::Handlers::add(&app, &cx, p).await.unwrap();
        assert_eq!(note, types::Note { id: 1, text: "Buy milk".to_owned() });
    }

    use toolwrit::{Code, testing};

    #[tokio::test]
    async fn a_note_is_not_empty() {
        let arguments = serde_json::json!({"text": ""});
        let call = testing::call::<Tools<App>>(App::default(), "notes.add", arguments);
        assert_eq!(call.await.unwrap_err().code(), Code::ValidationError);
    }

    /// Any failure.
    struct Failed;

    impl<E: std::fmt::Debug> From<E> for Failed {
        fn from(_: E) -> Self {
            Self
        }
    }

    async fn embedded() -> std::result::Result<(), Failed> {
        use serde_json::json;

        let (reader, writer) = (tokio::io::stdin(), tokio::io::stdout());
        let server = toolwrit::Server::open::<Tools<App>>(()).await?.role("reader").build()?;
        let found = server.call("notes.list", json!({"containing": "milk"})).await?;
        server.serve_stdio(reader, writer).await?;
        server.close().await;
        drop(found);
        Ok(())
    }

    struct User {
        name: &'static str,
        email: &'static str,
    }

    async fn my_session(_: &toolwrit::http::axum::http::HeaderMap) -> Option<User> {
        Some(User { name: "ada", email: "ada@example.com" })
    }

    async fn home() -> &'static str {
        "Home"
    }

    async fn stop_requested() {}

    async fn mounted() -> std::result::Result<(), Failed> {
        use toolwrit::http::axum::{self, Router, http::HeaderMap, routing::get};
        use toolwrit::http::{Account, Settings};

        let settings = Settings::new()
            .host("api.example.com".parse()?)
            .authenticate(async |headers: HeaderMap| {
                let user = my_session(&headers).await?;
                Some(Account::new(user.name).role("reader").claim("email", user.email))
            })
            .body_bytes(64 * 1024);
        let server = toolwrit::Server::open::<Tools<App>>(()).await?.http(settings).build()?;
        let app = Router::new().route("/", get(home)).nest("/notes", server.router());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
        axum::serve(listener, app).with_graceful_shutdown(stop_requested()).await?;
        server.close().await;
        Ok(())
    }
}

/// An application with a store and a provider.
mod store {
    use std::path::PathBuf;

    use toolwrit::dynamic::DynamicOperation;
    use toolwrit::{
        BoxFuture, Check, Code, Context, Fault, Instance, Json, Opened, Page, Probe, Reason,
        Result, Unavailable, Updates,
    };

    toolwrit::authority!("handlers.yaml");

    use toolwrit::clap;

    #[derive(clap::Args)]
    struct Options {
        /// The folder to keep notes in.
        #[arg(long, env = "NOTES_DIR")]
        dir: std::path::PathBuf,
    }

    #[derive(Clone)]
    struct Store;

    struct Stored(String);

    impl Stored {
        fn filter(self, containing: Option<&str>) -> Option<String> {
            containing.is_none_or(|text| self.0.contains(text)).then_some(self.0)
        }
    }

    impl Store {
        async fn connect(_: &std::path::Path) -> std::io::Result<Self> {
            Ok(Self)
        }

        fn on_change(&self, _: impl Fn(u64) + Send + Sync + 'static) {}

        async fn flush(&self) {}

        fn folder(&self) -> PathBuf {
            PathBuf::new()
        }

        fn ping(&self) -> std::io::Result<()> {
            self.folder().metadata().map(drop)
        }

        fn notes(&self) -> Vec<Stored> {
            Vec::new()
        }

        fn shops(&self) -> Vec<String> {
            Vec::new()
        }

        fn query(&self, _: &str, _: (i64, i64)) -> Result<Vec<types::Order>> {
            Ok(Vec::new())
        }
    }

    struct App {
        store: Store,
    }

    impl App {
        fn is_banned(&self, _: &str) -> bool {
            self.store.folder().is_absolute()
        }

        fn count(&self, _: &str, _: bool) {
            let _ = self.store.notes();
        }
    }

    impl toolwrit::App for App {
        type Options = Options;

        async fn open(options: Options, updates: Updates) -> Opened<Self> {
            let store = Store::connect(&options.dir).await?;
            store.on_change(move |id| updates.resource(&format!("notes://{id}")));
            Ok(Self { store })
        }

        async fn close(&self) {
            self.store.flush().await;
        }

        fn instances(&self) -> Vec<Instance> {
            let named = |name: String| Instance { name, ..Instance::default() };
            self.store.shops().into_iter().map(named).collect()
        }

        async fn before(&self, cx: &Context) -> Result<()> {
            if self.is_banned(cx.principal().as_str()) {
                return Err(Fault::new(Code::LimitExceeded, "Your account is locked."));
            }
            Ok(())
        }

        async fn after(&self, cx: &Context, outcome: std::result::Result<&Json, &Fault>) {
            self.count(cx.operation(), outcome.is_ok());
        }

        fn setup(&self) -> toolwrit::Setup {
            let store = self.store.clone();
            let setup = toolwrit::Setup::new().offering(Templates { folder: self.store.folder() });
            setup.check(move || match store.ping() {
                Ok(()) => [Check::ok("store", "it answers")],
                Err(error) => [Check::fail("store", error.to_string(), "Start the store.")],
            })
        }
    }

    impl notes::Handlers for App {
        async fn list(&self, cx: &Context, p: notes::List) -> Result<notes::ListResult> {
            let store = self.store.clone();
            cx.blocking(move |cancelled| {
                let mut found = Vec::new();
                for note in store.notes() {
                    if cancelled() {
                        return Err(Fault::cancelled("The caller has gone."));
                    }
                    found.extend(note.filter(p.containing.as_deref()));
                }
                Ok(found)
            })
            .await
        }

        async fn mine(&self, cx: &Context, _: notes::Mine) -> Result<notes::MineResult> {
            let owner = cx.principal().as_str();
            let is_editor = cx.scopes().iter().any(|scope| scope == "notes:edit");
            Ok(vec![owner.to_owned(), is_editor.to_string()])
        }

        async fn read(&self, cx: &Context, p: notes::Read) -> Result<String> {
            cx.progress(12.0, Some(80.0), Some("12 of 80 notes"));
            Err(Fault::invalid_path("The path leaves the folder.")
                .with_path("/path")
                .expecting("a path below the notes folder")
                .got(p.path)
                .hinting("Leave out `..`."))
        }
    }

    impl orders::Handlers for App {
        async fn list(&self, _: &Context, p: orders::List) -> Result<Page<orders::ListResult>> {
            let last: i64 = p.cursor.as_deref().unwrap_or("0").parse()?;
            let query = "SELECT .. WHERE id > ? ORDER BY id LIMIT ?";
            let items = self.store.query(query, (last, p.limit))?;
            let is_full = items.len() as i64 == p.limit;
            let next = items.last().filter(|_| is_full).map(|order| order.id.to_string());
            Ok(Page { items, next, total: None })
        }
    }

    impl prints::Handlers for App {
        async fn print(&self, _: &Context, p: prints::Print) -> Result<String> {
            let copies: u32 = p.text.parse()?;
            if copies == 0 {
                return Ok("There is nothing to print.".to_owned());
            }
            Err(errors::out_of_ink("There is no black ink."))
        }
    }

    struct Templates {
        folder: PathBuf,
    }

    impl Templates {
        fn templates(&self) -> Result<Vec<PathBuf>> {
            Ok(vec![self.folder.clone()])
        }
    }

    fn operation(_: &PathBuf) -> Result<DynamicOperation> {
        Err(Fault::internal("There is no template."))
    }

    impl toolwrit::Provider for Templates {
        fn name(&self) -> &str {
            "templates"
        }

        fn probe(&self) -> BoxFuture<'_, toolwrit::Result<Probe>> {
            Box::pin(async {
                Ok(if self.folder.is_dir() {
                    Probe::Available { version: None }
                } else {
                    Probe::Unavailable(Unavailable::new(
                        Reason::NeedsConfiguration,
                        "There is no folder of templates.",
                        "Name one with --templates.",
                    ))
                })
            })
        }
    }

    impl toolwrit::Offers for Templates {
        fn operations(&self) -> BoxFuture<'_, toolwrit::Result<Vec<DynamicOperation>>> {
            Box::pin(async { self.templates()?.iter().map(operation).collect() })
        }
    }
}
