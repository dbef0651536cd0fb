//! Why a path was refused.

use super::escape::escape;
use super::{NAME_LIMIT, PATH_LIMIT};

/// A refused path and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid path: {fault}")]
pub struct PathError {
    /// The path as given, with control and invisible characters escaped, shortened if it is long.
    pub path: String,
    /// The rule it breaks.
    pub fault: PathFault,
}

impl PathError {
    pub(crate) fn new(path: &str, fault: PathFault) -> Self {
        const SHOWN: usize = 200;
        let end = path.char_indices().nth(SHOWN).map_or(path.len(), |(end, _)| end);
        let path = escape(&path[..end]).into_owned();
        Self { path, fault }
    }
}

/// The rule that a path breaks. Each message says what was found and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// The path is empty.
    #[error("it is empty; expected a vault-relative path such as `Projects/Plan.md`")]
    Empty,
    /// Starts at the file system's root.
    #[error("it is absolute; expected a path relative to the vault, without a leading `/`")]
    Absolute,
    /// Starts with `~`.
    #[error("`~` stands for a home folder; expected a path relative to the vault")]
    Home,
    /// Starts with a drive letter.
    #[error("it starts with a drive; expected a path relative to the vault")]
    Drive,
    /// Contains a backslash, and no file has this name.
    #[error("it contains a backslash; expected `/` between folders")]
    Backslash,
    /// Contains a `.` segment.
    #[error("it contains a `.` segment; expected plain folder and file names")]
    CurrentFolder,
    /// Contains a `..` segment.
    #[error("it contains a `..` segment; expected a path that stays inside the vault")]
    ParentFolder,
    /// Contains `//`.
    #[error("it contains an empty segment (`//`); expected one `/` between names")]
    EmptySegment,
    /// Ends with `/`.
    #[error("it ends with `/`; expected the path of a file")]
    TrailingSlash,
    /// A segment starts with a dot.
    #[error("`{}` is hidden; names that start with a dot are not part of the vault", escape(.0))]
    Hidden(String),
    /// The character NUL, or another control character in a name that does not exist.
    #[error("it contains the control character U+{0:04X}; expected printable text")]
    Control(u32),
    /// An invisible character, or one that reorders the text around it, in a name that does not exist.
    #[error("it contains the invisible character U+{0:04X}; expected visible text only")]
    Invisible(u32),
    /// A character that not every system allows in names, in a name that does not exist.
    #[error(
        "it contains `{0}`, and no file has this name; some systems do not allow the character, so leave it \
         out of new names"
    )]
    Forbidden(char),
    /// A name that Windows reserves for a device, and that does not exist.
    #[error("`{}` is a device name on Windows; choose another name", escape(.0))]
    Device(String),
    /// A segment that does not exist ends with a dot or a space.
    #[error("`{}` ends with a dot or a space, which Windows drops; choose another name", escape(.0))]
    TrailingDotOrSpace(String),
    /// A segment is too long.
    #[error("a name is {0} bytes long; expected at most {NAME_LIMIT}")]
    LongName(usize),
    /// The whole path is too long.
    #[error("it is {0} bytes long; expected at most {PATH_LIMIT}")]
    LongPath(usize),
    /// A new name contains a separator.
    #[error("it contains `/`; expected a bare name, since renaming stays in the same folder")]
    NotAName,
    /// A link cannot be written so that it names the file.
    #[error(
        "`{link}` in `{note}` could not link to it; leave `#`, `^`, `[` and `]` out of the name"
    )]
    Unlinkable {
        /// The link as written.
        link: String,
        /// The file that contains it.
        note: String,
    },
    /// A symbolic link in the path.
    #[error(
        "`{}` is a symbolic link, which the vault does not follow; expected a real file or folder", escape(.0))]
    SymbolicLink(String),
    /// A folder where a file is expected.
    #[error("`{}` is a folder; expected the path of a file", escape(.0))]
    IsFolder(String),
    /// A file where a folder is expected.
    #[error("`{}` is a file; expected a folder", escape(.0))]
    NotAFolder(String),
    /// A pipe, socket or device.
    #[error("`{}` is neither a file nor a folder", escape(.0))]
    NotAFile(String),
}
