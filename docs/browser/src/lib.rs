//! The files of the tool browser: a page on which people find, call and watch the operations of a server.
//!
//! They are ES modules without a build step. `dom` makes all elements, from text only, and `api` sends all requests.
//! `control`, `field` and `form` edit arguments, from a single control to all of them; `json` keeps numbers exact.
//! `run` calls, `result` and `markdown` show what came, and `oauth` signs in at the authorization server. The site of
//! the documentation shares `colours.css`. `vendor/` has the libraries of others.

/// A file that the page is made of.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its path below `/browser/files/`; empty for the page.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub text: &'static str,
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const fn file(path: &'static str, media_type: &'static str, text: &'static str) -> File {
    File { path, media_type, text }
}

/// The page at `/browser/`, and at `/browser/callback`, to which an authorization server sends users back.
pub const PAGE: File = file("", "text/html; charset=utf-8", include_str!("../assets/index.html"));

/// The colours of the page, which the documentation has, too.
pub const COLOURS: &str = include_str!("../assets/colours.css");

/// The style and the scripts of the page.
pub const FILES: [File; 29] = [
    file("colours.css", CSS, COLOURS),
    file("browser.css", CSS, include_str!("../assets/browser.css")),
    file("vendor/marked.js", SCRIPT, include_str!("../assets/vendor/marked.js")),
    file("vendor/uplot.css", CSS, include_str!("../assets/vendor/uplot.css")),
    file("vendor/uplot.js", SCRIPT, include_str!("../assets/vendor/uplot.js")),
    file("api.js", SCRIPT, include_str!("../assets/api.js")),
    file("app.js", SCRIPT, include_str!("../assets/app.js")),
    file("compare.js", SCRIPT, include_str!("../assets/compare.js")),
    file("control.js", SCRIPT, include_str!("../assets/control.js")),
    file("copy.js", SCRIPT, include_str!("../assets/copy.js")),
    file("dialog.js", SCRIPT, include_str!("../assets/dialog.js")),
    file("dom.js", SCRIPT, include_str!("../assets/dom.js")),
    file("download.js", SCRIPT, include_str!("../assets/download.js")),
    file("field.js", SCRIPT, include_str!("../assets/field.js")),
    file("filters.js", SCRIPT, include_str!("../assets/filters.js")),
    file("form.js", SCRIPT, include_str!("../assets/form.js")),
    file("history.js", SCRIPT, include_str!("../assets/history.js")),
    file("json.js", SCRIPT, include_str!("../assets/json.js")),
    file("markdown.js", SCRIPT, include_str!("../assets/markdown.js")),
    file("mistake.js", SCRIPT, include_str!("../assets/mistake.js")),
    file("oauth.js", SCRIPT, include_str!("../assets/oauth.js")),
    file("operation.js", SCRIPT, include_str!("../assets/operation.js")),
    file("plots.js", SCRIPT, include_str!("../assets/plots.js")),
    file("result.js", SCRIPT, include_str!("../assets/result.js")),
    file("run.js", SCRIPT, include_str!("../assets/run.js")),
    file("session.js", SCRIPT, include_str!("../assets/session.js")),
    file("share.js", SCRIPT, include_str!("../assets/share.js")),
    file("signin.js", SCRIPT, include_str!("../assets/signin.js")),
    file("status.js", SCRIPT, include_str!("../assets/status.js")),
];

/// Whether a path has no data of the server, so that it needs no credential.
pub fn is_public(path: &str) -> bool {
    let is_page = matches!(path, "/browser" | "/browser/" | "/browser/callback");
    is_page
        || matches!(path, "/browser/api/launch" | "/browser/api/sign-in")
        || path.starts_with("/browser/files/")
}
