//! The documents of an import: the root, and the others to which it refers. All are read before anything is converted.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use toolwrit_frontmatter::is_shallow;
use ureq::Agent;
use ureq::http::header::LOCATION;
use ureq::tls::{RootCerts, TlsConfig};
use url::Url;

use crate::document::{overlay, swagger};
use crate::losses::{Kind, Losses};
use crate::options::Options;

const MOST_BYTES: usize = 64 << 20;
const MOST_DEPTH: usize = 128;
const MOST_DOCUMENTS: usize = 100;
const MOST_REDIRECTS: usize = 5;
const MOST_SECONDS: u64 = 30;

/// Why a document cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document cannot be read.
    #[error("cannot read `{name}`: {why}")]
    Unreadable {
        /// The document.
        name: String,
        /// The reason.
        why: String,
    },
    /// It is neither `OpenAPI` 3 nor Swagger 2.0.
    #[error(
        "`{name}` is {found}; expected an OpenAPI document of version 3.0, 3.1 or 3.2, or Swagger 2.0{hint}"
    )]
    Version {
        /// The document.
        name: String,
        /// What it is.
        found: String,
        /// How to get one.
        hint: &'static str,
    },
    /// A selected operation does not exist.
    #[error("the document has no operation `{name}`{hint}")]
    NoOperation {
        /// What was selected.
        name: String,
        /// A similar operation, in words.
        hint: String,
    },
    /// A name that was given is not valid.
    #[error(
        "`{0}` is not the name of a category; expected lower case letters, digits and `-`, a letter first"
    )]
    Category(String),
    /// There is nothing to import.
    #[error("the document has no operation that can be imported")]
    Nothing,
}

impl ImportError {
    fn unreadable(name: impl Into<String>, why: &impl ToString) -> Self {
        Self::Unreadable { name: name.into(), why: why.to_string() }
    }
}

/// Where a document is read from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Address {
    File(PathBuf),
    Url(Url),
}

struct Document {
    name: String,
    value: Value,
}

/// The documents that were read.
pub(crate) struct Documents {
    read: Vec<Document>,
    /// The documents to which a document refers, by the text of the reference before `#`.
    links: HashMap<(usize, String), usize>,
    url: Option<Url>,
}

impl Documents {
    /// Reads a document of the file system or the web, and the documents to which it refers. Those that are not
    /// read are losses.
    pub(crate) fn read(
        source: &str,
        options: &Options,
        losses: &mut Losses,
    ) -> Result<Self, ImportError> {
        let root = if source.starts_with("https://") || source.starts_with("http://") {
            Address::Url(Url::parse(source).map_err(|why| ImportError::unreadable(source, &why))?)
        } else {
            let path = fs::canonicalize(source);
            Address::File(path.map_err(|why| ImportError::unreadable(source, &why))?)
        };
        let mut reader = DocumentReader::new(&root, &options.allowed_hosts);
        let text = reader.read_text(&root).map_err(|why| ImportError::unreadable(source, &why))?;
        let mut value = parse(&text).map_err(|why| ImportError::unreadable(source, &why))?;
        apply_overlays(&mut value, options, losses)?;
        let url = if let Address::Url(url) = &root { Some(url.clone()) } else { None };
        let mut documents = Self::from_value(value);
        documents.url = url;
        documents.read_references(root, &mut reader, losses);
        Ok(documents)
    }

    /// A document that was not read from an address, so that its references to other documents cannot be followed.
    pub(crate) fn from_value(mut value: Value) -> Self {
        if swagger::is_swagger(&value) {
            swagger::convert(&mut value);
        }
        let root = Document { name: String::new(), value };
        Self { read: vec![root], links: HashMap::new(), url: None }
    }

    fn read_references(&mut self, root: Address, reader: &mut DocumentReader, losses: &mut Losses) {
        let mut addresses = vec![root];
        let mut at = 0;
        while at < self.read.len() {
            let mut targets = Vec::new();
            collect_references(&self.read[at].value, &mut targets);
            for target in targets {
                if self.links.contains_key(&(at, target.clone())) {
                    continue;
                }
                let address = match reader.resolve(&addresses[at], &target) {
                    Ok(address) => address,
                    Err(why) => {
                        losses.add(Kind::Reference, &target, why);
                        continue;
                    }
                };
                if let Some(known) = addresses.iter().position(|known| *known == address) {
                    self.links.insert((at, target), known);
                    continue;
                }
                if addresses.len() >= MOST_DOCUMENTS {
                    let message = format!("not read: more than {MOST_DOCUMENTS} documents");
                    losses.add(Kind::Reference, &target, message);
                    continue;
                }
                match reader.read_text(&address).and_then(|text| parse(&text)) {
                    Ok(value) => {
                        self.links.insert((at, target.clone()), addresses.len());
                        addresses.push(address);
                        self.read.push(Document { name: target, value });
                    }
                    Err(why) => losses.add(Kind::Reference, &target, format!("not read: {why}")),
                }
            }
            at += 1;
        }
    }

    pub(crate) fn root(&self) -> &Value {
        &self.read[0].value
    }

    /// The URL from which the root was read.
    pub(crate) fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    pub(crate) fn value(&self, document: usize) -> &Value {
        &self.read[document].value
    }

    /// The name of a document in the list of losses; empty for the root.
    pub(crate) fn name(&self, document: usize) -> &str {
        &self.read[document].name
    }

    /// The document to which a reference leads, from the text before `#`.
    pub(crate) fn find_target(&self, from: usize, text: &str) -> Option<usize> {
        if text.is_empty() { Some(from) } else { self.links.get(&(from, text.to_owned())).copied() }
    }
}

/// The documents to which a value refers: the texts before `#`.
fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::String(text) if key == "$ref" => {
                        let document = text.split('#').next().unwrap_or_default();
                        if !document.is_empty() && !found.iter().any(|known| known == document) {
                            found.push(document.to_owned());
                        }
                    }
                    _ => collect_references(value, found),
                }
            }
        }
        _ => {}
    }
}

/// Changes a document by the overlays of an import.
pub(crate) fn apply_overlays(
    document: &mut Value,
    options: &Options,
    losses: &mut Losses,
) -> Result<(), ImportError> {
    for path in &options.overlays {
        let name = path.display().to_string();
        let mut read = || {
            let address = Address::File(path.clone());
            let text = DocumentReader::new(&address, &[]).read_text(&address)?;
            overlay::apply(document, &parse(&text)?, losses)
        };
        read().map_err(|why| ImportError::unreadable(name, &why))?;
    }
    Ok(())
}

/// Parses JSON or YAML.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{')
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    if !is_shallow(text, MOST_DEPTH) {
        return Err(format!("its values are nested more than {MOST_DEPTH} levels deep"));
    }
    let wrong = |why: serde_yaml::Error| format!("neither JSON nor YAML: {why}");
    if text.contains("<<") {
        let mut value: serde_yaml::Value = serde_yaml::from_str(text).map_err(wrong)?;
        value.apply_merge().map_err(wrong)?;
        return Ok(to_json(value));
    }
    serde_yaml::from_str(text).map_err(wrong)
}

/// A value of YAML as JSON. Keys are texts there.
fn to_json(value: serde_yaml::Value) -> Value {
    use serde_yaml::Value as Yaml;
    match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(flag) => flag.into(),
        Yaml::Number(number) => serde_json::to_value(number).unwrap_or_default(),
        Yaml::String(text) => text.into(),
        Yaml::Sequence(items) => items.into_iter().map(to_json).collect(),
        Yaml::Mapping(members) => {
            let members = members.into_iter().map(|(key, value)| {
                let key = match to_json(key) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                (key, to_json(value))
            });
            Value::Object(members.collect())
        }
        Yaml::Tagged(tagged) => to_json(tagged.value),
    }
}

/// Reads documents within limits.
struct DocumentReader {
    /// The folder below which files may be read.
    folder: Option<PathBuf>,
    hosts: Vec<String>,
    agent: Option<Agent>,
    left: usize,
}

impl DocumentReader {
    fn new(root: &Address, allowed_hosts: &[String]) -> Self {
        let mut hosts = allowed_hosts.to_vec();
        let mut folder = None;
        match root {
            Address::File(path) => folder = path.parent().map(Path::to_path_buf),
            Address::Url(url) => hosts.extend(url.host_str().map(str::to_owned)),
        }
        Self { folder, hosts, agent: None, left: MOST_BYTES }
    }

    /// The address to which a reference of a document leads.
    fn resolve(&self, from: &Address, text: &str) -> Result<Address, String> {
        match from {
            Address::Url(url) => {
                let url = url.join(text).map_err(|why| format!("not followed: {why}"))?;
                self.check_host(&url).map(|()| Address::Url(url))
            }
            Address::File(_) if text.contains("://") => Err(
                "not followed: a document of the file system may not refer to the web; import it by its URL".to_owned(),
            ),
            Address::File(path) => {
                let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
                let path = path.parent().unwrap_or(path).join(decoded.as_ref());
                let path = fs::canonicalize(path).map_err(|why| format!("not read: {why}"))?;
                match &self.folder {
                    Some(folder) if path.starts_with(folder) => Ok(Address::File(path)),
                    _ => Err("not followed: the file is not below the folder of the document".to_owned()),
                }
            }
        }
    }

    fn check_host(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        if !matches!(url.scheme(), "https" | "http") {
            return Err(format!("not followed: `{}` is not a web address", url.scheme()));
        }
        if self.hosts.iter().any(|allowed| allowed == host) {
            return Ok(());
        }
        Err(format!("not followed: it is on another host; allow it with `--allow-host {host}`"))
    }

    fn read_text(&mut self, address: &Address) -> Result<String, String> {
        let bytes = match address {
            Address::File(path) => {
                self.read_limited(File::open(path).map_err(|why| why.to_string())?)?
            }
            Address::Url(url) => self.fetch(url.clone())?,
        };
        self.left -= bytes.len();
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }

    fn read_limited(&self, from: impl Read) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let most = self.left as u64 + 1;
        let read: io::Result<usize> = from.take(most).read_to_end(&mut bytes);
        read.map_err(|why| why.to_string())?;
        if bytes.len() > self.left {
            return Err(format!("the documents have more than {MOST_BYTES} bytes"));
        }
        Ok(bytes)
    }

    /// Follows redirects to hosts that may be reached.
    fn fetch(&mut self, mut url: Url) -> Result<Vec<u8>, String> {
        let agent = self.agent.get_or_insert_with(new_agent).clone();
        for _ in 0..=MOST_REDIRECTS {
            self.check_host(&url)?;
            let mut answer = agent.get(url.as_str()).call().map_err(|why| why.to_string())?;
            let status = answer.status();
            if status.is_redirection() {
                let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                let to = to.ok_or("a redirect without a target")?;
                url = url.join(to).map_err(|why| why.to_string())?;
                continue;
            }
            if !status.is_success() {
                return Err(format!("the server answered with status {}", status.as_u16()));
            }
            return self.read_limited(answer.body_mut().as_reader());
        }
        Err(format!("more than {MOST_REDIRECTS} redirects"))
    }
}

fn new_agent() -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(MOST_SECONDS)))
        .tls_config(tls)
        .build()
        .new_agent()
}
