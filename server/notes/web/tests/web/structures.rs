//! HTML that is made to be expensive.

use std::fmt::Write as _;

use toolwrit_web::{Form, WebError};

use crate::{fetch, html_page, never, web};

fn repeat_numbered(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, number| {
        write!(all, "{}", text(number)).unwrap();
        all
    })
}

#[test]
fn too_much_structure_is_refused_and_its_source_served() {
    for (what, html) in [
        ("deep elements", "<div>".repeat(200_000)),
        ("deep elements that are closed", "<i>".repeat(600) + &"</i>".repeat(600)),
        ("deep quotes in a table", format!("<table>{}", "<blockquote>".repeat(100_000))),
        ("unclosed elements that each paragraph repeats", {
            repeat_numbered(50_000, |number| format!("<b x={number}>")) + &"<p>x".repeat(50_000)
        }),
        ("unclosed elements that end with their paragraph", {
            repeat_numbered(50_000, |number| format!("<p><b x={number}></p>"))
        }),
        ("many elements", "<p>x".repeat(200_000)),
        ("many characters that are escaped", "&amp;".repeat(1_000_000)),
    ] {
        let server = html_page(&html);
        let url = server.url("/");
        assert_eq!(fetch(&url), Err(WebError::TooComplex), "{what}");
        let source = web().fetch(&url, Form::Source, &never).unwrap();
        assert_eq!(source.text, html, "{what}");
    }
}

#[test]
fn a_tag_has_a_limited_number_of_attributes() {
    for html in [
        repeat_numbered(300_000, |number| format!("a{number} ")),
        repeat_numbered(300_000, |number| format!("a{number}/")),
        repeat_numbered(300_000, |number| format!("a{number}='>'")),
        // Each of them is an error, too.
        "a ".repeat(300_000),
    ] {
        let server = html_page(&format!("<p {html}>"));
        assert_eq!(fetch(&server.url("/")), Err(WebError::TooComplex), "{}", &html[..20]);
    }
    // An image within the page, and the state of a program.
    let long = format!("<p>text</p><img src='data:{}'>", "x".repeat(1_000_000));
    let state =
        format!("<p>text</p><script>{}</script>", "if (a < b && c) { d(); } ".repeat(30_000));
    for html in [long, state] {
        assert_eq!(fetch(&html_page(&html).url("/")).unwrap().text, "text");
    }
}

#[test]
fn what_a_large_page_has_is_converted() {
    let rows = repeat_numbered(3_000, |number| {
        format!(
            "<tr><td>{number}</td><td><a href='/{number}'>row, {number}</a></td><td><b>x</b></td></tr>"
        )
    });
    let server = html_page(&format!("<h1>Rows</h1><table>{rows}</table>"));
    let page = fetch(&server.url("/")).unwrap();
    assert!(page.text.contains("row, 2999"), "{}", &page.text[..500]);
    let depth = 60;
    let nested = format!(
        "{}{}{}",
        "<ul><li><blockquote>".repeat(depth),
        "<p>deep</p>",
        "</blockquote></li></ul>".repeat(depth)
    );
    assert!(fetch(&html_page(&nested).url("/")).unwrap().text.contains("deep"));
}
