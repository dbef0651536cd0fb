//! What a note links to, the notes near it, and links that name no file.

use toolwrit_vault::{Folder, FoundLink, FoundLinks, LinkDirection, VaultPath};

use crate::{Sandbox, never, path};

fn graph() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("A.md", "---\nup: \"[[B]]\"\n---\n# T\n[[b|B]] [[Gone]] [x](https://a.example)\n![[p.png]] [[#T]] [[gone.md]]\n");
    sandbox.put("B.md", "[[Deep/C]]");
    sandbox.put("Deep/C.md", "[[D]] [[Gone]] [[Nowhere/Other]]");
    sandbox.put("D.md", "#tag");
    sandbox.put("board.canvas", r#"{"nodes": [{"type": "file", "file": "A.md"}]}"#);
    sandbox.put("p.png", "png");
    sandbox
}

/// Path or target, line, depth, count, sources.
fn told(found: &FoundLinks) -> Vec<String> {
    let tell = |link: &FoundLink| {
        let name = link.path.as_ref().map_or_else(
            || format!("?{}", link.target.as_deref().unwrap_or_default()),
            ToString::to_string,
        );
        let number = |key: &str, number: Option<usize>| {
            number.map_or_else(String::new, |number| format!(" {key}{number}"))
        };
        let sources: Vec<_> = link.sources.iter().map(VaultPath::as_str).collect();
        let places = number("line ", link.line) + &number("depth ", link.depth);
        format!("{name}{places} x{} {}", link.count, sources.join(" ")).trim_end().to_owned()
    };
    found.links.iter().map(tell).collect()
}

#[test]
fn a_note_links_to_each_file_once_and_not_to_itself() {
    let sandbox = graph();
    let links = |name: &str, unresolved| {
        told(&sandbox.vault.links_of(&path(name), unresolved, 50, &never).unwrap())
    };
    assert_eq!(
        links("A", false),
        ["B.md line 2 x2", "?Gone line 5 x1", "p.png line 6 x1", "?gone.md line 6 x1"]
    );
    assert_eq!(links("Deep/C", true), ["?Gone line 1 x1", "?Nowhere/Other line 1 x1"]);
    assert_eq!(links("board.canvas", false), ["A.md x1"]);
    assert_eq!(links("D", false), [""; 0]);
    let cut = sandbox.vault.links_of(&path("A"), false, 1, &never).unwrap();
    assert_eq!((cut.links.len(), cut.total), (1, 4));
    assert!(sandbox.vault.links_of(&path("Nobody"), false, 1, &never).is_err());
}

#[test]
fn neighbours_are_found_once_at_their_nearest_depth() {
    let sandbox = graph();
    let near = |name: &str, direction, depth| {
        told(&sandbox.vault.neighbours(&path(name), direction, depth, 50, &never).unwrap())
    };
    assert_eq!(near("A", LinkDirection::Out, 1), ["B.md depth 1 x1 A.md", "p.png depth 1 x1 A.md"]);
    assert_eq!(
        near("A", LinkDirection::Out, 3)[2..],
        ["Deep/C.md depth 2 x1 B.md", "D.md depth 3 x1 Deep/C.md"]
    );
    assert_eq!(
        near("B", LinkDirection::In, 2),
        ["A.md depth 1 x1 B.md", "board.canvas depth 2 x1 A.md"]
    );
    assert_eq!(
        near("B", LinkDirection::Both, 1),
        ["A.md depth 1 x1 B.md", "Deep/C.md depth 1 x1 B.md"]
    );
}

#[test]
fn unresolved_links_are_gathered_by_target() {
    let sandbox = graph();
    let broken = |folder: &str| {
        let folder = Folder::parse(folder).unwrap();
        told(&sandbox.vault.unresolved_links(&folder, 50, &never).unwrap())
    };
    assert_eq!(broken("")[0], "?Gone x2 A.md Deep/C.md");
    assert_eq!(broken("").len(), 3);
    assert_eq!(broken("Deep"), ["?Gone x1 Deep/C.md", "?Nowhere/Other x1 Deep/C.md"]);
}
