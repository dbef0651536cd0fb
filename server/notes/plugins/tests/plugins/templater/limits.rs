//! Templates that would run for ever or fill the memory, and any text at all.

use proptest::prelude::*;

use super::{failure, text};
use toolwrit_requirement::number;

#[test]
fn endless_and_deep_code_stops_at_a_limit() {
    let deep =
        |open: &str, close: &str| format!("<% {}1{} %>", open.repeat(5000), close.repeat(5000));
    let chain = format!("<% 1{} %>", " + 1".repeat(5000));
    let cases = [
        ("<%* while (true) {} %>".to_owned(), "the template runs too long"),
        ("<%* for (;;) { tR += 'x' } %>".to_owned(), "the template runs too long"),
        (
            "<%* let s = 'x'; while (true) { s += s } %>".to_owned(),
            "the template needs too much memory",
        ),
        ("<% 'x'.repeat(1e12) %>".to_owned(), "the template needs too much memory"),
        ("<% 'x'.padStart(1e12) %>".to_owned(), "the template needs too much memory"),
        (
            "<%* const a = []; while (true) { a.push('x'.repeat(1000)) } %>".to_owned(),
            "the template needs too much memory",
        ),
        ("<%* Array.from({ length: 1e9 }) %>".to_owned(), "the template runs too long"),
        ("<%* const f = () => f(); f() %>".to_owned(), "the code is nested too deeply"),
        ("<%* const a = []; a.push(a); tR += a %>".to_owned(), "the code is nested too deeply"),
        (
            "<%* const o = {}; o.o = o; JSON.stringify(o) %>".to_owned(),
            "the code is nested too deeply",
        ),
        (
            "<%* try { while (true) {} } catch { tR = 'caught' } %>".to_owned(),
            "the template runs too long",
        ),
        (deep("(", ")"), "the code is nested too deeply"),
        (deep("[", "]"), "the code is nested too deeply"),
        (deep("!", ""), "the code is nested too deeply"),
        (chain, "the code is nested too deeply"),
    ];
    for (template, expected) in cases {
        let found = failure(&template);
        assert!(found.ends_with(expected), "{template:.60}: {found}");
    }
}

/// Each of these would take gigabytes before a limit that counts results could stop it.
#[test]
fn no_result_is_built_before_it_counts() {
    let long = "const s = 'x'.repeat(1e7);";
    let lists = "let a = Array.from({ length: 6e4 }); let b = [a]; \
                 for (let i = 0; i < 16; i++) b = b.concat(b);";
    let (memory, time) = ("the template needs too much memory", "the template runs too long");
    let cases = [
        (format!("{long} Array.from({{ length: 2000 }}, () => s).join('').length"), memory),
        (format!("{long} String(Array.from({{ length: 2000 }}, () => s))"), memory),
        (format!("{long} ''.concat(...Array.from({{ length: 2000 }}, () => s))"), memory),
        (format!("{long} `{}`", "${s}".repeat(2000)), memory),
        ("const s = 'x'.repeat(1e6); s.replace(/x+/, '$&'.repeat(2000))".to_owned(), memory),
        (format!("{long} s.replace(s, '$&'.repeat(2000))"), memory),
        (format!("{long} s.split('')"), time),
        (format!("{long} s.match(/x/g)"), time),
        (format!("{long} [...s]"), time),
        (format!("{lists} b.flat()"), time),
        (
            "let a = Array(2e5).fill(1); for (let i = 0; i < 150; i++) a = [a]; JSON.stringify(a, null, 10)".to_owned(),
            memory,
        ),
        ("Array(1e8)".to_owned(), time),
        (format!("{lists} [].concat(...b)"), time),
    ];
    for (code, expected) in cases {
        let found = failure(&format!("<%* {code} %>"));
        assert!(found.ends_with(expected), "{code:.120}: {found}");
    }
}

/// Each match looks at the rest of the text.
#[test]
fn searches_count_how_long_they_take() {
    let text = "const s = 'a'.repeat(400000);";
    for search in [
        "s.match(/a*?b|a/g)",
        "s.replace(/a*?b|a/g, 'c')",
        "s.split(/a*?b|a/)",
        "for (let i = 0; i < 1e5; i++) { s.search(/a*?b/) }",
    ] {
        let found = failure(&format!("<%* {text} {search} %>"));
        assert!(found.ends_with("the template runs too long"), "{search}: {found}");
    }
}

#[test]
fn a_structure_nested_fifty_thousand_times_is_dropped_safely() {
    assert_eq!(
        text("<%* let a = []; for (let i = 0; i < 5e4; i++) { a = [a] } %>ok").unwrap(),
        "ok"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(number(300, 3000)) })]

    /// Pieces of code in any order give a text or an error.
    #[test]
    fn any_code_ends(pieces in prop::collection::vec(prop::sample::select(vec![
        "<%", "%>", "<%*", "-%>", "_%>", "{", "}", "(", ")", "[", "]", "`", "${", "'", "\"", "/", "\\", "=>", "?.",
        "=", "+=", "++", ",", ";", ":", "?", "...", "1", "0x", "1e", "x", "tp", ".date", ".now", "let ", "const ",
        "for ", "of ", "if ", "else ", "function ", "return ", "try ", "catch ", "switch ", "case ", "await ",
        "typeof ", "\n", " ", "ß", "😀", "[1]", ".map", ".sort", ".format", "moment()", "/a/g", "tR",
    ]), 0..40)) {
        let _ = text(&pieces.concat());
        let _ = text(&format!("<%* {} %>", pieces.concat()));
    }

    #[test]
    fn any_text_ends(template in ".{0,80}") {
        let _ = text(&template);
        let _ = text(&format!("<% {template} %>"));
    }

    /// Any format, and any text that it parses.
    #[test]
    fn any_format_ends(format in "[A-Za-z\\[\\]\\\\ .:/-]{0,20}", written in "[A-Za-z0-9 .:/+-]{0,20}") {
        let format = format.replace('\\', "\\\\");
        let _ = text(&format!("<% moment('{written}', '{format}').format('{format}') %>"));
        let _ = text(&format!("<% tp.date.now('{format}', '{written}') %>"));
    }
}
