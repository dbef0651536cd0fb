//! What methods and functions of the language do with their arguments, as JavaScript does.

use super::{failure, text};

#[test]
fn positions_depths_and_bases_count() {
    let cases = [
        ("'a-b-c'.indexOf('-', 2)", "3"),
        ("'😀-b'.indexOf('-', 1)", "2"),
        ("'abc'.indexOf('c', 9)", "-1"),
        ("'a-b-c'.indexOf('-', -5)", "1"),
        ("'a-b-c'.lastIndexOf('-', 2)", "1"),
        ("'aaa'.lastIndexOf('aa', 0)", "0"),
        ("'abc'.includes('a', 1)", "false"),
        ("'abc'.startsWith('b', 1)", "true"),
        ("'abc'.endsWith('b', 2)", "true"),
        ("'😀'.codePointAt(0)", "128512"),
        ("'😀'.codePointAt(1)", "56832"),
        ("'😀'.charCodeAt(0)", "55357"),
        ("'x'.codePointAt(1)", "undefined"),
        ("'x'.charCodeAt(-1)", "NaN"),
        ("'b'.localeCompare('a', 'en')", "1"),
        ("[1, 2, 3].fill(0, 1)", "1,0,0"),
        ("[1, 2, 3].fill(0, -2, -1)", "1,0,3"),
        ("[1, 2, 1].indexOf(1, 1)", "2"),
        ("[1, 2, 1].indexOf(1, -2)", "2"),
        ("[1, 2, 1].lastIndexOf(1, 1)", "0"),
        ("[1, 2, 1].lastIndexOf(1, -2)", "0"),
        ("[1, 2, 1].lastIndexOf(1, -4)", "-1"),
        ("[1, 2].includes(1, 1)", "false"),
        ("[1, 2, 3, 4].slice(-3, -1)", "2,3"),
        ("[1, 2, 3].splice(-2, 1)", "2"),
        ("[1, [2, [3, [4]]]].flat().length", "3"),
        ("[1, [2, [3, [4]]]].flat(2).length", "4"),
        ("JSON.stringify([1, [2, [3, [4]]]].flat(Infinity))", "[1,2,3,4]"),
        ("[[1]].flat(0)[0].length", "1"),
        ("Array(3).length", "3"),
        ("Array(3).fill('x')", "x,x,x"),
        ("Array(3, 4)", "3,4"),
        ("Array('3')", "3"),
        ("parseInt('0x1F')", "31"),
        ("parseInt('-0x1f', 16)", "-31"),
        ("parseInt('0x1F', 10)", "0"),
        ("parseInt('11', 2)", "3"),
        ("parseInt('11', 1)", "NaN"),
        ("JSON.stringify({ a: [] }, null, 4)", "{\n    \"a\": []\n}"),
        ("JSON.stringify([1], null, '-')", "[\n-1\n]"),
        ("moment('2026-03-09').locale('en').format('MMMM')", "March"),
    ];
    for (code, expected) in cases {
        assert_eq!(text(&format!("<% {code} %>")).unwrap(), expected, "{code}");
    }
}

#[test]
fn arguments_that_would_do_nothing_are_refused() {
    for (code, what) in [
        (
            "'a'.localeCompare('b', 'en', { numeric: true })",
            "another argument of `localeCompare()`",
        ),
        ("'a'.toUpperCase('tr')", "another argument of `toUpperCase()`"),
        ("[1].map(x => x, {})", "another argument of `map()`"),
        ("JSON.stringify({ a: 1 }, ['a'])", "the replacer of `JSON.stringify()`"),
        ("moment().locale('de')", "the locale `de`"),
        ("moment().valueOf(1)", "another argument of `valueOf()`"),
    ] {
        let expected = format!("Templates/T.md:1:4: {what} is not supported without Obsidian");
        assert_eq!(failure(&format!("<% {code} %>")), expected);
    }
    let length = failure("<% Array(-1) %>");
    assert!(length.ends_with("the length of a list is a whole number"), "{length}");
}
