//! What templates may not do, with the place.

use super::{failure, text};

#[test]
fn network_scripts_obsidian_and_clipboard_are_refused_with_the_reason() {
    let cases = [
        (
            "<% await tp.web.daily_quote() %>",
            "`tp.web` is refused: templates may not use the network",
        ),
        (
            "<% tp.user.script() %>",
            "`tp.user` is refused: the vault's scripts and the system's commands are not run",
        ),
        ("<% tp.app.vault.getName() %>", "`tp.app` is refused: it needs a running Obsidian"),
        ("<%* app.vault.create('x', 'y') %>", "`app` is refused: it needs a running Obsidian"),
        (
            "<%* require('fs') %>",
            "`require` is refused: the vault's scripts and the system's commands are not run",
        ),
        ("<%* await fetch('http://x') %>", "`fetch` is refused: templates may not use the network"),
        (
            "<%* await tp.file.create_new('x', 'y') %>",
            "`tp.file.create_new` is refused: a template may change only the note that it is for",
        ),
        (
            "<% tp.system.clipboard() %>",
            "`tp.system.clipboard` is refused: the clipboard may hold what its user does not want to share",
        ),
        (
            "<% tp.file.path() %>",
            "`tp.file.path()` is refused: paths outside of the vault are not disclosed; use `tp.file.path(true)`",
        ),
        (
            "<%* try { tp.web.x() } catch { tR += 'hidden' } %>",
            "`tp.web` is refused: templates may not use the network",
        ),
    ];
    for (template, expected) in cases {
        let found = failure(template);
        assert!(found.starts_with("Templates/T.md:1:") && found.ends_with(expected), "{found}");
    }
}

#[test]
fn javascript_beyond_the_subset_is_refused_with_its_place() {
    let cases = [
        ("a\n<%* class A {} %>", "2:5: a class is not supported"),
        ("<% new Date() %>", "1:4: `new` is not supported"),
        ("<% 1 | 2 %>", "1:6: an operator on bits is not supported"),
        ("<% /(?=x)/.test('x') %>", "1:4: the regular expression /(?=x)/ is not supported"),
        ("<% 'x'.anchor() %>", "1:4: `anchor()` of a string is not supported"),
        ("<% tp.file.unknown %>", "1:4: `tp.file.unknown` is not supported"),
        ("<% eval('1') %>", "1:4: `eval` is not defined"),
        ("<%* import('x') %>", "1:5: a module is not supported"),
        ("<%* const x = 1; const x = 2 %>", "1:28: `x` is declared twice"),
        ("ß <%* null.x %>", "1:7: cannot read `x` of null"),
        ("<% [].x.y %>", "1:4: cannot read `y` of undefined"),
        ("<% 'x", "1:1: expected `%>` that closes the command, found the end of the template"),
        ("<% %>", "1:1: expected an expression in the command, found nothing"),
        (
            "<% {}.constructor.constructor('return 1')() %>",
            "1:4: cannot read `constructor` of undefined",
        ),
    ];
    for (template, expected) in cases {
        assert_eq!(failure(template), format!("Templates/T.md:{expected}"));
    }
}

#[test]
fn a_branch_that_is_not_taken_may_use_what_is_refused() {
    assert_eq!(text("<%* if (false) { tp.web.x() } %>ok").unwrap(), "ok");
}
