//! How the target of a link is written so that it names a certain file.
//!
//! A link keeps the form it has, if that can name the file; else it takes the form that the vault's
//! settings ask for new links, else the path from the root, which can name every file.

use super::names::FileId;
use super::resolve::View;
use crate::obsidian::LinkFormat;
use crate::path::folded;

/// Ways to write a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The last so many names of the path; one is the bare name.
    End(usize),
    /// The path from the vault's root.
    Root { slash: bool },
    /// The path from the note's folder.
    Relative { dot: bool },
}

/// A link whose target is to be written anew.
pub(super) struct Respelling<'a> {
    /// The names as they were when the link was written, and as they will be.
    pub(super) before: View<'a>,
    pub(super) after: View<'a>,
    /// The file that holds the link, and the one that it names.
    pub(super) source: FileId,
    pub(super) target: FileId,
    pub(super) format: LinkFormat,
}

impl Respelling<'_> {
    /// What to write in place of `old`; `None` if nothing names the file.
    pub(super) fn of(&self, old: &str) -> Option<String> {
        let path = self.after.path(self.target)?;
        let bare_note = path.is_note() && folded(old).strip_suffix(".md").is_none();
        let end = path.as_str().len() - if bare_note { ".md".len() } else { 0 };
        let shown = &path.as_str()[..end];
        let configured = match self.format {
            LinkFormat::Shortest => Form::End(1),
            LinkFormat::Relative => Form::Relative { dot: false },
            LinkFormat::Absolute => Form::Root { slash: false },
        };
        let forms = [
            self.form(old),
            configured,
            Form::Root { slash: false },
            Form::Relative { dot: true },
            Form::Root { slash: true },
        ];
        let spelled = forms.iter().map(|form| self.spell(shown, *form));
        let with_extension = std::iter::once(path.to_string());
        spelled
            .chain(with_extension)
            .find(|new| self.after.resolve(new, self.source) == Some(self.target))
    }

    /// The form of a target that names the file.
    fn form(&self, old: &str) -> Form {
        let old = old.trim();
        if old.starts_with('/') {
            return Form::Root { slash: true };
        }
        if old.starts_with("./") || old.starts_with("../") {
            return Form::Relative { dot: true };
        }
        let names = old.split('/').count();
        let without_md = |path: &str| folded(path).trim_end_matches(".md").to_owned();
        let path = self.before.path(self.target).map(|path| without_md(path.as_str()));
        let is = |whole: &str| path.as_deref() == Some(&without_md(whole));
        if names == 1 {
            Form::End(1)
        } else if is(old) {
            Form::Root { slash: false }
        } else if is(&format!("{}/{old}", folder(self.before, self.source))) {
            Form::Relative { dot: false }
        } else {
            Form::End(names)
        }
    }

    fn spell(&self, path: &str, form: Form) -> String {
        match form {
            Form::End(names) => {
                let start = path.rmatch_indices('/').nth(names - 1).map_or(0, |(at, _)| at + 1);
                path[start..].to_owned()
            }
            Form::Root { slash } => format!("{}{path}", if slash { "/" } else { "" }),
            Form::Relative { dot } => relative(folder(self.after, self.source), path, dot),
        }
    }
}

fn folder(view: View<'_>, file: FileId) -> &str {
    let path = view.path(file).map_or("", |path| path.as_str());
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The way from a folder to a path. With `dot`, it starts with `./` or `../`.
fn relative(folder: &str, path: &str, dot: bool) -> String {
    let mut from = folder.split('/').filter(|name| !name.is_empty()).peekable();
    let mut to = path.split('/').peekable();
    // The last name is the file's: it is not a folder in common.
    let names = path.matches('/').count();
    let mut common = 0;
    while common < names && from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
        common += 1;
    }
    let up = "../".repeat(from.count());
    let here = if dot && up.is_empty() { "./" } else { "" };
    format!("{here}{up}{}", to.collect::<Vec<_>>().join("/"))
}
