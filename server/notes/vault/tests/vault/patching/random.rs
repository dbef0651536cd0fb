//! Any section of any note can be patched, and nothing else changes.

use proptest::prelude::*;
use toolwrit_vault::document::Document;
use toolwrit_vault::patch::{Action, PatchTarget};
use toolwrit_vault::target::HeadingPath;

use super::{apply, patch, text};

/// Notes with several sections, each with its own text.
fn note() -> impl Strategy<Value = (String, Vec<String>)> {
    let text = prop::sample::select(vec![
        "",
        "text\n",
        "\ntext\n\n",
        "- a\n- b\n",
        "```\n# no\n```\n\n",
        "> # no\n",
        "| a |\n|---|\n",
        "%%\n# no\n%%\n",
        "\n\n",
    ]);
    let sections = prop::collection::vec((1..4_usize, text), 1..6);
    (sections, any::<bool>(), any::<bool>()).prop_map(|(sections, crlf, ended)| {
        let mut note = String::new();
        let mut names = Vec::new();
        for (index, (level, text)) in sections.iter().enumerate() {
            names.push(format!("H{index}"));
            note += &["#".repeat(*level).as_str(), " H", &index.to_string(), "\n", text].concat();
        }
        let note = if ended { note } else { note.trim_end().to_owned() };
        (if crlf { note.replace('\n', "\r\n") } else { note }, names)
    })
}

proptest! {
    #[test]
    fn only_the_named_section_changes(
        (note, names) in note(),
        chosen in any::<prop::sample::Index>(),
        action in 0..4,
        added in prop::sample::select(vec!["new", "- new", "| new |\n", "\nnew\n\n", "> new", "new\nnew"]),
    ) {
        let name = chosen.get(&names);
        let document = Document::parse(&note).unwrap();
        let index = document.headings.iter().position(|heading| heading.text == *name).unwrap();
        let target = document.headings[index];
        let mut path: Vec<String> = Vec::new();
        let mut level = 7;
        for heading in document.headings[..=index].iter().rev() {
            if heading.level < level {
                level = heading.level;
                path.insert(0, heading.text.to_owned());
            }
        }
        let action = match action {
            0 => Action::Append(text(added)),
            1 => Action::Prepend(text(added)),
            2 => Action::Replace(text(added)),
            _ => Action::Delete,
        };
        let now = apply(&note, &patch(PatchTarget::Heading(HeadingPath::new(&path).unwrap()), action.clone())).unwrap();
        let before = note[..target.span.end].trim_end_matches(['\r', '\n']);
        let after = &note[target.content.end..];
        prop_assert!(now.starts_with(before), "{now:?}");
        prop_assert!(now.ends_with(after), "{now:?}");
        prop_assert_eq!(now.ends_with('\n'), note.ends_with('\n'));
        let content = target.content.slice(&note).trim();
        let middle = &now[before.len()..now.len() - after.len()];
        match action {
            Action::Append(_) => prop_assert!(middle.contains(content) && middle.trim_end().ends_with(added.trim().rsplit('\n').next().unwrap())),
            Action::Prepend(_) => prop_assert!(middle.contains(content) && middle.trim_start().starts_with(added.trim().lines().next().unwrap())),
            Action::Replace(_) => prop_assert_eq!(middle.trim().replace('\r', ""), added.trim()),
            Action::Delete => prop_assert_eq!(middle.trim(), ""),
        }
        if note.contains("\r\n") {
            prop_assert!(!now.replace("\r\n", "").contains('\n'));
        }
        // The text after the section is still a separate section.
        let headings = Document::parse(&now).unwrap().headings.iter().filter(|heading| after.contains(heading.text)).count();
        prop_assert_eq!(headings, Document::parse(after).unwrap().headings.len());
    }
}
