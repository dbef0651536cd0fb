//! The help of the whole program: its commands in groups, because a list of two dozen answers no question.

use std::fmt::Write as _;

use super::{Program, invocation};

/// The groups, and the commands of each in the order in which they are shown. Others come last.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Connect clients", &["install", "uninstall", "serve", "doctor"]),
    ("Look and call", &["browse", "list", "search", "describe", "context", "call", "chat", "run"]),
    ("Operate", &["token", "audit", "metrics", "upstream", "import", "files"]),
    ("Write servers", &["check", "schema", "scaffold", "tokens", "export", "docs", "lsp"]),
    ("More", &["completions"]),
];

/// The template of the help, in the language of clap.
pub(super) fn template(program: &Program) -> String {
    let mut text = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    let known = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    for (at, (title, names)) in GROUPS.iter().enumerate() {
        let listed =
            names.iter().filter_map(|name| program.verbs().find(|verb| verb.name == *name));
        let others = program.verbs().filter(|verb| at + 1 == GROUPS.len() && !known(verb.name));
        let lines = listed.chain(others).map(|verb| {
            let about = (verb.command)(program).get_about().map(ToString::to_string);
            format!("  {:12} {}\n", verb.name, about.unwrap_or_default())
        });
        let lines: Vec<String> = lines.collect();
        if !lines.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{title}:\n{}", lines.concat());
        }
    }
    let _ = write!(
        text,
        "\nOptions:\n{{options}}\n\nTry `{0}` alone for what is here, `{0} help COMMAND` for its flags, and `{0} search \"WISH\"` for an operation.\n",
        invocation()
    );
    text
}
