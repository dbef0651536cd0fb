//! A blog with the REST API of WordPress, as far as the tests use it, in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};

/// A blog, until it is dropped.
pub(crate) struct Blog {
    server: HttpServer,
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
    /// Whether it fails to answer all but probes.
    pub(crate) is_broken: bool,
    /// The id of the next post.
    pub(crate) next: u64,
}

impl Blog {
    /// A blog with the users `admin`, `anna` and `ben`, whose passwords are their names backwards.
    pub(crate) fn new() -> Self {
        let users = ["admin", "anna", "ben"].map(|user| (user.to_owned(), password(user)));
        let state = BlogState { users: users.into(), next: 1, ..BlogState::default() };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        let server = HttpServer::answering(move |request| shared.lock().unwrap().answer(request));
        Self { server, state }
    }

    /// The setting `url`.
    pub(crate) fn url(&self) -> String {
        self.server.url("/wp-json")
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, BlogState> {
        self.state.lock().unwrap()
    }

    /// The requests so far, as `METHOD /path` and the user, without those of probes.
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        self.state().requests.clone()
    }
}

/// The password of a user.
pub(crate) fn password(user: &str) -> String {
    user.chars().rev().collect()
}

impl BlogState {
    fn answer(&mut self, request: &ReceivedRequest) -> Vec<u8> {
        let user = self.user(request);
        let (path, is_probe) = (request.path(), request.path() == "/wp-json/wp/v2/users/me");
        if is_probe {
            self.probes += 1;
        } else {
            self.requests.push((request.line(), user.clone().unwrap_or_default()));
        }
        let Some(user) = user else {
            return refused(401, "rest_not_logged_in", "You are not logged in.");
        };
        let post = path.strip_prefix("/wp-json/wp/v2/posts/").and_then(|id| id.parse().ok());
        match (&*request.method, post) {
            ("GET", None) if is_probe => json_response(200, &json!({ "slug": user })),
            _ if self.is_broken => refused(500, "internal", "A plugin failed."),
            ("GET", None) => self.list(&query(request)),
            ("POST", None) => self.create(&request.json(), &user),
            ("GET", Some(id)) => self.posts.get(&id).map_or_else(missing, ok),
            ("POST", Some(id)) => self.change(id, &request.json()),
            ("DELETE", Some(id)) => self.remove(id, query(request)["force"] == "true"),
            _ => response(404, &[], ""),
        }
    }

    /// The user of a request, if the password is right.
    fn user(&self, request: &ReceivedRequest) -> Option<String> {
        let basic = request.header("authorization")?.strip_prefix("Basic ")?;
        let text = String::from_utf8(BASE64_STANDARD.decode(basic).ok()?).ok()?;
        let (user, password) = text.split_once(':')?;
        (self.users.get(user)? == password).then(|| user.to_owned())
    }

    fn list(&self, query: &BTreeMap<String, String>) -> Vec<u8> {
        let number = |name: &str, default: usize| {
            query.get(name).map_or(default, |value| value.parse().unwrap())
        };
        let (page, size) = (number("page", 1), number("per_page", 10));
        let wanted = |post: &&Value| {
            let has = |text: &String| post["title"]["raw"].as_str().unwrap().contains(text);
            post["status"] == query["status"].as_str() && query.get("search").is_none_or(has)
        };
        let posts: Vec<&Value> = self.posts.values().rev().filter(wanted).collect();
        let (total, pages) = (posts.len(), posts.len().div_ceil(size));
        let shown: Vec<&Value> = posts.into_iter().skip((page - 1) * size).take(size).collect();
        let headers = [
            ("content-type", "application/json"),
            ("x-wp-total", &*total.to_string()),
            ("x-wp-totalpages", &*pages.to_string()),
        ];
        response(200, &headers, json!(shown).to_string())
    }

    fn create(&mut self, body: &Value, user: &str) -> Vec<u8> {
        if self.posts.values().any(|post| post["title"]["raw"] == body["title"]) {
            return refused(400, "term_exists", "There is such a post.");
        }
        let id = self.next;
        self.next += 1;
        let post = json!({
            "id": id, "title": { "raw": body["title"] }, "content": { "raw": body["content"] },
            "status": body["status"], "link": format!("http://blog.example/?p={id}"),
            "modified_gmt": format!("stamp {id}.0"), "author": user, "secret": "of the API",
        });
        self.posts.insert(id, post.clone());
        json_response(201, &post)
    }

    fn change(&mut self, id: u64, body: &Value) -> Vec<u8> {
        let Some(post) = self.posts.get_mut(&id) else { return missing() };
        for name in ["title", "content"] {
            if let Some(text) = body.get(name) {
                post[name]["raw"] = text.clone();
            }
        }
        if let Some(status) = body.get("status") {
            post["status"] = status.clone();
        }
        post["modified_gmt"] = format!("{}!", post["modified_gmt"].as_str().unwrap()).into();
        ok(post)
    }

    fn remove(&mut self, id: u64, is_forced: bool) -> Vec<u8> {
        match self.posts.remove(&id) {
            None => missing(),
            Some(post) if is_forced => ok(&json!({ "deleted": true, "previous": post })),
            Some(post) => ok(&post),
        }
    }
}

fn query(request: &ReceivedRequest) -> BTreeMap<String, String> {
    let (_, query) = request.target.split_once('?').unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

fn ok(body: &Value) -> Vec<u8> {
    json_response(200, body)
}

fn refused(status: u16, code: &str, message: &str) -> Vec<u8> {
    json_response(status, &json!({ "code": code, "message": message }))
}

fn missing() -> Vec<u8> {
    refused(404, "rest_post_invalid_id", "Invalid post ID.")
}
