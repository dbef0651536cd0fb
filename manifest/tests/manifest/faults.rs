//! Faults of a good manifest, each of which must be one problem.

use std::fmt::Write as _;

use toolwrit_manifest::{Authority, Problems};

/// The problems of a manifest, or its warnings if it loads, as they are shown.
pub(crate) fn rendered(loaded: Result<Authority, Problems>) -> Vec<String> {
    match loaded {
        Ok(authority) => {
            let warnings = authority.warnings().iter();
            warnings.map(|warning| warning.render(authority.sources())).collect()
        }
        Err(problems) => {
            problems.iter().map(|problem| problem.render(problems.sources())).collect()
        }
    }
}

/// Makes each fault alone, as the text that it replaces and the new one. Returns how its only problem is shown.
pub(crate) fn show_problems(
    good: &str,
    faults: &[(&str, &str)],
    load: impl Fn(&str) -> Result<Authority, Problems>,
) -> String {
    let (mut shown, mut wrong) = (String::new(), String::new());
    for (from, to) in faults {
        assert!(good.contains(from), "`{from}` is not in the good manifest");
        let rendered = rendered(load(&good.replacen(from, to, 1)));
        writeln!(shown, "{}\n", rendered.join("\n")).unwrap();
        if rendered.len() != 1 {
            writeln!(wrong, "## {from} -> {to}\n{}\n", rendered.join("\n")).unwrap();
        }
    }
    assert!(wrong.is_empty(), "not exactly one problem:\n{wrong}");
    shown
}
