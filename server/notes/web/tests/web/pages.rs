//! What becomes of pages.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use toolwrit_web::{Form, WebError};

use crate::{fetch, html_page, never, pages, robots_requests, site, web};

/// An article of several paragraphs, with what surrounds articles.
fn article() -> String {
    let mut paragraphs = String::new();
    for number in 1..=8 {
        write!(
            paragraphs,
            "<p>Paragraph {number} tells at length, with commas, clauses, and a <a href='../more?x=1#top'>relative \
             link</a>, how lanterns are hung along the harbour, why the keeper counts them, and who lights them.</p>"
        )
        .unwrap();
    }
    format!(
        "<!DOCTYPE html><html><head><title>Lanterns &amp; harbours</title><style>p{{}}</style></head><body>\
         <nav><a href='/home'>Home</a><a href='/about'>About us</a></nav>\
         <article><h1>Lanterns &amp; harbours</h1><h2>The keeper</h2>{paragraphs}\
         <ul><li>one</li><li>two</li></ul><pre><code>let x = 1;</code></pre>\
         <img src='lamp.png' alt='A lamp'><img src='data:image/png;base64,AAAA'></article>\
         <footer>Imprint</footer><script>alert('x')</script></body></html>"
    )
}

#[test]
fn an_article_becomes_markdown_with_absolute_links() {
    let server = site(&[("/a/b/page", &[("content-type", "text/html")], article().as_bytes())]);
    let page = fetch(&server.url("/a/b/page#part")).unwrap();
    assert_eq!(page.url, server.url("/a/b/page"));
    assert_eq!(page.title.as_deref(), Some("Lanterns & harbours"));
    assert_eq!(page.media_type, "text/html");
    let text = &page.text;
    assert!(text.contains("## The keeper\n"), "{text}");
    assert!(text.contains("Paragraph 8 tells at length"), "{text}");
    assert!(
        text.contains(&format!("[relative link]({})", server.url("/a/more?x=1#top"))),
        "{text}"
    );
    assert!(text.contains("- one\n- two"), "{text}");
    assert!(text.contains("```\nlet x = 1;\n```"), "{text}");
    assert!(text.contains(&format!("![A lamp]({})", server.url("/a/b/lamp.png"))), "{text}");
    for left_out in ["About us", "alert", "p{", "AAAA", "<p>"] {
        assert!(!text.contains(left_out), "{left_out} in {text}");
    }
}

#[test]
fn a_page_without_an_article_is_converted_as_a_whole() {
    let server = html_page(
        "<title> News \n today</title><base href='/deep/'><body><h1>News</h1>\
         <ul><li><a href='one'>First</a><li><a href='javascript:x()'>Second</a></ul><noscript>no</noscript>",
    );
    let page = fetch(&server.url("/")).unwrap();
    assert_eq!(page.title.as_deref(), Some("News today"));
    assert_eq!(page.text, format!("# News\n\n- [First]({})\n- Second", server.url("/deep/one")));
}

#[test]
fn the_source_is_returned_unchanged_where_it_is_asked_for() {
    let server = html_page(&article());
    let page = web().fetch(&server.url("/"), Form::Source, &never).unwrap();
    assert_eq!(page.text, article());
    assert_eq!(page.title, None);
}

#[test]
fn a_page_is_kept_so_that_its_parts_belong_together() {
    let server = html_page(&article());
    let (web, url) = (web(), server.url("/"));
    let first = web.fetch(&url, Form::Markdown, &never).unwrap();
    let again = web.clone().fetch(&format!("{url}#other"), Form::Markdown, &never).unwrap();
    assert_eq!(first, again);
    assert_eq!(pages(&server), ["/"]);
    web.fetch(&url, Form::Source, &never).unwrap();
    assert_eq!(pages(&server), ["/", "/"]);
    assert_eq!(robots_requests(&server), 1);
}

#[test]
fn a_page_that_must_not_be_stored_is_fetched_again() {
    let server = site(&[(
        "/",
        &[("content-type", "text/plain"), ("cache-control", "private, No-Store")],
        b"x",
    )]);
    let web = web();
    for _ in 0..2 {
        web.fetch(&server.url("/"), Form::Markdown, &never).unwrap();
    }
    assert_eq!(pages(&server), ["/", "/"]);
}

#[test]
fn text_of_other_types_is_returned_as_it_is() {
    let json = br#"{"a": "<b>", "c": [1]}"#;
    let server = site(&[
        ("/json", &[("content-type", "application/json")], json),
        ("/plain", &[("content-type", "text/plain")], b"<p>not HTML</p>"),
        ("/untyped", &[("x", "y")], b"<!doctype html><p>HTML"),
        ("/vague", &[("content-type", "application/octet-stream")], b"some text"),
        ("/empty", &[("content-type", "text/html")], b""),
    ]);
    let text =
        |path| fetch(&server.url(path)).map(|page| (page.text.clone(), page.media_type.clone()));
    let expected = |text: &str, media_type: &str| Ok((text.to_owned(), media_type.to_owned()));
    assert_eq!(text("/json"), expected(r#"{"a": "<b>", "c": [1]}"#, "application/json"));
    assert_eq!(text("/plain"), expected("<p>not HTML</p>", "text/plain"));
    assert_eq!(text("/untyped"), expected("HTML", "text/html"));
    assert_eq!(text("/vague"), expected("some text", "text/plain"));
    assert_eq!(text("/empty"), expected("", "text/html"));
}

#[test]
fn a_file_is_downloaded_as_it_is_up_to_a_limit() {
    let server = site(&[("/a.png", &[("content-type", "image/png")], b"\x89PNG\0\xff")]);
    let file = web().download(&server.url("/a.png"), 6, &never).unwrap();
    assert_eq!((&*file.media_type, &*file.bytes), ("image/png", &b"\x89PNG\0\xff"[..]));
    let larger = web().download(&server.url("/a.png"), 5, &never).unwrap_err();
    assert!(matches!(larger, WebError::TooLarge { limit: 5 }), "{larger:?}");
}

#[test]
fn content_that_is_not_text_is_refused() {
    let server = site(&[
        ("/png", &[("content-type", "image/png")], b"\x89PNG"),
        ("/lie", &[("content-type", "text/html")], b"\x7fELF\x02\x01\0\0\0\0"),
        ("/odd", &[("content-type", "\"<script>\"/x")], b"x"),
    ]);
    let refused = |path| match fetch(&server.url(path)) {
        Err(WebError::NotText { media_type }) => media_type,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("/png"), "image/png");
    assert_eq!(refused("/lie"), "text/html");
    assert_eq!(refused("/odd"), "unknown");
}

#[test]
fn a_wrong_charset_does_not_garble_the_page() {
    let latin = b"<title>Caf\xe9</title><p>Le caf\xe9 est ouvert d\xe8s l'\xe9t\xe9.";
    let meta =
        "<meta charset=shift_jis><p>".bytes().chain(*b"\x93\xfa\x96\x7b").collect::<Vec<_>>();
    let server = site(&[
        ("/latin", &[("content-type", "text/html; charset=utf-8")], latin),
        ("/meta", &[("content-type", "text/html; charset=utf-8")], &meta),
    ]);
    let page = fetch(&server.url("/latin")).unwrap();
    assert_eq!(page.title.as_deref(), Some("Café"));
    assert_eq!(page.text, "Le café est ouvert dès l'été.");
    assert_eq!(fetch(&server.url("/meta")).unwrap().text, "日本");
}

#[test]
fn compressed_pages_are_decompressed() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"squeezed").unwrap();
    let body = encoder.finish().unwrap();
    let headers = [("content-type", "text/plain"), ("content-encoding", "gzip")];
    let server = site(&[("/", &headers, &body)]);
    assert_eq!(fetch(&server.url("/")).unwrap().text, "squeezed");
}
