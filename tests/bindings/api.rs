//! A blog with the REST API of WordPress, as far as the tests use it, in memory.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// A blog on a free port of 127.0.0.1, for as long as the test runs.
pub(crate) struct Blog {
    address: SocketAddr,
    state: Arc<Mutex<BlogState>>,
}

/// What the blog has, and what it was sent.
#[derive(Default)]
pub(crate) struct BlogState {
    /// The password of each user.
    pub(crate) users: BTreeMap<String, String>,
    pub(crate) posts: BTreeMap<u64, Value>,
    /// Method, path with query, and user of each request but those of probes.
    pub(crate) requests: Vec<(String, String)>,
    /// How many probes there were.
    pub(crate) probes: usize,
    /// The id of the next post.
    pub(crate) next: u64,
}

type Shared = State<Arc<Mutex<BlogState>>>;

impl Blog {
    /// A blog with the users `admin`, `anna` and `ben`, whose passwords are their names backwards.
    pub(crate) fn new() -> Self {
        let users = ["admin", "anna", "ben"].map(|user| (user.to_owned(), password(user)));
        let state = BlogState { users: users.into(), next: 1, ..BlogState::default() };
        let state = Arc::new(Mutex::new(state));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/wp-json/wp/v2/users/me", get(me))
            .route("/wp-json/wp/v2/posts", get(list).post(create))
            .route("/wp-json/wp/v2/posts/{id}", get(read).post(change).delete(remove))
            .with_state(state.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        Self { address, state }
    }

    /// The setting `url`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/wp-json", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, BlogState> {
        self.state.lock().unwrap()
    }

    /// The requests so far, as `METHOD /path` and the user, without those of probes.
    #[allow(dead_code, reason = "not all tests that use this blog read them")]
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        self.state().requests.clone()
    }
}

/// The password of a user.
pub(crate) fn password(user: &str) -> String {
    user.chars().rev().collect()
}

/// The user of a request, if the password is right.
fn user(state: &BlogState, headers: &HeaderMap) -> Option<String> {
    let basic = headers.get("authorization")?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(BASE64_STANDARD.decode(basic).ok()?).ok()?;
    let (user, password) = text.split_once(':')?;
    (state.users.get(user)? == password).then(|| user.to_owned())
}

fn refused(status: u16, code: &str, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, Json(json!({ "code": code, "message": message }))).into_response()
}

/// Records a request, and returns its user.
fn admitted<'s>(
    state: &'s Shared,
    request: &Request,
) -> Result<(MutexGuard<'s, BlogState>, String), Box<Response>> {
    let mut state = state.lock().unwrap();
    let user = user(&state, request.headers());
    let line = format!("{} {}", request.method(), request.uri());
    state.requests.push((line, user.clone().unwrap_or_default()));
    match user {
        Some(user) => Ok((state, user)),
        None => Err(Box::new(refused(401, "rest_not_logged_in", "You are not logged in."))),
    }
}

async fn me(state: Shared, headers: HeaderMap) -> Response {
    let mut state = state.lock().unwrap();
    state.probes += 1;
    match user(&state, &headers) {
        Some(user) => Json(json!({ "slug": user })).into_response(),
        None => refused(401, "rest_not_logged_in", "You are not logged in."),
    }
}

async fn list(
    state: Shared,
    Query(query): Query<BTreeMap<String, String>>,
    request: Request,
) -> Response {
    let (state, _) = match admitted(&state, &request) {
        Ok(admitted) => admitted,
        Err(refused) => return *refused,
    };
    let number = |name: &str, default: usize| {
        query.get(name).map_or(default, |value| value.parse().unwrap())
    };
    let (page, size) = (number("page", 1), number("per_page", 10));
    let wanted = |post: &&Value| {
        let has = |text: &String| post["title"]["raw"].as_str().unwrap().contains(text);
        post["status"] == query["status"].as_str() && query.get("search").is_none_or(has)
    };
    let posts: Vec<&Value> = state.posts.values().rev().filter(wanted).collect();
    let (total, pages) = (posts.len(), posts.len().div_ceil(size));
    let shown: Vec<&Value> = posts.into_iter().skip((page - 1) * size).take(size).collect();
    let headers = [("x-wp-total", total.to_string()), ("x-wp-totalpages", pages.to_string())];
    (headers, Json(json!(shown))).into_response()
}

/// Reads the body of a request, which is small.
async fn body(request: Request) -> Value {
    let bytes = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn create(state: Shared, request: Request) -> Response {
    let user = match admitted(&state, &request) {
        Ok((_, user)) => user,
        Err(refused) => return *refused,
    };
    let body = body(request).await;
    let mut state = state.lock().unwrap();
    if state.posts.values().any(|post| post["title"]["raw"] == body["title"]) {
        return refused(400, "term_exists", "There is such a post.");
    }
    let id = state.next;
    state.next += 1;
    let post = json!({
        "id": id, "title": { "raw": body["title"] }, "content": { "raw": body["content"] },
        "status": body["status"], "link": format!("http://blog.example/?p={id}"),
        "modified_gmt": format!("stamp {id}.0"), "author": user, "secret": "of the API",
    });
    state.posts.insert(id, post.clone());
    (StatusCode::CREATED, Json(post)).into_response()
}

async fn read(state: Shared, Path(id): Path<u64>, request: Request) -> Response {
    let (state, _) = match admitted(&state, &request) {
        Ok(admitted) => admitted,
        Err(refused) => return *refused,
    };
    match state.posts.get(&id) {
        Some(post) => Json(post).into_response(),
        None => hostile(id),
    }
}

/// What the API answers for posts that do not exist.
fn hostile(id: u64) -> Response {
    let json = |text: &str| {
        ([("content-type", "application/json")], Body::from(text.to_owned())).into_response()
    };
    match id {
        9_001 => refused(403, "rest_forbidden", "Sorry, you are not allowed to do that."),
        9_002 => refused(500, "internal", "A plugin \u{202e}failed\u{1b}[2J."),
        9_003 => {
            let answer = refused(429, "slow", "Too many requests.");
            ([("retry-after", "7200")], answer).into_response()
        }
        9_004 => json("<html>not JSON</html>"),
        9_005 => json(r#"{"id": 9005, "title": {"raw": "half"#),
        9_006 => json(
            r#"{"id": "nine", "title": {"raw": "t"}, "status": "s", "link": "l", "modified_gmt": "m"}"#,
        ),
        9_007 => json(r#"{"id": 1, "title": {}, "status": "s", "link": "l", "modified_gmt": "m"}"#),
        9_008 => StatusCode::NO_CONTENT.into_response(),
        9_009 => json(&format!(r#"{{"id": 1, "pad": "{}"}}"#, "x".repeat(9 << 20))),
        9_010 => json(&"[".repeat(100_000)),
        9_011 => refused(410, "gone", "It is gone."),
        9_012 => refused(409, "clash", "Somebody else was faster."),
        9_013 => refused(422, "rest_invalid_param", "The id is not valid."),
        9_014 => ([("location", "http://169.254.169.254/")], StatusCode::FOUND).into_response(),
        _ => refused(404, "rest_post_invalid_id", "Invalid post ID."),
    }
}

async fn change(state: Shared, Path(id): Path<u64>, request: Request) -> Response {
    if let Err(refused) = admitted(&state, &request).map(drop) {
        return *refused;
    }
    let body = body(request).await;
    let mut state = state.lock().unwrap();
    let Some(post) = state.posts.get_mut(&id) else { return hostile(id) };
    for name in ["title", "content"] {
        if let Some(text) = body.get(name) {
            post[name]["raw"] = text.clone();
        }
    }
    if let Some(status) = body.get("status") {
        post["status"] = status.clone();
    }
    post["modified_gmt"] = format!("{}!", post["modified_gmt"].as_str().unwrap()).into();
    Json(&*post).into_response()
}

async fn remove(
    state: Shared,
    Path(id): Path<u64>,
    Query(query): Query<BTreeMap<String, String>>,
    request: Request,
) -> Response {
    let (mut state, _) = match admitted(&state, &request) {
        Ok(admitted) => admitted,
        Err(refused) => return *refused,
    };
    match (state.posts.remove(&id), query["force"].as_str()) {
        (None, _) => hostile(id),
        (Some(post), "true") => Json(json!({ "deleted": true, "previous": post })).into_response(),
        (Some(post), _) => Json(post).into_response(),
    }
}
