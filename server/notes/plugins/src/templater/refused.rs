//! What templates may not use here, and why.

const NEEDS_OBSIDIAN: &str = "it needs a running Obsidian";
const NETWORK: &str = "templates may not use the network";
const ARBITRARY_CODE: &str = "the vault's scripts and the system's commands are not run";
const OTHER_FILES: &str = "a template may change only the note that it is for";
const CURSOR: &str = "no editor is open";

/// Names, and why each is refused. A name also covers what it contains.
const REFUSED: [(&str, &str); 19] = [
    ("tp.web", NETWORK),
    ("tp.user", ARBITRARY_CODE),
    ("tp.app", NEEDS_OBSIDIAN),
    ("tp.obsidian", NEEDS_OBSIDIAN),
    ("tp.hooks", NEEDS_OBSIDIAN),
    ("tp.system.clipboard", "the clipboard may hold what its user does not want to share"),
    ("tp.file.create_new", OTHER_FILES),
    ("tp.file.cursor_append", CURSOR),
    ("app", NEEDS_OBSIDIAN),
    ("obsidian", NEEDS_OBSIDIAN),
    ("window", NEEDS_OBSIDIAN),
    ("document", NEEDS_OBSIDIAN),
    ("navigator", NEEDS_OBSIDIAN),
    ("Notice", NEEDS_OBSIDIAN),
    ("customJS", NEEDS_OBSIDIAN),
    ("require", ARBITRARY_CODE),
    ("process", ARBITRARY_CODE),
    ("fetch", NETWORK),
    ("requestUrl", NETWORK),
];

/// Why a name is refused; `None` if it is not.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, why)| *why)
}
