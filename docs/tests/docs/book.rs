//! A built site, parsed as HTML.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{ElementRef, Html, Selector};
use toolwrit_docs::{SurfaceCost, build};
use toolwrit_manifest::{Authority, load, load_sources};

pub(crate) const SMALL: &str = "toolwrit: 1
server: { name: small }
categories:
  notes: { summary: Keep notes. }
operations:
  notes.list: { summary: List the notes., effect: read }
";

/// The authority that this workspace ships.
pub(crate) fn shipped() -> Authority {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifest/authority.yaml");
    load(&root).unwrap_or_else(|problems| panic!("{problems}"))
}

pub(crate) fn load_text(text: &str) -> Authority {
    load_sources("authority.yaml", |_| Ok(text.to_owned()))
        .unwrap_or_else(|problems| panic!("{problems}"))
}

pub(crate) fn costs() -> Vec<SurfaceCost> {
    let cost = |surface: &str, split: &str, tools, bytes, tokens| SurfaceCost {
        surface: surface.to_owned(),
        split: split.to_owned(),
        focus: "full".to_owned(),
        tools,
        bytes,
        tokens,
    };
    vec![
        cost("flat", "", 9, 19_432, 4_120),
        cost("dispatch", "effect", 4, 2_900, 812),
        cost("meta", "none", 5, 1_700, 400),
    ]
}

pub(crate) fn build_shipped() -> (Book, Authority) {
    let authority = shipped();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("site");
    build(&authority, "1.2.3", None, &costs(), &out).unwrap();
    (Book::open(&out), authority)
}

/// All files below a folder, by their path with `/`.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A whole site in memory.
pub(crate) struct Book {
    files: BTreeMap<String, Vec<u8>>,
    anchors: RefCell<BTreeMap<String, Rc<BTreeSet<String>>>>,
}

impl Book {
    pub(crate) fn open(out: &Path) -> Self {
        Self { files: files(out), anchors: RefCell::default() }
    }

    /// The HTML files of pages.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.with_extension("html").filter(|path| *path != "404.html")
    }

    pub(crate) fn page(&self, path: &str) -> Html {
        let bytes = self.files.get(path).unwrap_or_else(|| panic!("no page {path}"));
        Html::parse_document(std::str::from_utf8(bytes).unwrap())
    }

    /// The text of a page's content. Blank space is kept inside code blocks only.
    pub(crate) fn content(&self, path: &str) -> String {
        let page = self.page(path);
        let main = page.select(&selector("main")).next().unwrap();
        let blocks: Vec<String> = main.select(&selector("pre")).map(text).collect();
        text(main) + "\n" + &blocks.join("\n")
    }

    /// The text of a file.
    pub(crate) fn file(&self, path: &str) -> &str {
        let bytes = self.files.get(path).unwrap_or_else(|| panic!("no file {path}"));
        std::str::from_utf8(bytes).unwrap()
    }

    /// The files with an extension.
    pub(crate) fn with_extension(&self, extension: &str) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(move |path| has_extension(path, extension))
    }

    /// The cells of the rows that a selector finds.
    pub(crate) fn table(page: &Html, rows: &str) -> Vec<Vec<String>> {
        page.select(&selector(rows))
            .map(|row| row.select(&selector("td, th")).map(text).collect())
            .collect()
    }

    /// The sections of a page.
    pub(crate) fn headings(page: &Html) -> Vec<String> {
        page.select(&selector("main h2")).map(text).collect()
    }

    /// The texts of the elements of a page.
    pub(crate) fn texts(page: &Html, elements: &str) -> Vec<String> {
        page.select(&selector(elements)).map(text).collect()
    }

    /// The pieces of text of the elements of a page, as they stand between tags.
    pub(crate) fn pieces(page: &Html, elements: &str) -> Vec<String> {
        let elements = selector(elements);
        page.select(&elements).flat_map(|element| element.text()).map(str::to_owned).collect()
    }

    /// Links that lead to no file or no anchor of the site.
    pub(crate) fn broken_links(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for path in self.paths() {
            for link in self.page(path).select(&selector("a[href]")) {
                let href = link.value().attr("href").unwrap_or_default();
                if !href.contains(':') && !self.leads_somewhere(path, href) {
                    broken.push(format!("{path}: {href}"));
                }
            }
        }
        broken
    }

    /// Links of a Markdown file that lead to no file.
    pub(crate) fn broken_in(&self, path: &str) -> Vec<String> {
        let links =
            Parser::new_ext(self.file(path), Options::ENABLE_TABLES).filter_map(
                |event| match event {
                    Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
                    _ => None,
                },
            );
        let leads = |link: &String| {
            let file = link.split('#').next().unwrap_or_default();
            link.contains(':') || file.is_empty() || self.leads_somewhere(path, file)
        };
        links.filter(|link| !leads(link)).map(|link| format!("{path}: {link}")).collect()
    }

    fn leads_somewhere(&self, from: &str, href: &str) -> bool {
        let (file, anchor) = href.split_once('#').unwrap_or((href, ""));
        let mut parts: Vec<&str> = from.split('/').collect();
        if !file.is_empty() {
            parts.pop();
            for part in file.split('/') {
                match part {
                    "." => {}
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
        }
        let target = parts.join("/");
        if !self.files.contains_key(&target) {
            return false;
        }
        anchor.is_empty() || self.anchors(&target).contains(anchor)
    }

    /// The places of a page. Many links lead to the same page, which is parsed once.
    fn anchors(&self, path: &str) -> Rc<BTreeSet<String>> {
        let parse = || {
            let page = self.page(path);
            let with_id = selector("[id]");
            let ids = page.select(&with_id).filter_map(|element| element.value().id());
            Rc::new(ids.map(str::to_owned).collect())
        };
        self.anchors.borrow_mut().entry(path.to_owned()).or_insert_with(parse).clone()
    }

    /// Scripts, styles, images and fonts that come over the network.
    pub(crate) fn loaded_from_elsewhere(&self) -> Vec<String> {
        let mut loaded = Vec::new();
        for path in self.paths() {
            for element in self.page(path).select(&selector("script, link, img, iframe")) {
                let source = element.value().attr("src").or(element.value().attr("href"));
                loaded.extend(source.filter(|source| source.contains("//")).map(str::to_owned));
            }
        }
        for (path, bytes) in self.files.iter().filter(|(path, _)| has_extension(path, "css")) {
            let css = String::from_utf8_lossy(bytes);
            if css.contains("url(\"http") || css.contains("url(http") || css.contains("@import") {
                loaded.push(path.clone());
            }
        }
        loaded
    }

    /// Elements that hostile text has brought about: anything in a page's body that the generator
    /// never writes, and attributes that run or load something.
    pub(crate) fn injected(&self, path: &str) -> Vec<String> {
        let page = self.page(path);
        let never = "main b, main script, main img, main del, main em, main strong, main blockquote, style, [style], #injected";
        let mut found: Vec<String> = page.select(&selector(never)).map(|e| e.html()).collect();
        for element in page.select(&selector("*")) {
            for (name, value) in element.value().attrs() {
                if name.starts_with("on") || value.starts_with("javascript:") {
                    found.push(element.html());
                }
            }
        }
        found.extend(
            page.select(&selector("script")).map(text).filter(|script| script.contains("injected")),
        );
        found
    }

    /// Whether every row of a Markdown table has the cells of its head.
    pub(crate) fn tables_are_even(&self, path: &str) -> bool {
        let page = self.page(path);
        page.select(&selector("main table")).all(|table| {
            let head = table.select(&selector("thead th")).count();
            let rows = selector("tbody tr");
            table.select(&rows).all(|row| row.select(&selector("td, th")).count() == head)
        })
    }
}

pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

/// Text as it is read: blank space collapsed, except in code blocks.
fn text(element: ElementRef<'_>) -> String {
    let whole: String = element.text().collect();
    if element.value().name() == "pre" {
        whole
    } else {
        whole.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
