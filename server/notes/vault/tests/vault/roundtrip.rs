//! Written content is read back unchanged, for any text and any format.

use proptest::prelude::*;
use toolwrit_vault::{IfMissing, WriteMode};

use crate::{Sandbox, path};
use toolwrit_requirement::number;

/// Text without NUL, with many line endings and marks.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => Just("\n".to_owned()),
        3 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => Just("\u{FEFF}".to_owned()),
        4 => "[a-zé語😀 ]{0,6}",
        1 => any::<char>().prop_map(|c| c.to_string().replace('\0', "")),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// The four encodings of text.
fn encode(format: usize, text: &str) -> Vec<u8> {
    match format {
        0 => text.trim_start_matches('\u{FEFF}').into(),
        1 => format!("\u{FEFF}{text}").into(),
        2 => format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

/// The content of a file that holds `text`.
fn content(text: &str) -> String {
    endings(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

fn endings(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(96, 1000), failure_persistence: None, ..Default::default() })]

    #[test]
    fn written_content_is_read_back(old in text(), new in text(), format in 0_usize..4) {
        let sandbox = Sandbox::new();
        let before = encode(format, &old);
        sandbox.put("n.md", &before);
        let note = sandbox.vault.read(&path("n"), None).unwrap();
        let same = sandbox.vault.write(&path("new"), &new, WriteMode::CreateOnly, None).unwrap();
        prop_assert_eq!(sandbox.bytes("new.md"), new.as_bytes());
        prop_assert_eq!(sandbox.vault.read(&same.path, None).unwrap().content, content(&new));

        let mode = WriteMode::Overwrite;
        let written = sandbox.vault.write(&path("n"), &new, mode, Some(&note.etag)).unwrap();
        let after = sandbox.vault.read(&path("n"), None).unwrap();
        prop_assert_eq!(&after.content, &endings(new.trim_start_matches('\u{FEFF}')));
        prop_assert_eq!(after.etag, written.etag);
        prop_assert_eq!(after.format.encoding, note.format.encoding);
        let lf = after.content.matches('\n').count();
        if lf > 0 {
            prop_assert_eq!(after.format.newline, note.format.newline);
        }
    }

    #[test]
    fn appending_keeps_the_existing_bytes(old in text(), new in text(), format in 0_usize..4) {
        let sandbox = Sandbox::new();
        let before = encode(format, &old);
        sandbox.put("n.md", &before);
        let first = sandbox.vault.read(&path("n"), None).unwrap();
        sandbox.vault.append(&path("n"), &new, IfMissing::Fail, Some(&first.etag)).unwrap();
        let bytes = sandbox.bytes("n.md");
        prop_assert!(bytes.starts_with(&before));
        let after = sandbox.vault.read(&path("n"), None).unwrap();
        let on_its_own_line =
            new.is_empty() || first.content.is_empty() || first.content.ends_with('\n');
        let separator = if on_its_own_line { "" } else { "\n" };
        let new = new.trim_start_matches('\u{FEFF}');
        let expected = endings(&format!("{}{separator}{new}", first.content));
        prop_assert_eq!(after.content, expected);
        prop_assert_eq!(after.format.encoding, first.format.encoding);
    }
}
