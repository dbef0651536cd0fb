//! Selectors: a text that is valid in a manifest and on the command line means the same in both.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwrit::fuzzing;
use toolwrit_fuzz::{Nobody, Tools};
use toolwrit_manifest::{load_sources, policy};

const MANIFEST: &str = include_str!("../authority.yaml");

/// The operations allowed by a focus mode with only this selector.
fn in_manifest(text: &str) -> Option<Vec<String>> {
    // A JSON string is a YAML string.
    let quoted = serde_json::to_string(text).unwrap();
    let manifest = MANIFEST.replace(r#""*""#, &quoted);
    let authority = load_sources("authority.yaml", |_| Ok(manifest.clone())).ok()?;
    let model = &authority;
    let focus = model.focus_ids().next()?;
    let allowed = model.operation_ids().filter(|id| policy::focus_allows(model, focus, *id));
    Some(allowed.map(|id| model[id].id.to_string()).collect())
}

fuzz_target!(|text: &str| {
    let on_command_line = fuzzing::selected::<Tools<Nobody>>(text);
    if let (Some(here), Some(there)) = (in_manifest(text), on_command_line) {
        assert_eq!(here, there, "{text:?}");
    }
});
