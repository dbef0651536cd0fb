//! How names are written.

use crate::diagnostics::{Place, Problem, Report};
use crate::yaml::Text;

/// Length limit of a wire name with its prefix. Every known client accepts names of this length.
pub(super) const MAX_WIRE_NAME: usize = 60;

/// Rust keywords that cannot be raw identifiers.
const NEVER_RAW: [&str; 5] = ["self", "Self", "super", "crate", "_"];

/// How a kind of name is written.
#[derive(Clone, Copy)]
pub(in crate::check) enum Style {
    /// `[a-z][a-z0-9_-]*`: categories, groups of operations, focus modes, roles, contexts, providers, resources,
    /// prompts.
    Kebab,
    /// `[a-z][a-z0-9_]*`: operations, parameters, fields.
    Snake,
    /// `[A-Z][A-Za-z0-9]*`: types.
    UpperCamel,
    /// `[A-Z][A-Z0-9]*(_[A-Z0-9]+)*`: errors.
    Screaming,
    /// `[A-Z_][A-Z0-9_]*`: variables of the environment (POSIX.1-2017, XBD 8.1).
    Variable,
    /// `[A-Za-z][A-Za-z0-9_]*`: arguments of prompts, variables of URIs.
    Argument,
}

impl Style {
    fn admits(self, name: &str) -> bool {
        let mut characters = name.chars();
        let first = characters.next();
        match self {
            Style::Kebab => {
                first.is_some_and(|c| c.is_ascii_lowercase())
                    && characters
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c))
            }
            Style::Snake => {
                first.is_some_and(|c| c.is_ascii_lowercase())
                    && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            }
            Style::UpperCamel => {
                first.is_some_and(|c| c.is_ascii_uppercase())
                    && characters.all(|c| c.is_ascii_alphanumeric())
            }
            Style::Screaming => {
                first.is_some_and(|c| c.is_ascii_uppercase())
                    && name.split('_').all(|word| {
                        !word.is_empty()
                            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
                    })
            }
            Style::Variable => {
                let is_fine = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                first.is_some_and(|c| is_fine(c) && !c.is_ascii_digit()) && characters.all(is_fine)
            }
            Style::Argument => {
                first.is_some_and(|c| c.is_ascii_alphabetic())
                    && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            }
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Style::Kebab => "lower case letters, digits, `_` and `-`, a letter first",
            Style::Snake => "lower case letters, digits and `_`, a letter first",
            Style::UpperCamel => "UpperCamel: letters and digits, a capital letter first",
            Style::Screaming => "capital letters, digits and single `_` between, a letter first",
            Style::Variable => "capital letters, digits and `_`, no digit first",
            Style::Argument => "letters, digits and `_`, a letter first",
        }
    }
}

/// Checks a name and returns it; an invalid name is reported and repaired.
pub(in crate::check) fn name(
    kind: &str,
    name: &str,
    place: Place,
    style: Style,
    report: &mut Report,
) -> String {
    // The constructor of an error is a Rust function, whose name is in lower case.
    let lower = matches!(style, Style::Screaming).then(|| name.to_ascii_lowercase());
    if NEVER_RAW.contains(&lower.as_deref().unwrap_or(name)) {
        report.push(
            Problem::error(place, format!("{} cannot be named `{name}`", with_article(kind)))
                .help("it is a reserved word of Rust, even as `r#..`; choose another"),
        );
    } else if !style.admits(name) {
        report.push(
            Problem::error(place, format!("`{name}` is not a name for {}", with_article(kind)))
                .expected(style.expected()),
        );
    } else {
        return name.to_owned();
    }
    repaired(name, style)
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The same for a name that is a key.
pub(in crate::check) fn key(kind: &str, key: &Text, style: Style, report: &mut Report) -> String {
    name(kind, &key.value, key.place, style, report)
}

/// Checks an operation's name within its category: `read`, or with more segments, `dataview.query`.
pub(in crate::check) fn operation(name: &str, place: Place, report: &mut Report) -> String {
    if let Some((_, joined)) = name.split_once(':') {
        report.push(
            Problem::error(place, format!("`{name}` is not a name for an operation"))
                .help(format!("only operations that a provider adds end in `:{joined}`")),
        );
        return repaired(name, Style::Snake);
    }
    let Some((groups, last)) = name.rsplit_once('.') else {
        return self::name("operation", name, place, Style::Snake, report);
    };
    let groups = groups.split('.');
    let groups = groups.map(|group| self::name("group", group, place, Style::Kebab, report));
    let mut segments: Vec<String> = groups.collect();
    segments.push(self::name("operation", last, place, Style::Snake, report));
    segments.join(".")
}

/// A similar name that is valid in Rust, for the salvaged model.
pub(in crate::check) fn repaired(name: &str, style: Style) -> String {
    let kept = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    match style {
        Style::Kebab | Style::Snake | Style::Argument => {
            format!("x_{}", kept.collect::<String>().to_ascii_lowercase())
        }
        Style::Screaming | Style::Variable => {
            format!("X_{}", kept.collect::<String>().to_ascii_uppercase())
        }
        Style::UpperCamel => {
            format!("X{}", crate::rust_names::type_name(&kept.collect::<String>()))
        }
    }
}

/// The category and the name in an operation's id.
pub(in crate::check) fn id_parts(id: &str) -> Option<(&str, &str)> {
    id.split_once('.')
}

/// Whether an id has a category. If not, the operation cannot be kept.
pub(in crate::check) fn is_operation_id(id: &Text, report: &mut Report) -> bool {
    let fine = id_parts(&id.value).is_some();
    if !fine {
        report.push(
            Problem::error(id.place, format!("`{}` is not the id of an operation", id.value))
                .expected("`category.name`, or `category.group.name`"),
        );
    }
    fine
}

/// A name as clients see it: `prefix_name`, or only the name.
pub(super) fn with_prefix(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}_{name}") }
}

/// Checks a name that clients see, `^[a-zA-Z0-9_-]{1,60}$` with its prefix. Returns whether it is
/// valid.
pub(in crate::check) fn wire_name(
    name: &str,
    prefix: &str,
    place: Place,
    report: &mut Report,
) -> bool {
    let whole = with_prefix(prefix, name);
    let length = whole.len();
    let is_spelt =
        !name.is_empty() && whole.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let problem = if !is_spelt {
        Problem::error(place, format!("`{name}` is not a wire name"))
    } else if length > MAX_WIRE_NAME {
        Problem::error(place, format!("the wire name `{whole}` has {length} characters"))
            .help("give a shorter one with `tool`")
    } else {
        return true;
    };
    report
        .push(problem.expected(format!(
            "1 to {MAX_WIRE_NAME} letters, digits, `_` or `-`, with the prefix"
        )));
    false
}
