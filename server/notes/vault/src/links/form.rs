//! How a link's target is written so that it names a certain file.
//!
//! The vault's settings decide if they say how links are written. Otherwise a path stays a path of
//! its kind, and a name stays a name as long as it is unambiguous.

use super::names::FileId;
use super::resolve::NamesView;
use crate::obsidian::settings::LinkFormat;
use crate::path::fold;

/// Ways to write a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathStyle {
    /// The bare name, if no other file has it.
    Name,
    /// The path from the vault's root.
    Root { slash: bool },
    /// The path from the note's folder.
    Relative { dot: bool },
}

impl From<LinkFormat> for PathStyle {
    fn from(format: LinkFormat) -> Self {
        match format {
            LinkFormat::Shortest => Self::Name,
            LinkFormat::Relative => Self::Relative { dot: false },
            LinkFormat::Absolute => Self::Root { slash: false },
        }
    }
}

/// A link whose target is to be rewritten.
pub(super) struct Respelling<'a> {
    /// The names when the link was written, and the names after the change.
    pub(super) before: NamesView<'a>,
    pub(super) after: NamesView<'a>,
    /// The file that contains the link, and the file that it names.
    pub(super) source: FileId,
    pub(super) target: FileId,
    /// Whether the target was a path from the folder of `source` that other programs follow, too.
    pub(super) is_relative_path: bool,
    pub(super) format: Option<LinkFormat>,
}

impl Respelling<'_> {
    /// The new target in place of `old`; `None` if no spelling names the file.
    pub(super) fn spell_like(&self, old: &str) -> Option<String> {
        let path = self.after.path(self.target)?;
        let bare_note = path.is_note() && fold(old).strip_suffix(".md").is_none();
        let end = path.as_str().len() - if bare_note { ".md".len() } else { 0 };
        let shown = &path.as_str()[..end];
        let form = self.format.map_or_else(|| self.path_style(old), PathStyle::from);
        let dotted =
            matches!(form, PathStyle::Relative { .. }).then_some(PathStyle::Relative { dot: true });
        let any = [
            PathStyle::Root { slash: false },
            PathStyle::Relative { dot: true },
            PathStyle::Root { slash: true },
        ];
        let forms = [form].into_iter().chain(dotted).chain(any);
        let spelled = forms.filter_map(|form| self.spell(shown, form));
        let with_extension = std::iter::once(path.as_str().to_owned());
        spelled
            .chain(with_extension)
            .find(|new| self.after.resolve(new, self.source) == Some(self.target))
    }

    /// The form of a target that names the file.
    fn path_style(&self, old: &str) -> PathStyle {
        let old = old.trim();
        if self.is_relative_path {
            return PathStyle::Relative { dot: old.starts_with("./") };
        }
        if old.starts_with('/') {
            return PathStyle::Root { slash: true };
        }
        if old.starts_with("./") || old.starts_with("../") {
            return PathStyle::Relative { dot: true };
        }
        let without_md = |path: &str| fold(path).trim_end_matches(".md").to_owned();
        let path = self.before.path(self.target).map(|path| without_md(path.as_str()));
        let is = |whole: &str| path.as_deref() == Some(&without_md(whole));
        if !old.contains('/') {
            PathStyle::Name
        } else if is(old) {
            PathStyle::Root { slash: false }
        } else if is(&format!("{}/{old}", self.before.folder(self.source))) {
            PathStyle::Relative { dot: false }
        } else {
            PathStyle::Name
        }
    }

    fn spell(&self, path: &str, form: PathStyle) -> Option<String> {
        match form {
            PathStyle::Name => {
                let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
                self.after.is_unique(name, self.source).then(|| name.to_owned())
            }
            PathStyle::Root { slash } => Some(format!("{}{path}", if slash { "/" } else { "" })),
            PathStyle::Relative { dot } => {
                Some(relative_path(self.after.folder(self.source), path, dot))
            }
        }
    }
}

/// The relative path from a folder. With `dot`, it starts with `./` or `../`.
fn relative_path(folder: &str, path: &str, dot: bool) -> String {
    let mut from = folder.split('/').filter(|name| !name.is_empty()).peekable();
    let mut to = path.split('/').peekable();
    // The last name is the file's and cannot be a common folder.
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
