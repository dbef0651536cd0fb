//! Compares the items of lists and the headings of generated notes with those that comrak finds, another port of CommonMark's
//! reference parser.

use std::fmt::Write as _;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use toolwrit_requirement::number;
use toolwrit_vault::document::Document;

use crate::generated::Random;

/// Notes of each generator and seed.
const NOTES: usize = 2_000;

/// The lines of the items with the lines of the items around them, and the lines of the headings outside of other blocks.
#[derive(Debug, PartialEq, Eq, Default)]
struct Found {
    items: Vec<(usize, Option<usize>)>,
    headings: Vec<usize>,
}

fn find_with_vault(text: &str) -> Found {
    let document = Document::parse(text).unwrap();
    let line = |offset: usize| text[..offset].matches('\n').count();
    let item_line = |at: usize| line(document.items[at].span.start);
    let items =
        document.items.iter().map(|item| (line(item.span.start), item.parent.map(item_line)));
    let headings = document.headings.iter().map(|heading| line(heading.span.start));
    Found { items: items.collect(), headings: headings.collect() }
}

fn find_with_comrak(text: &str) -> Found {
    fn visit<'a>(node: &'a AstNode<'a>, parent: Option<usize>, depth: usize, found: &mut Found) {
        let (line, kind) = {
            let data = node.data.borrow();
            (data.sourcepos.start.line.saturating_sub(1), data.value.clone())
        };
        let is_item = matches!(kind, NodeValue::Item(_) | NodeValue::TaskItem(_));
        if is_item {
            found.items.push((line, parent));
        }
        if depth == 1 && matches!(kind, NodeValue::Heading(_)) {
            found.headings.push(line);
        }
        for child in node.children() {
            visit(child, if is_item { Some(line) } else { parent }, depth + 1, found);
        }
    }
    let arena = Arena::new();
    let mut found = Found::default();
    visit(parse_document(&arena, text, &Options::default()), None, 0, &mut found);
    found
}

fn text_of_item(random: &mut Random, at: usize) -> String {
    let checkbox = random.choose(&["", "", "[ ] ", "[x] ", "[/] "]);
    format!("{checkbox}w{at}")
}

/// Lines with every indentation and marker that a parser may take for an item.
fn hostile_note(random: &mut Random) -> String {
    const INDENTS: [&str; 14] = [
        "", "", "", " ", "  ", "   ", "    ", "     ", "      ", "\t", "\t\t", "\t\t\t", " \t",
        "\t ",
    ];
    const MARKERS: [&str; 6] = ["-", "*", "+", "1.", "2)", "10."];
    const PROSE: [&str; 6] = ["", "prose", "# heading", "```", "> quoted", "---"];
    let mut text = String::new();
    let quote = if random.below(12) == 0 { "> " } else { "" };
    for at in 0..3 + random.below(8) {
        let indent = *random.choose(&INDENTS);
        let line = if random.below(4) == 0 {
            (*random.choose(&PROSE)).to_owned()
        } else {
            let (marker, space) =
                (*random.choose(&MARKERS), *random.choose(&[" ", " ", "  ", "\t"]));
            format!("{marker}{space}{}", text_of_item(random, at))
        };
        writeln!(text, "{quote}{indent}{line}").unwrap();
    }
    text
}

/// Lists as Obsidian writes them: a tab for each level.
fn tab_note(random: &mut Random) -> String {
    let mut text = String::new();
    let mut level = 0;
    for at in 0..3 + random.below(8) {
        if random.below(10) == 0 {
            text.push('\n');
        }
        let marker = *random.choose(&["-", "-", "-", "-", "-", "*", "1."]);
        let item = text_of_item(random, at);
        writeln!(text, "{}{marker} {item}", "\t".repeat(level)).unwrap();
        level = random.below(level + 2).min(5);
    }
    text
}

fn compare(seeds: u64, note: fn(&mut Random) -> String) {
    for seed in 0..seeds {
        let mut random = Random(seed);
        for at in 0..NOTES {
            let text = note(&mut random);
            assert_eq!(
                find_with_vault(&text),
                find_with_comrak(&text),
                "seed {seed}, note {at}: {text:?}"
            );
        }
    }
}

#[test]
fn hostile_lists_are_read_as_comrak_reads_them() {
    compare(number(1, 10), hostile_note);
}

#[test]
fn lists_with_tabs_are_read_as_comrak_reads_them() {
    compare(number(1, 10), tab_note);
}
