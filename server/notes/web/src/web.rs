//! Fetching a page: redirects, robots.txt, content, and the cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::sync::Cache;
use toolwrit_network::Network;
use toolwrit_text::visible::escaped_result;
use url::Url;

use crate::client::{Client, Limits, Response, host};
use crate::content::{Content, MediaType};
use crate::error::WebError;
use crate::html;
use crate::page::{Download, Form, Page};
use crate::robots::{self, Robots};

/// Length limit of a URL, in bytes.
const MAX_URL: usize = 2048;
/// Size limit of a page, in bytes, after decompression.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
const MAX_REDIRECTS: usize = 10;
/// How long a page is kept, so that its parts belong together.
const PAGE_AGE: Duration = Duration::from_mins(5);
/// Size limit of the pages that are kept, in bytes.
const PAGES_BYTES: u64 = 32 * 1024 * 1024;
/// How long the rules of a site are kept; RFC 9309 allows a day.
const ROBOTS_AGE: Duration = Duration::from_hours(1);
/// Number of sites whose rules are kept.
const SITES: u64 = 64;

/// What the operator decides.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Networks that may be reached although their addresses are not public.
    pub allowed: Vec<Network>,
    /// Time limit of one fetch, with its redirects.
    pub timeout: Duration,
}

impl Default for WebOptions {
    /// No networks besides the public ones, and 20 seconds.
    fn default() -> Self {
        Self { allowed: Vec::new(), timeout: Duration::from_secs(20) }
    }
}

/// Fetches pages, and keeps them for a few minutes. Clones share what is kept.
#[derive(Clone)]
pub struct Web(Arc<Shared>);

struct Shared {
    client: Client,
    timeout: Duration,
    pages: Cache<(String, Form), Arc<Page>>,
    /// By scheme, host and port.
    robots: Cache<String, Arc<Robots>>,
}

impl Web {
    /// Connects to nothing yet.
    pub fn new(options: WebOptions) -> Self {
        let weight = |_: &(String, Form), page: &Arc<Page>| {
            u32::try_from(page.text.len() + 1024).unwrap_or(u32::MAX)
        };
        Self(Arc::new(Shared {
            client: Client::new(options.allowed),
            timeout: options.timeout,
            pages: Cache::builder()
                .weigher(weight)
                .max_capacity(PAGES_BYTES)
                .time_to_live(PAGE_AGE)
                .build(),
            robots: Cache::builder().max_capacity(SITES).time_to_live(ROBOTS_AGE).build(),
        }))
    }

    /// Fetches a page, or returns the one that was fetched in the last minutes. `is_cancelled` returns `true`
    /// if the call is cancelled.
    ///
    /// # Errors
    /// [`WebError`] says which.
    pub fn fetch(
        &self,
        url: &str,
        form: Form,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Arc<Page>, WebError> {
        let url = parse(url)?;
        let key = (url.as_str().to_owned(), form);
        if let Some(page) = self.0.pages.get(&key) {
            return Ok(page);
        }
        let limits = Limits { deadline: Instant::now() + self.0.timeout, is_cancelled };
        let (url, response) = self.0.follow(url, &limits)?;
        let may_be_cached = response.may_be_cached();
        let page = Arc::new(read_page(url, response, form, &limits)?);
        if may_be_cached {
            self.0.pages.insert(key, Arc::clone(&page));
        }
        Ok(page)
    }

    /// Fetches a file of any type, and keeps nothing. `most` is its size limit in bytes.
    ///
    /// # Errors
    /// [`WebError`] says which.
    pub fn download(
        &self,
        url: &str,
        most: u64,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Download, WebError> {
        let limits = Limits { deadline: Instant::now() + self.0.timeout, is_cancelled };
        let (url, response) = self.0.follow(parse(url)?, &limits)?;
        let media_type = MediaType::parse(response.content_type()).essence;
        let (bytes, is_whole) = response.read(most, &url, &limits)?;
        if is_whole {
            Ok(Download { url: url.into(), media_type, bytes })
        } else {
            Err(WebError::TooLarge { limit: most })
        }
    }
}

impl Shared {
    /// Requests a page, and whatever it redirects to. Each URL on the way is checked like the first.
    fn follow(&self, mut url: Url, limits: &Limits<'_>) -> Result<(Url, Response), WebError> {
        for _ in 0..=MAX_REDIRECTS {
            self.check_robots(&url, limits)?;
            let response = self.client.get(&url, limits)?;
            match response.status {
                200..=299 => return Ok((url, response)),
                301 | 302 | 303 | 307 | 308 => url = redirect_target(&url, &response)?,
                status => {
                    let retry_after = response.retry_after();
                    return Err(WebError::Status { host: host(&url), status, retry_after });
                }
            }
        }
        Err(WebError::Redirect { host: host(&url), reason: "redirects too often" })
    }

    /// # Errors
    /// [`WebError::Disallowed`], or an error of the site.
    fn check_robots(&self, url: &Url, limits: &Limits<'_>) -> Result<(), WebError> {
        let origin = url.origin().ascii_serialization();
        let robots = if let Some(known) = self.robots.get(&origin) {
            known
        } else {
            let robots = Arc::new(self.fetch_robots(url, &origin, limits)?);
            self.robots.insert(origin.clone(), Arc::clone(&robots));
            robots
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        if robots.allows(&format!("{}{query}", url.path())) {
            Ok(())
        } else {
            Err(WebError::Disallowed { origin })
        }
    }

    /// Fetches the rules of a site. A site without them allows everything, and one that fails nothing.
    fn fetch_robots(
        &self,
        url: &Url,
        origin: &str,
        limits: &Limits<'_>,
    ) -> Result<Robots, WebError> {
        let mut url = url.join("/robots.txt").map_err(|_| WebError::BadUrl("it has no path"))?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.client.get(&url, limits)?;
            match response.status {
                200..=299 => {
                    let (bytes, _) = response.read(robots::MAX_BYTES, &url, limits)?;
                    return Ok(Robots::parse(&String::from_utf8_lossy(&bytes)));
                }
                301 | 302 | 303 | 307 | 308 => url = redirect_target(&url, &response)?,
                status @ 500.. => {
                    return Err(WebError::RobotsFailed { origin: origin.to_owned(), status });
                }
                _ => return Ok(Robots::default()),
            }
        }
        // RFC 9309 takes a robots.txt that redirects too often for a missing one.
        Ok(Robots::default())
    }
}

/// Parses a URL of a page, without its fragment.
fn parse(text: &str) -> Result<Url, WebError> {
    if text.len() > MAX_URL {
        return Err(WebError::BadUrl("it is longer than 2048 bytes"));
    }
    let url = Url::parse(text)
        .map_err(|_| WebError::BadUrl("it does not start with https:// and a host"))?;
    check_url(url)
}

/// # Errors
/// [`WebError::BadUrl`] if the URL is not one of the web, or has credentials.
fn check_url(mut url: Url) -> Result<Url, WebError> {
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(WebError::BadUrl("only http and https are fetched"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(WebError::BadUrl("it contains a user or a password"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn redirect_target(url: &Url, response: &Response) -> Result<Url, WebError> {
    let wrong = |reason| WebError::Redirect { host: host(url), reason };
    let target = response.location().ok_or_else(|| wrong("redirects to nowhere"))?;
    if target.len() > MAX_URL {
        return Err(wrong("redirects to a URL that is too long"));
    }
    let target = url.join(target).ok().and_then(|target| check_url(target).ok());
    target.ok_or_else(|| wrong("redirects to what is not a page of the web"))
}

fn read_page(
    url: Url,
    response: Response,
    form: Form,
    limits: &Limits<'_>,
) -> Result<Page, WebError> {
    let mut media_type = MediaType::parse(response.content_type());
    media_type.check()?;
    let (bytes, is_whole) = response.read(MAX_BYTES, &url, limits)?;
    if !is_whole {
        return Err(WebError::TooLarge { limit: MAX_BYTES });
    }
    let (title, text) = match media_type.decode(&bytes)? {
        Content::Html(html) if form == Form::Markdown => {
            let converted = html::convert(&html, &url, &|| limits.check(&url))?;
            (converted.title, converted.markdown)
        }
        Content::Html(text) | Content::Text(text) => (None, text),
    };
    let (title, text) = (title.map(escaped_result), escaped_result(text));
    // Nested lists are indented, so that Markdown may be much larger than its HTML.
    if text.len() as u64 > MAX_BYTES {
        return Err(WebError::TooLarge { limit: MAX_BYTES });
    }
    Ok(Page { url: url.into(), title, media_type: media_type.essence, text })
}
