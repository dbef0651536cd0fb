//! The elements of a note.

use toolwrit_vault::document::{BlockKind, Document, LinkKind, Notation};

/// The kind, target, subpath and display text of each link.
fn links(text: &str) -> Vec<(LinkKind, String, Option<String>, Option<String>)> {
    let document = Document::parse(text).unwrap();
    let links = document.links.iter().map(|link| {
        let subpath = link.subpath.as_ref().map(ToString::to_string);
        (link.kind, link.target.to_string(), subpath, link.display.map(str::to_owned))
    });
    links.collect()
}

/// The targets of the links of a text.
pub(crate) fn targets(text: &str) -> Vec<String> {
    Document::parse(text).unwrap().links.iter().map(|link| link.target.to_string()).collect()
}

pub(crate) fn tags(text: &str) -> Vec<&str> {
    Document::parse(text).unwrap().tags.iter().map(|tag| tag.name).collect()
}

#[test]
fn links_of_every_kind_are_found() {
    let some = |text: &str| Some(text.to_owned());
    let cases = [
        ("[[Note]]", LinkKind::Wikilink, "Note", None, None),
        ("[[ Note |the note]]", LinkKind::Wikilink, "Note", None, some("the note")),
        ("[[a/b.md#H#I|x|y]]", LinkKind::Wikilink, "a/b.md", some("H#I"), some("x|y")),
        ("[[#Here]]", LinkKind::Wikilink, "", some("Here"), None),
        ("[[Note#^id]]", LinkKind::Wikilink, "Note", some("^id"), None),
        ("[[a]b]]", LinkKind::Wikilink, "a]b", None, None),
        ("[[https://a.example]]", LinkKind::Wikilink, "https://a.example", None, None),
        ("![[p.png|100]]", LinkKind::Embed, "p.png", None, some("100")),
        ("[t](Note.md)", LinkKind::Markdown, "Note.md", None, some("t")),
        ("[t](a%20b.md#x%20y 'T')", LinkKind::Markdown, "a b.md", some("x y"), some("t")),
        ("[t *u*]( <a b.md> )", LinkKind::Markdown, "a b.md", None, some("t *u*")),
        ("[t](a\\(b&amp;c.md)", LinkKind::Markdown, "a(b&c.md", None, some("t")),
        ("[](x(y)z)", LinkKind::Markdown, "x(y)z", None, some("")),
        ("[t](#Here)", LinkKind::Markdown, "", some("Here"), some("t")),
        ("![alt](p%C3%A9.png)", LinkKind::Image, "pé.png", None, some("alt")),
        ("[l]: <a b.md> \"t\"", LinkKind::Definition, "a b.md", None, some("l")),
        ("[t](100%.md)", LinkKind::Markdown, "100%.md", None, some("t")),
        (
            "[t](https://a.example/x#y)",
            LinkKind::Markdown,
            "https://a.example/x#y",
            None,
            some("t"),
        ),
    ];
    for (text, kind, target, subpath, display) in cases {
        assert_eq!(links(text), [(kind, target.to_owned(), subpath, display)], "{text}");
    }
}

#[test]
fn text_that_resembles_a_link_is_not_a_link() {
    let texts = [
        "`[[a]]`",
        "``[[a]] ` [b](c)``",
        "```\n[[a]]\n```\n",
        "~~~md\n[b](c)\n~~~\n",
        "> ```\n> [[a]]\n> ```\n",
        "    [[a]]\n",
        "%%\n\n```\n\n[[a]] %%\n",
        "> %%\n> [[a]]\n> %%\n",
        "- %% [[a]]\n  [b](c)\n  %%\n",
        "<!-- [[a]]\n\n[[b]] -->",
        "text <!-- [[a]] --> text",
        "<div>\n[[a]]\n</div>\n",
        "<a href='[[a]]'>text</a>",
        "$[[a]]$",
        "$$\n[[a]]\n\n[[b]]\n$$\n",
        "\\[[a]]",
        "[\\[a]]",
        "[[a\nb]]",
        "[[]]",
        "[]()",
        "[a]()",
        "[a](<>)",
        "[a](#)",
        "![]()",
        "[[a` ]] `",
        "| a |\n|---|\n| [[b|c]] |\n",
        "[^1]: text",
        "- [x] done",
    ];
    for text in texts {
        assert_eq!(links(text), [], "{text}");
    }
}

#[test]
fn links_after_code_and_comments_are_found() {
    let cases: [(&str, &[&str]); 11] = [
        ("`%%` [[a]] `%%`", &["a"]),
        ("```\n%%\n```\n[[a]]\n\n%%\n[[b]]\n%%", &["a"]),
        ("    %%\n\n[[a]]\n\n%%\n[[b]]\n%% [[c]]", &["a", "c"]),
        ("100%% [[a]]", &["a"]),
        ("%%\n```\n%%\n[[a]]\n", &["a"]),
        ("$$\n\\%%\n$$\n[[a]]", &["a"]),
        ("costs $5, [[a]], $6", &["a"]),
        ("`a [[b]]", &["b"]),
        ("- item\n\n  [[a]]\n\n      [[b]]\n", &["a"]),
        ("[[a [[b]]", &["b"]),
        ("\\\\[[a]]", &["a"]),
    ];
    for (text, expected) in cases {
        assert_eq!(targets(text), expected, "{text}");
    }
}

#[test]
fn links_in_inline_comments_are_found() {
    assert_eq!(targets("%%[[a]]%% [[b]] %%[c](d)%%"), ["a", "b", "d"]);
    assert_eq!(targets("text %% [[a]]\nand [b](c) %% text"), ["a", "c"]);
    assert_eq!(targets("%% [[a]]\n[[b]] %% [[c]] %%\n[[d]]\n%%"), ["c", "d"]);
    assert_eq!(tags("%%[[x]] #tag%% and %% #other %%"), ["tag", "other"]);
}

#[test]
fn a_separator_without_a_target_is_the_target() {
    let found = |text| {
        links(text)
            .into_iter()
            .map(|(_, target, subpath, shown)| (target, subpath, shown))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("[[|alias]]"), [("|alias".to_owned(), None, None)]);
    assert_eq!(found("[[|]]"), [("|".to_owned(), None, None)]);
    assert_eq!(found("[[|#h]]"), [("|".to_owned(), Some("h".to_owned()), None)]);
    let heading = found("[[#h||alias]]");
    assert_eq!(heading, [(String::new(), Some("h".to_owned()), Some("|alias".to_owned()))]);
}

#[test]
fn links_do_not_nest() {
    assert_eq!(targets("[[a]](b.md)"), ["a"]);
    assert_eq!(targets("[x [[a]] y](b.md) [c](d.md)"), ["a", "d.md"]);
    assert_eq!(targets("[![[a.png]]](b.md)"), ["b.md", "a.png"]);
    assert_eq!(targets("[![x](a.png)](b.md)"), ["b.md", "a.png"]);
    assert_eq!(targets("[[a]] and [[b]]\n\n[a]: c.md"), ["a", "b", "c.md"]);
}

#[test]
fn tables_escape_the_separator_of_aliases() {
    let text = "| a | b |\n|---|---|\n| [[T\\|al]] | ![[p.png\\|50]] `x\\|[[y]]` |\n";
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        links(text),
        [
            (LinkKind::Wikilink, "T".to_owned(), None, some("al")),
            (LinkKind::Embed, "p.png".to_owned(), None, some("50")),
        ]
    );
    let document = Document::parse(text).unwrap();
    assert_eq!(document.links[0].target_span.slice(text), "T");
    assert_eq!(document.links[0].span.slice(text), "[[T\\|al]]");
}

#[test]
fn links_in_frontmatter_have_the_encoding_of_their_quotes() {
    let text = "---\nup: '[[Bob''s]]'\nsee: \"to [[a \\\"b\\\"|c]], ![[d]]\" # [[no]]\nraw: [[e]]\nlist:\n  - \"[[f#g]]\"\nnot: [[1, 2]]\nkey [[h]]: x\n---\n[[i]]\n";
    let document = Document::parse(text).unwrap();
    let found: Vec<_> = document
        .links
        .iter()
        .map(|link| (link.target.as_ref(), link.notation, link.target_span.slice(text)))
        .collect();
    assert_eq!(
        found,
        [
            ("Bob's", Notation::SingleQuoted, "Bob''s"),
            ("a \"b\"", Notation::DoubleQuoted, "a \\\"b\\\""),
            ("d", Notation::DoubleQuoted, "d"),
            ("e", Notation::Plain, "e"),
            ("f", Notation::DoubleQuoted, "f"),
            ("i", Notation::Plain, "i"),
        ]
    );
    assert_eq!(document.links[5].kind, LinkKind::Wikilink);
    assert!(document.links[..5].iter().all(|link| link.kind == LinkKind::Property));
}

#[test]
fn frontmatter_is_delimited_by_two_lines() {
    let yaml = |text: &'static str| {
        let document = Document::parse(text).unwrap();
        assert_eq!(document.body.end, text.len());
        document.frontmatter.map(|block| (block.yaml.slice(text), document.body.slice(text)))
    };
    assert_eq!(yaml("---\na: 1\n---\nbody"), Some(("a: 1\n", "body")));
    assert_eq!(yaml("---\r\na: 1\r\n--- \r\nbody"), Some(("a: 1\r\n", "body")));
    assert_eq!(yaml("---\n---"), Some(("", "")));
    assert_eq!(yaml("---\na: 1\n"), None);
    assert_eq!(yaml(" ---\na: 1\n---\n"), None);
    assert_eq!(yaml("----\na: 1\n---\n"), None);
    assert_eq!(yaml("---"), None);
    assert_eq!(yaml(""), None);
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level() {
    let text =
        "# A #\na\n## B\nb\n\nUnder [[l]]\n===\nu\n> # quoted\n\n### C\\#\n```\n# code\n```\n";
    let document = Document::parse(text).unwrap();
    let found: Vec<_> = document
        .headings
        .iter()
        .map(|heading| (heading.level, heading.text, heading.content.slice(text)))
        .collect();
    assert_eq!(
        found,
        [
            (1, "A", "a\n## B\nb\n\n"),
            (2, "B", "b\n\n"),
            (1, "Under [[l]]", "u\n> # quoted\n\n### C\\#\n```\n# code\n```\n"),
            (3, "C\\#", "```\n# code\n```\n"),
        ]
    );
    assert_eq!(document.headings[2].span.slice(text), "Under [[l]]\n===\n");
    let texts =
        |text| Document::parse(text).unwrap().headings.iter().map(|h| h.text).collect::<Vec<_>>();
    assert_eq!(texts("#\n\n# \n\n  ## x ##  \n# a#"), ["", "", "x", "a#"]);
    assert_eq!(texts("# x\r\ny\r\n---\r\n"), ["x", "y"]);
    assert_eq!(texts("%%\n# hidden\n%%\n# shown %%c%%"), ["shown %%c%%"]);
}

#[test]
fn tags_are_words_after_white_space() {
    assert_eq!(
        tags("#a b#c #d/e-f_1 (#g) #2026 #y2026 #ü, #🌲."),
        ["a", "d/e-f_1", "y2026", "ü", "🌲"]
    );
    assert_eq!(
        tags("> #a\n>#b\n- #c\n- [ ] #d\n\n| #e |\n|---|\n| #f |\n"),
        ["a", "b", "c", "d", "e", "f"]
    );
    assert_eq!(
        tags("# Title #a\n`#b` \\#c http://x.example/#d [#e](f#g) [[h #i]] %%#j%% # k ## l"),
        ["a"]
    );
    assert_eq!(tags("\\[\\[#Heading with a \\#word\\]\\] \\|#b"), ["Heading", "b"]);
    let text = "x #a/b,";
    assert_eq!(Document::parse(text).unwrap().tags[0].span.slice(text), "#a/b");
}

#[test]
fn block_ids_name_the_block_they_end_or_follow() {
    let text = "Two\nlines ^p\n\n- one ^i\n  - two\n- [ ] task ^t\n\n^list\n\n| a |\n|---|\n| 1 |\n\n^table\n\n| b |\n|---|\n| 2 |\n^tight\n\n> quote\n\n^quote\n\n```\nx ^no\n```\n^code\n\n# Head ^h\n\nx^no\n\n^no_\n\n1. loose ^l\n\n   more ^m\n\nnext\u{85}^n\n";
    let document = Document::parse(text).unwrap();
    let found: Vec<_> = document
        .blocks
        .iter()
        .map(|block| (block.id, block.kind, block.content.slice(text)))
        .collect();
    assert_eq!(
        found,
        [
            ("p", BlockKind::Paragraph, "Two\nlines"),
            ("i", BlockKind::Item, "one"),
            ("t", BlockKind::Item, "task"),
            ("list", BlockKind::List, "- one ^i\n  - two\n- [ ] task ^t"),
            ("table", BlockKind::Table, "| a |\n|---|\n| 1 |"),
            ("tight", BlockKind::Table, "| b |\n|---|\n| 2 |"),
            ("quote", BlockKind::Quote, "> quote"),
            ("code", BlockKind::Code, "```\nx ^no\n```"),
            ("h", BlockKind::Heading, "# Head"),
            ("l", BlockKind::Item, "loose"),
            ("m", BlockKind::Paragraph, "more"),
            ("n", BlockKind::Paragraph, "next"),
        ]
    );
    assert!(
        document.blocks.iter().all(|block| block.marker.slice(text) == format!("^{}", block.id))
    );
}

#[test]
fn tasks_are_list_items_with_a_checkbox() {
    let text = "- [ ] open\n- [x] done\n\n1. [-] *dropped*\n   - [é]\n- [xx] no\n- [x]no\n[ ] no\n> - [/] half\n";
    let document = Document::parse(text).unwrap();
    let tasks: Vec<_> = document.items.iter().filter_map(|item| item.task).collect();
    let found: Vec<_> = tasks.iter().map(|task| (task.status, task.text.slice(text))).collect();
    assert_eq!(found, [(' ', "open"), ('x', "done"), ('-', "*dropped*"), ('é', ""), ('/', "half")]);
    assert!(tasks.iter().all(|task| task.status_span.slice(text) == task.status.to_string()));
}

#[test]
fn list_items_have_their_own_content_and_their_parents() {
    let text = "- a\n  more\n  - b\n\n    c\n  - [ ] d\n\n  after\n\n1) e\n> - f\n-\n";
    let document = Document::parse(text).unwrap();
    let found: Vec<_> =
        document.items.iter().map(|item| (item.span.slice(text), item.parent)).collect();
    let expected = [
        ("- a\n  more", None),
        ("- b\n\n    c", Some(0)),
        ("- [ ] d", Some(0)),
        ("1) e", None),
        ("- f", None),
        ("-", None),
    ];
    assert_eq!(found, expected);
    let first_line = |list: usize| text[list..].lines().next().unwrap();
    let lists: Vec<_> = document.items.iter().map(|item| first_line(item.list)).collect();
    assert_eq!(lists, ["- a", "- a", "- a", "1) e", "- f", "-"]);
}

#[test]
fn inline_fields_are_read_as_dataview_reads_them() {
    let text = "due:: 2026-11-22\n**Key two**:: [[a]]\n- item [x:: 1 [y] ] and (z:: (2))\n`b:: 1` c\nhttp::x y\n%%d:: 1%%\n> e:: f\n\n    g:: 1\n\n[h]:: 1 [i: j]\n";
    let document = Document::parse(text).unwrap();
    let found: Vec<_> = document
        .fields
        .iter()
        .map(|field| (field.key, field.value, field.span.slice(text)))
        .collect();
    assert_eq!(
        found,
        [
            ("due", "2026-11-22", "due:: 2026-11-22"),
            ("Key two", "[[a]]", "**Key two**:: [[a]]"),
            ("x", "1 [y]", "[x:: 1 [y] ]"),
            ("z", "(2)", "(z:: (2))"),
            ("http", "x y", "http::x y"),
            ("e", "f", "e:: f"),
        ]
    );
}

#[test]
fn an_encoded_target_decodes_to_itself() {
    let names =
        ["Plain", "with space", "a(b)", "50% off", "%41", "Bob's \"x\" \\ y", "日本", "e\u{301}"];
    let templates =
        ["[t](old.md#s)", "[t](<old.md#s>)", "![t](old.md)", "[l]: old.md", "[l]: <old.md> 't'"];
    let quoted = ["---\nk: \"[[old.md|a]]\"\n---\n", "---\nk: '[[old.md]]'\n---\n"];
    for name in names {
        for template in templates.iter().chain(&quoted).chain(&["[[old.md#s|x]]"]) {
            let link = Document::parse(template).unwrap().links[0].clone();
            let mut text = (*template).to_owned();
            text.replace_range(
                link.target_span.start..link.target_span.end,
                &link.notation.encode(name),
            );
            let again = Document::parse(&text).unwrap().links[0].clone();
            assert_eq!(again.target, name, "{text}");
            assert_eq!((again.subpath, again.display), (link.subpath, link.display), "{text}");
        }
    }
}
