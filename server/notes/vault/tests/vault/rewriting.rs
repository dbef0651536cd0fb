//! Moving a file rewrites exactly the links that need it.

use std::fs;

use toolwrit_vault::{Moved, VaultError, VaultPath};

use crate::{Sandbox, never, path};

fn move_note(sandbox: &Sandbox, from: &str, to: &str) -> Moved {
    sandbox.vault.wait_for_index(&never).unwrap();
    sandbox.vault.move_note(&path(from), &path(to), None, &never).unwrap()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.bytes(path)).unwrap()
}

#[test]
fn rewritten_links_keep_their_notation() {
    let sandbox = Sandbox::new();
    sandbox.put("Plans/Old name.md", "self: [[Old name]] [[#Heading]]\n");
    sandbox.put("Plans/other.md", "");
    let before = "\u{FEFF}---\r\nup: \"[[Old name]]\"\r\nlist: ['[[Plans/Old name|it]]', other]\r\n---\r\n\
        [[Old name]] ![[Old name#Heading|alias]] [[Old name.md]] [[Plans/Old name]]\r\n\
        [t](Plans/Old%20name.md) [t](<Plans/Old name.md#Heading>) [t](/Plans/Old%20name)\r\n\
        `[[Old name]]` $[[Old name]]$ %%[[Old name]]%%\r\n\r\n\
        | a | b |\r\n|---|---|\r\n| [[Old name\\|al]] | x |\r\n\r\n\
        ```\r\n[[Old name]]\r\n```\r\n[[other]] [[OLD NAME]] [r]\r\n\r\n[r]: <Plans/Old name.md>\r\n";
    sandbox.put("source.md", before);
    sandbox.put("Plans/near.md", "[[./Old name]] [t](Old%20name.md) [[Old name#^b]]");
    sandbox.put("deep/er/far.md", "[[../../Plans/Old name]] [t](../../Plans/Old%20name.md)");
    let canvas =
        r#"{"nodes":[{"id":"1", "file" : "Plans/Old name.md","x":1},{"text":"[[Old name]]"}]}"#;
    sandbox.put("board.canvas", canvas);
    let done = move_note(&sandbox, "Plans/Old name", "Plans/It's 100% new (2)");
    let rewritten: Vec<&str> = done.rewritten.iter().map(VaultPath::as_str).collect();
    assert_eq!(
        rewritten,
        ["Plans/Old name.md", "Plans/near.md", "board.canvas", "deep/er/far.md", "source.md"]
    );
    let new = "It's 100% new (2)";
    assert_eq!(
        text(&sandbox, "Plans/It's 100% new (2).md"),
        format!("self: [[{new}]] [[#Heading]]\n")
    );
    let encoded = "It's%20100%25%20new%20%282%29";
    let after = before
        .replace("\"[[Old name]]\"", &format!("\"[[{new}]]\""))
        .replace("'[[Plans/Old name|", "'[[Plans/It''s 100% new (2)|")
        .replace("---\r\n[[Old name]]", &format!("---\r\n[[{new}]]"))
        .replace("![[Old name#", &format!("![[{new}#"))
        .replace("[[Old name.md]]", &format!("[[{new}.md]]"))
        .replace("[[Plans/Old name]]", &format!("[[Plans/{new}]]"))
        .replace("(Plans/Old%20name.md)", &format!("(Plans/{encoded}.md)"))
        .replace("<Plans/Old name.md", "<Plans/It's 100%25 new (2).md")
        .replace("(/Plans/Old%20name)", &format!("(/Plans/{encoded})"))
        .replace("%%[[Old name]]%%", &format!("%%[[{new}]]%%"))
        .replace("[[Old name\\|al]]", &format!("[[{new}\\|al]]"))
        .replace("[[OLD NAME]]", &format!("[[{new}]]"));
    assert_eq!(text(&sandbox, "source.md"), after);
    assert_eq!(
        text(&sandbox, "Plans/near.md"),
        format!("[[./{new}]] [t]({encoded}.md) [[{new}#^b]]")
    );
    assert_eq!(
        text(&sandbox, "deep/er/far.md"),
        format!("[[../../Plans/{new}]] [t](../../Plans/{encoded}.md)")
    );
    assert_eq!(
        text(&sandbox, "board.canvas"),
        canvas
            .replace("Plans/Old name.md", &format!("Plans/{new}.md"))
            .replace("[[Old name]]", &format!("[[{new}]]"))
    );
}

#[test]
fn the_moved_notes_own_links_keep_their_targets() {
    let sandbox = Sandbox::new();
    sandbox.put("x/note.md", "[[near]] [[./near]] [t](../top.md) [[x/near]] ![[pic.png]] [[gone]]");
    sandbox.put("x/near.md", "");
    sandbox.put("near.md", "");
    sandbox.put("y/near.md", "");
    sandbox.put("top.md", "");
    sandbox.put("x/pic.png", "");
    move_note(&sandbox, "x/note", "y/note");
    assert_eq!(
        text(&sandbox, "y/note.md"),
        "[[near]] [[../x/near]] [t](../top.md) [[x/near]] ![[pic.png]] [[gone]]"
    );
}

#[test]
fn links_that_a_new_duplicate_would_capture_are_rewritten() {
    for (format, expected) in [
        ("shortest", "[[long folder/name]] [[s/name]]"),
        ("relative", "[[../long folder/name]] [[../s/name]]"),
        ("absolute", "[[long folder/name]] [[s/name]]"),
    ] {
        let sandbox = Sandbox::new();
        let settings = format!(r#"{{"trashOption":"local","newLinkFormat":"{format}"}}"#);
        sandbox.put(".obsidian/app.json", settings);
        sandbox.put("long folder/name.md", "");
        sandbox.put("s/other.md", "");
        sandbox.put("t/source.md", "[[name]] [[other]]");
        move_note(&sandbox, "s/other", "s/name");
        assert_eq!(text(&sandbox, "t/source.md"), expected);
    }
}

/// A vault whose settings may request a link format.
fn with_link_format(format: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::new();
    let format = format.map(|format| format!(r#","newLinkFormat":"{format}""#));
    let settings = format!(r#"{{"trashOption":"local"{}}}"#, format.unwrap_or_default());
    sandbox.put(".obsidian/app.json", settings);
    sandbox
}

#[test]
fn links_are_rewritten_in_the_configured_or_the_old_form() {
    let before = "[[Old]] [[Work/Old|it]] [[./Old#h]] [[/Work/Old]] [[Work/Old.md]] [t](Old.md) [t](/Work/Old.md)";
    for (format, expected) in [
        (
            None,
            "[[New]] [[Zoo/Deep/New|it]] [[../Zoo/Deep/New#h]] [[/Zoo/Deep/New]] [[Zoo/Deep/New.md]] [t](../Zoo/Deep/New.md) [t](/Zoo/Deep/New.md)",
        ),
        (
            Some("shortest"),
            "[[New]] [[New|it]] [[New#h]] [[New]] [[New.md]] [t](New.md) [t](New.md)",
        ),
        (
            Some("relative"),
            "[[../Zoo/Deep/New]] [[../Zoo/Deep/New|it]] [[../Zoo/Deep/New#h]] [[../Zoo/Deep/New]] [[../Zoo/Deep/New.md]] [t](../Zoo/Deep/New.md) [t](../Zoo/Deep/New.md)",
        ),
        (
            Some("absolute"),
            "[[Zoo/Deep/New]] [[Zoo/Deep/New|it]] [[Zoo/Deep/New#h]] [[Zoo/Deep/New]] [[Zoo/Deep/New.md]] [t](Zoo/Deep/New.md) [t](Zoo/Deep/New.md)",
        ),
    ] {
        let sandbox = with_link_format(format);
        sandbox.put("Work/Old.md", "");
        sandbox.put("Work/Home.md", before);
        move_note(&sandbox, "Work/Old", "Zoo/Deep/New");
        assert_eq!(text(&sandbox, "Work/Home.md"), expected, "{format:?}");
    }
}

#[test]
fn a_link_that_a_new_equal_name_makes_ambiguous_is_written_as_a_path() {
    for (format, expected) in [
        (None, "[[Work/Plan]] [t](Plan.md)"),
        (Some("shortest"), "[[Work/Plan]] [t](Work/Plan.md)"),
        (Some("relative"), "[[Plan]] [t](Plan.md)"),
        (Some("absolute"), "[[Plan]] [t](Plan.md)"),
    ] {
        let sandbox = with_link_format(format);
        sandbox.put("Work/Plan.md", "");
        sandbox.put("Zoo/Idea.md", "");
        sandbox.put("Work/Home.md", "[[Plan]] [t](Plan.md)");
        move_note(&sandbox, "Zoo/Idea", "Zoo/Plan");
        assert_eq!(text(&sandbox, "Work/Home.md"), expected, "{format:?}");
    }
}

#[test]
fn a_markdown_link_that_is_a_relative_path_stays_one_unless_the_settings_say_otherwise() {
    for (format, target, rewritten) in [
        (None, "Deep/er/Target.md", "../Other.md"),
        (Some("relative"), "Deep/er/Target.md", "../Other.md"),
        (Some("shortest"), "Target.md", "Other.md"),
        (Some("absolute"), "Target.md", "Other.md"),
    ] {
        let sandbox = with_link_format(format);
        sandbox.put("Work/Target.md", "");
        sandbox.put("Work/Other.md", "");
        let links = "[m](Target.md#h) ![i](<Target.md>) [[Target]] [r]\n\n[r]: Target.md 'title'\n";
        sandbox.put("Work/Home.md", links);
        sandbox.put("Work/Mover.md", "[o](Other.md) [[Other]]\n");
        move_note(&sandbox, "Work/Target", "Work/Deep/er/Target");
        let expected = links.replace("Target.md", target);
        assert_eq!(text(&sandbox, "Work/Home.md"), expected, "{format:?}");
        move_note(&sandbox, "Work/Mover", "Work/Deep/Mover");
        let expected = format!("[o]({rewritten}) [[Other]]\n");
        assert_eq!(text(&sandbox, "Work/Deep/Mover.md"), expected, "{format:?}");
    }
    // At the root is a file that Obsidian would choose, but the path names the file in this folder.
    let sandbox = with_link_format(None);
    sandbox.put("Work/Target.md", "");
    sandbox.put("Deep/New.md", "");
    sandbox.put("Work/Home.md", "[m](Target.md)");
    move_note(&sandbox, "Work/Target", "Work/Deep/New");
    assert_eq!(text(&sandbox, "Work/Home.md"), "[m](./Deep/New.md)");
    // Only Obsidian reads a path above the root as one from the root.
    let sandbox = with_link_format(None);
    sandbox.put("Zoo/Target.md", "");
    sandbox.put("Work/Mover.md", "[t](../Zoo/Target.md) [[../Zoo/Target]]");
    move_note(&sandbox, "Work/Mover", "Mover");
    assert_eq!(text(&sandbox, "Mover.md"), "[t](Zoo/Target.md) [[../Zoo/Target]]");
}

#[test]
fn a_path_follows_a_rename_that_changes_only_case() {
    let sandbox = with_link_format(None);
    sandbox.put("Plan.md", "");
    sandbox.put("r.md", "[p](Plan.md) [[Plan]] [[Plan.md]]");
    sandbox.put("other.md", "[p](PLAN.md)");
    let done = move_note(&sandbox, "Plan", "plan");
    assert_eq!(done.rewritten, [path("r.md")]);
    assert_eq!(text(&sandbox, "r.md"), "[p](plan.md) [[Plan]] [[Plan.md]]");
    // No program follows this path by the letter, before or after.
    assert_eq!(text(&sandbox, "other.md"), "[p](PLAN.md)");
}

#[test]
fn unaffected_files_are_not_written() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "");
    sandbox.put("x/a.md", "");
    sandbox.put("x/uses.md", "[[x/a]] [[gone]] [[b]]");
    sandbox.put("uses.md", "[[a]]");
    sandbox.put("binary.md", b"[[a]] \xFF");
    let modified = |file: &str| fs::metadata(sandbox.file(file)).unwrap().modified().unwrap();
    let times = [modified("x/uses.md"), modified("uses.md"), modified("binary.md")];
    // A bare name still finds a note in any folder, and a broken link stays broken.
    assert_eq!(move_note(&sandbox, "x/a", "y/b").rewritten, [path("x/uses.md")]);
    assert_eq!(text(&sandbox, "x/uses.md"), "[[y/b]] [[gone]] [[b]]");
    assert_eq!(times[1..], [modified("uses.md"), modified("binary.md")]);
}

#[test]
fn only_the_links_in_the_text_of_a_canvas_are_rewritten() {
    let sandbox = Sandbox::new();
    sandbox.put("Old.md", "");
    sandbox.put("other.md", "");
    let canvas = r#"{ "nodes" : [ 1, {"text": 5}, {"file": ["Old.md"], "text": "[[Old]]"},
        {"id":"1","text":"\u00e9 \uD83D\ude00 \"[[Old|a \"b\"]]\"\n\t![[\u004fld#x]] `[[Old]]` [[other]]\/"},
        {"text":"[t](Old.md) [[Old.md]]"} ] , "edges":[]}"#;
    sandbox.put("board.canvas", canvas);
    assert_eq!(
        move_note(&sandbox, "Old.md", "in/Né w.md").rewritten,
        [path("board.canvas")],
        "one file"
    );
    let after = canvas
        .replace("\"text\": \"[[Old]]\"", "\"text\": \"[[Né w]]\"")
        .replace("[[Old|a", "[[Né w|a")
        .replace(r"![[\u004fld#x]]", "![[Né w#x]]")
        .replace("[t](Old.md)", "[t](in/Né%20w.md)")
        .replace("[[Old.md]]", "[[Né w.md]]");
    assert_eq!(text(&sandbox, "board.canvas"), after);
    move_note(&sandbox, "in/Né w.md", "Old.md");
    let back = after.replace("in/Né%20w", "Old").replace("Né w", "Old");
    assert_eq!(text(&sandbox, "board.canvas"), back);
}

#[test]
fn attachments_and_canvases_move_with_their_links() {
    let sandbox = Sandbox::new();
    sandbox.put("p/scan 1.png", "");
    sandbox.put("board.canvas", r#"{"nodes":[{"file":"p/scan 1.png"}]}"#);
    sandbox.put("n.md", "![[scan 1.png|100]] ![](p/scan%201.png) [[board.canvas]]");
    move_note(&sandbox, "p/scan 1.png", "q/scan 2");
    assert_eq!(text(&sandbox, "board.canvas"), r#"{"nodes":[{"file":"q/scan 2.png"}]}"#);
    move_note(&sandbox, "board.canvas", "q/plan.canvas");
    assert_eq!(text(&sandbox, "n.md"), "![[scan 2.png|100]] ![](q/scan%202.png) [[plan.canvas]]");
}

#[test]
fn a_name_that_a_link_cannot_spell_is_refused_and_nothing_changes() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "");
    sandbox.put("n.md", "[t](a.md)");
    move_note(&sandbox, "a", "C# notes");
    assert_eq!(text(&sandbox, "n.md"), "[t](C%23%20notes.md)", "Markdown can");
    sandbox.put("w.md", "[[C# notes]] and [t](b.md)");
    sandbox.put("b.md", "");
    sandbox.put("w.md", "[[b]]");
    for name in ["b#c", "b]]c", "b^c]]"] {
        sandbox.vault.wait_for_index(&never).unwrap();
        let error = sandbox.vault.move_note(&path("b"), &path(name), None, &never).unwrap_err();
        assert!(matches!(error, VaultError::InvalidPath(_)), "{error:?}");
        assert!(error.to_string().contains("`[[b]]` in `w.md` could not link to it"), "{error}");
    }
    assert_eq!((text(&sandbox, "w.md"), text(&sandbox, "b.md")), ("[[b]]".into(), String::new()));
    assert_eq!(sandbox.files(), ["C# notes.md", "b.md", "n.md", "w.md"]);
}

#[test]
fn an_optional_rewrite_that_fails_does_not_prevent_the_move() {
    let sandbox = Sandbox::new();
    sandbox.put("C# notes/n.md", "");
    sandbox.put("C# notes/home.md", "[[n]] [[m]]");
    sandbox.put("x/m.md", "");
    // No wikilink can spell the path of the first `n`, but its name still finds it.
    move_note(&sandbox, "x/m", "x/n");
    assert_eq!(text(&sandbox, "C# notes/home.md"), "[[n]] [[x/n]]");
}

#[test]
fn a_read_only_note_with_a_link_prevents_the_move() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "");
    sandbox.put("b.md", "[[a]]");
    sandbox.put("c.md", "[[a]]");
    let mut permissions = fs::metadata(sandbox.file("c.md")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(sandbox.file("c.md"), permissions).unwrap();
    let result = sandbox.vault.rename(&path("a"), "d", None, &never);
    assert!(matches!(result, Err(VaultError::ReadOnly { .. })), "{result:?}");
    assert_eq!(sandbox.files(), ["a.md", "b.md", "c.md"]);
    assert_eq!((text(&sandbox, "b.md"), text(&sandbox, "c.md")), ("[[a]]".into(), "[[a]]".into()));
    assert_eq!(fs::read_dir(sandbox.file(".toolwrit/tmp")).unwrap().count(), 0);
}
