//! Reading a manifest: the root file, what it includes, then the checks.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR_STR, Path};

use crate::authority::Authority;
use crate::check;
use crate::diagnostics::{Place, Problem, Problems, Report, Source, Sources};
use crate::injection::hidden;
use crate::raw::lock_file::{self, LockFile};
use crate::raw::{FromNode, RawIncluded, RawManifest, RawProvider, RawRoot};
pub use crate::yaml::MAX_BYTES;
use crate::yaml::{self, Node, Text};

/// Reads a manifest from the file system. Paths under `include` are relative to the root file.
///
/// # Errors
/// All problems of all files.
pub fn load(root: &Path) -> Result<Authority, Problems> {
    let root = root.to_string_lossy().replace(MAIN_SEPARATOR_STR, "/");
    load_sources(&root, read)
}

/// Reads a manifest from the file system, with the texts that `edited` has in place of those of its files.
///
/// # Errors
/// All problems of all files.
pub fn load_edited(
    root: &Path,
    edited: impl Fn(&str) -> Option<String>,
) -> Result<Authority, Problems> {
    let root = root.to_string_lossy().replace(MAIN_SEPARATOR_STR, "/");
    load_sources(&root, |path| edited(path).map_or_else(|| read(path), Ok))
}

/// Whether a file of a load has another text now, can no longer be read, or can be read and could not before.
pub fn has_changed(sources: &Sources) -> bool {
    let read = |path: &str| read(path).ok();
    sources.iter().any(|source| read(&source.path).as_ref() != Some(&source.text))
        || sources.unread().iter().any(|path| read(path).is_some())
}

/// The most bytes of a character.
const MOST_OF_CHARACTER: usize = 4;

fn read(path: &str) -> io::Result<String> {
    // A pipe or a device would never end.
    let kind = fs::metadata(path)?.file_type();
    if !(kind.is_file() || kind.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    // More than is allowed, so that the size check detects a file that is too large, also without a character that is cut.
    let mut bytes = Vec::new();
    File::open(path)?.take((yaml::MAX_BYTES + MOST_OF_CHARACTER) as u64).read_to_end(&mut bytes)?;
    if bytes.len() > yaml::MAX_BYTES
        && let Err(error) = str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    String::from_utf8(bytes).map_err(|_| {
        let what = if is_utf16 { "it is UTF-16" } else { "it is not UTF-8" };
        io::Error::new(io::ErrorKind::InvalidData, format!("{what}; save it as UTF-8"))
    })
}

/// Reads a manifest through `read`, which gives the text of a path: `root`, or an entry of `include`
/// joined to the root's folder, each with `/` between its parts and with `.` and `..` resolved.
///
/// # Errors
/// All problems of all files.
pub fn load_sources(
    root: &str,
    read: impl FnMut(&str) -> io::Result<String>,
) -> Result<Authority, Problems> {
    let mut load = Load { read, sources: Sources::default(), report: Report::default() };
    let root = cleaned(root);
    let manifest = match (load.read)(&root) {
        Ok(text) => load.root(root, text),
        Err(error) => {
            let problem = Problem::placeless(format!("cannot read the manifest `{root}`: {error}"));
            load.report.push(if error.kind() == io::ErrorKind::IsADirectory {
                problem.help("name the file in it, such as `authority.yaml`")
            } else {
                problem
            });
            load.sources.push_unread(root);
            None
        }
    };
    let Load { sources, mut report, .. } = load;
    let model = manifest.map(|manifest| check::check(manifest, &mut report));
    let failed = report.has_errors();
    let problems = report.into_problems();
    match model {
        Some(model) if !failed => Ok(Authority { model, sources, warnings: problems }),
        model => Err(Problems::new(problems, sources, model)),
    }
}

/// Reads a manifest from stored texts of its files: the root file with its path first, then the included
/// files, the cookbooks and the lock files in their order.
///
/// # Errors
/// All problems of all files.
pub fn load_kept<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Authority, Problems> {
    let mut files = files.into_iter().peekable();
    let root = files.peek().map_or("", |(path, _)| path);
    load_sources(root, |_| {
        let (_, text) = files.next().ok_or(io::ErrorKind::NotFound)?;
        Ok(text.to_owned())
    })
}

/// Size limit of a cookbook, in bytes.
const MOST_OF_GUIDE: usize = 64 * 1024;

/// A file that another one names.
struct Beside {
    what: &'static str,
    expected: &'static str,
    /// Its size limit, in bytes.
    most: usize,
}

struct Load<R> {
    read: R,
    sources: Sources,
    report: Report,
}

impl<R: FnMut(&str) -> io::Result<String>> Load<R> {
    fn root(&mut self, path: String, text: String) -> Option<RawManifest> {
        let folder = path.rfind('/').map_or(String::new(), |end| path[..=end].to_owned());
        let (file, node) = self.parse(path, text);
        let raw = RawRoot::from_node(&node?, Place::start_of(file), &mut self.report)?;
        check::version(raw.toolwrit.as_ref(), &mut self.report);
        let includes = raw.include.clone().unwrap_or_default();
        let parts = includes.iter().filter_map(|path| self.included(&folder, path)).collect();
        let mut manifest = RawManifest::new(raw, parts, &mut self.report);
        let files = manifest.cookbooks.iter().map(|cookbook| cookbook.value.file.as_ref());
        manifest.guides = files.map(|file| self.guide(&folder, file)).collect();
        let providers = manifest.providers.iter();
        manifest.locks = providers.map(|entry| self.lock(&folder, &entry.value)).collect();
        Some(manifest)
    }

    fn included(&mut self, folder: &str, path: &Text) -> Option<RawIncluded> {
        let included = self.read_included(folder, path);
        if included.is_none() {
            self.report.file_is_missing();
        }
        included
    }

    fn read_included(&mut self, folder: &str, path: &Text) -> Option<RawIncluded> {
        let leaves = path.value.split('/').any(|part| part == "..");
        if path.value.is_empty()
            || path.value.starts_with('/')
            || path.value.contains('\\')
            || leaves
        {
            self.report.push(
                Problem::error(path.place, format!("`{}` cannot be included", path.value))
                    .expected("a path below the folder of this file, with `/` between its parts"),
            );
            return None;
        }
        let full = cleaned(&format!("{folder}{}", path.value));
        if self.sources.iter().any(|source| source.path == full) {
            let message = format!("`{}` is included twice", path.value);
            self.report.push(Problem::error(path.place, message));
            return None;
        }
        let text = match (self.read)(&full) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.value);
                self.sources.push_unread(full);
                let problem = Problem::error(path.place, message).expected("a file that exists");
                self.report.push(if path.value.contains('*') {
                    problem.help("patterns are not allowed; list each file, so that no file is included by accident")
                } else {
                    problem
                });
                return None;
            }
        };
        let (file, node) = self.parse(full, text);
        let included = RawIncluded::from_node(&node?, Place::start_of(file), &mut self.report)?;
        check::version(included.toolwrit.as_ref(), &mut self.report);
        Some(included)
    }

    /// The text of a cookbook. Empty if it cannot be read, which is reported.
    fn guide(&mut self, root: &str, file: Option<&Text>) -> Source {
        let what = Beside {
            what: "the cookbook",
            expected: "a Markdown file that exists",
            most: MOST_OF_GUIDE,
        };
        let guide = file.and_then(|file| self.beside(root, file, &what));
        let Some((at, path)) = guide else {
            return Source { path: String::new(), text: String::new() };
        };
        let text = self.sources.iter().as_slice()[at].text.clone();
        hidden::in_text(at, &text, &mut self.report);
        Source { path, text }
    }

    /// The lock file of a provider. Its tools are `None` if they cannot be read, which is reported.
    fn lock(&mut self, root: &str, provider: &RawProvider) -> Option<LockFile> {
        let file = provider.mcp.as_ref()?.keys.lock.as_ref()?;
        let what = Beside {
            what: "the lock file",
            expected: "a lock file that exists; `import mcp` writes one",
            most: yaml::MAX_BYTES,
        };
        let Some((at, path)) = self.beside(root, file, &what) else {
            return Some(LockFile { path: file.value.clone(), tools: None });
        };
        let tools = match lock_file::tools(&self.sources.iter().as_slice()[at].text) {
            Ok(tools) => Some(tools),
            Err(why) => {
                let message = format!("`{}` is not a lock file: {why}", file.value);
                let problem = Problem::error(file.place, message);
                self.report.push(problem.help("write it again with `import mcp`"));
                None
            }
        };
        Some(LockFile { path, tools })
    }

    /// Reads a file whose path is relative to the file that names it. Returns its index and its path relative to the root
    /// file; `None` if it cannot be read, which is reported.
    fn beside(&mut self, root: &str, file: &Text, what: &Beside) -> Option<(usize, String)> {
        let naming_path = self.sources.get(file.place).map_or("", |source| source.path.as_str());
        let folder = naming_path.rfind('/').map_or("", |end| &naming_path[..=end]);
        let is_relative = !file.value.starts_with('/') && !file.value.contains('\\');
        let full = cleaned(&format!("{folder}{}", file.value));
        let path = full.strip_prefix(root).filter(|path| is_relative && !path.starts_with("../"));
        let read = if path.is_some() {
            (self.read)(&full).map_err(|error| {
                self.sources.push_unread(full.clone());
                format!("cannot read `{}`: {error}", file.value)
            })
        } else {
            Err(format!("`{}` is not a file beside or below the manifest", file.value))
        };
        let problem = match read {
            Ok(text) if text.len() <= what.most => {
                let path = path.unwrap_or_default().to_owned();
                return Some((self.sources.push(Source { path: full, text }), path));
            }
            Ok(_) => Problem::error(file.place, format!("{} is too long", what.what))
                .expected(format!("at most {} KiB", what.most >> 10)),
            Err(message) => Problem::error(file.place, message).expected(what.expected),
        };
        self.report.push(problem);
        None
    }

    fn parse(&mut self, path: String, text: String) -> (usize, Option<Node>) {
        let file = self.sources.push(Source { path, text });
        let text = &self.sources.iter().as_slice()[file].text;
        let node = yaml::parse(file, text, &mut self.report);
        hidden::in_text(file, text, &mut self.report);
        (file, node)
    }
}

/// A path with `.` and `..` resolved, without reading the file system.
fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}
