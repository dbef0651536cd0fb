//! Which file a link names: Obsidian's rules, step by step.

use std::collections::BTreeMap;

use crate::{Sandbox, never, path};

/// The file that each link in a note names; the note itself counts as none.
fn resolve_links(files: &[&str], source: &str, links: &[&str]) -> Vec<Option<String>> {
    let sandbox = Sandbox::new();
    for file in files {
        sandbox.put(file, "---\naliases: [Nickname]\n---\n");
    }
    sandbox.put(source, links.join("\n"));
    let mut named = BTreeMap::new();
    for file in files.iter().filter(|file| **file != source) {
        let found = sandbox.vault.backlinks(&path(file), usize::MAX, &never).unwrap();
        for hit in found.links {
            assert_eq!(hit.path.as_str(), source);
            let line = hit.excerpt.unwrap().line;
            let before = named.insert(line, (*file).to_owned());
            assert_eq!(before, None, "line {line} names two files");
        }
    }
    (1..=links.len()).map(|line| named.remove(&line)).collect()
}

/// The links of a note, each with the file that it names.
type Links<'a> = &'a [(&'a str, Option<&'a str>)];

#[track_caller]
fn check(files: &[&str], source: &str, links: Links<'_>) {
    let written: Vec<_> = links.iter().map(|(link, _)| *link).collect();
    for ((link, expected), found) in links.iter().zip(resolve_links(files, source, &written)) {
        assert_eq!(found.as_deref(), *expected, "{link} in {source}");
    }
}

#[test]
fn the_root_path_wins_then_the_notes_folder_then_the_shortest_path() {
    let files = [
        "x/source.md",
        "a.md",
        "x/a.md",
        "y/b.md",
        "x/b.md",
        "z/deep/c.md",
        "zz/c.md",
        "only/one.md",
    ];
    check(
        &files,
        "x/source.md",
        &[
            ("[[a]]", Some("a.md")),
            ("[[a.md]]", Some("a.md")),
            ("[[x/a]]", Some("x/a.md")),
            ("[[b]]", Some("x/b.md")),
            ("[[ b#Heading|alias]]", Some("x/b.md")),
            ("![[y/b#^id]]", Some("y/b.md")),
            ("[t](b.md)", Some("x/b.md")),
            ("[[c]]", Some("zz/c.md")),
            ("[[one]]", Some("only/one.md")),
            ("[[source]]", None),
            ("[[]] [[#Heading]]", None),
            ("[[d]]", None),
            ("[[b/]]", None),
            ("[[https://one]]", None),
            ("[[Nickname]]", None),
        ],
    );
}

#[test]
fn paths_starting_with_the_notes_folder_as_text_come_first() {
    let overview = |files: &[&str], source, expected| {
        let files = [files, &[source]].concat();
        check(&files, source, &[("[[Overview]]", Some(expected))]);
    };
    let descendant = "Work/Alpha/Overview.md";
    overview(&[descendant, "Zoo/Overview.md"], "Work/Home.md", descendant);
    overview(
        &["Workshop/deep/Overview.md", "Zoo/Overview.md"],
        "Work/Home.md",
        "Workshop/deep/Overview.md",
    );
    overview(&["work2/a/Overview.md", "Zoo/overview.md"], "WORK/Home.md", "work2/a/Overview.md");
    overview(
        &["Work/long/Overview.md", "Work/a/Overview.md", "b/Overview.md"],
        "Work/Home.md",
        "Work/a/Overview.md",
    );
    overview(&["Work/Overview.md", "A/Overview.md"], "Work/Sub/Home.md", "A/Overview.md");
    overview(&[descendant, "Zoo/Overview.md"], "Home.md", "Zoo/Overview.md");
    overview(
        &["0/Overview.md", "a/Overview.md", "a/Over/x/Overview.md"],
        "a/Over/Home.md",
        "a/Overview.md",
    );
}

#[test]
fn a_target_matches_the_end_of_a_path_as_text() {
    check(
        &["q/source.md", "x/mysub/n.md", "y/n.md", "q/long/way/to/n.md", "a/to/n.md"],
        "q/source.md",
        &[
            ("[[sub/n]]", Some("x/mysub/n.md")),
            ("[[b/n.md]]", Some("x/mysub/n.md")),
            ("[[x/mysub/n]]", Some("x/mysub/n.md")),
            ("[[to/n]]", Some("q/long/way/to/n.md")),
            ("[[a/to/n]]", Some("a/to/n.md")),
            ("[[z/n]]", None),
            ("[[my/n]]", None),
        ],
    );
}

#[test]
fn relative_targets_are_joined_and_absolute_ones_are_exact() {
    check(
        &[
            "x/y/source.md",
            "x/a.md",
            "a.md",
            "x/y/b.md",
            "b.md",
            "q/c.md",
            "q/x/y/d.md",
            "ee/xx/y/d.md",
        ],
        "x/y/source.md",
        &[
            ("[[../a]]", Some("x/a.md")),
            ("[[../../a.md]]", Some("a.md")),
            ("[[../../../../a]]", Some("a.md")),
            ("[t](../../a.md)", Some("a.md")),
            ("[[./b]]", Some("x/y/b.md")),
            ("[[./../y/./b]]", Some("x/y/b.md")),
            ("[[./d]]", Some("q/x/y/d.md")),
            ("[[./c]]", None),
            ("[[../c]]", None),
            ("[[/b]]", Some("b.md")),
            ("[[/x/a]]", Some("x/a.md")),
            ("[[/y/b]]", None),
            ("[[/c]]", None),
            ("[[c]]", Some("q/c.md")),
        ],
    );
    check(
        &["source.md", "q/c.md"],
        "source.md",
        &[("[[./c]]", Some("q/c.md")), ("[[../c]]", Some("q/c.md")), ("[[/c]]", None)],
    );
}

#[test]
fn a_name_with_a_dot_names_a_file_before_a_note() {
    check(
        &[
            "source.md",
            "p/scan.png",
            "scan.png.md",
            "v1.2.md",
            "d/notes.md.md",
            "x.y/n.md",
            "z/n.md",
            "q/LICENSE",
        ],
        "source.md",
        &[
            ("![[scan.png]]", Some("p/scan.png")),
            ("![[p/scan.png]]", Some("p/scan.png")),
            ("[[scan.png.md]]", Some("scan.png.md")),
            ("[[scan]]", None),
            ("[[v1.2]]", Some("v1.2.md")),
            ("[[p/v1.2]]", None),
            ("[[v1.3]]", None),
            ("[[notes.md]]", Some("d/notes.md.md")),
            ("[[x.y/n]]", Some("x.y/n.md")),
            ("[[LICENSE]]", None),
        ],
    );
}

#[test]
fn case_and_normal_form_are_ignored() {
    check(
        &["source.md", "Cafe\u{301}.md", "x/Straße.md", "Ünder/N.md", "a/n.md"],
        "source.md",
        &[
            ("[[CAFÉ]]", Some("Cafe\u{301}.md")),
            ("[[cafe\u{301}.MD]]", Some("Cafe\u{301}.md")),
            ("[t](CAF%C3%89.md)", Some("Cafe\u{301}.md")),
            ("[[STRAßE]]", Some("x/Straße.md")),
            ("[[ünder/n]]", Some("Ünder/N.md")),
            ("[[U\u{308}NDER/N]]", Some("Ünder/N.md")),
        ],
    );
}

#[test]
fn the_shortest_path_wins_and_then_the_first() {
    let shortest = |files: [&str; 3], expected| check(&files, "s.md", &[("[[n]]", Some(expected))]);
    shortest(["s.md", "a-long-folder/n.md", "a/b/n.md"], "a/b/n.md");
    shortest(["s.md", "b/n.md", "a/n.md"], "a/n.md");
    // Two UTF-16 units compared with three letters; in bytes it would be four compared with three.
    shortest(["s.md", "abc/n.md", "😀/n.md"], "😀/n.md");
}

#[cfg(target_os = "linux")]
#[test]
fn of_files_differing_only_in_case_the_exact_spelling_wins() {
    check(
        &["source.md", "A.md", "a.md"],
        "source.md",
        &[("[[a]]", Some("a.md")), ("[[A]]", Some("A.md")), ("[[A.MD]]", Some("A.md"))],
    );
}
