//! Whether a program that downloads a server names an exact version of it. Otherwise another one may run than the one
//! whose tools were approved.

use crate::diagnostics::{Problem, Report};
use crate::raw::RawTemplate;
use crate::yaml::{Kind, Text};

/// How a program is told what to download.
struct Installer {
    program: &'static str,
    /// The words between the program and what it downloads.
    verb: &'static [&'static str],
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// `package@1.2.3` of npm.
    Npm,
    /// `package==1.2.3` or `package@1.2.3` of `PyPI`.
    PyPi,
    /// `image:1.2.3`, or `image@sha256:..`.
    Image,
}

const INSTALLERS: [Installer; 11] = [
    Installer { program: "npx", verb: &[], form: Form::Npm },
    Installer { program: "bunx", verb: &[], form: Form::Npm },
    Installer { program: "pnpx", verb: &[], form: Form::Npm },
    Installer { program: "npm", verb: &["exec"], form: Form::Npm },
    Installer { program: "pnpm", verb: &["dlx"], form: Form::Npm },
    Installer { program: "yarn", verb: &["dlx"], form: Form::Npm },
    Installer { program: "uvx", verb: &[], form: Form::PyPi },
    Installer { program: "uv", verb: &["tool", "run"], form: Form::PyPi },
    Installer { program: "pipx", verb: &["run"], form: Form::PyPi },
    Installer { program: "docker", verb: &["run"], form: Form::Image },
    Installer { program: "podman", verb: &["run"], form: Form::Image },
];

/// Options before a package that are followed by it, as a word of their own.
const BEFORE_PACKAGE: [&str; 4] = ["--package", "-p", "--from", "--spec"];
/// Options of containers without a value.
const FLAGS: [&str; 12] = [
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "--detach",
    "--init",
    "--interactive",
    "--privileged",
    "--read-only",
    "--rm",
    "--tty",
];
/// Options of `npx`, `uvx` and the like with a value of their own.
const WITH_VALUE: [&str; 6] =
    ["--python", "--with", "--index", "--index-url", "--registry", "--cache"];

/// Warns of a command that runs whatever version is the newest.
pub(super) fn check(command: &[RawTemplate], report: &mut Report) {
    let words: Vec<Option<&Text>> = command
        .iter()
        .map(|RawTemplate(node)| match &node.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    let Some((Some(program), rest)) = words.split_first() else { return };
    let name = program.value.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.trim_end_matches(".exe").trim_end_matches(".cmd");
    let installer = INSTALLERS.iter().find(|one| {
        let verb = rest.iter().flatten().map(|word| word.value.as_str()).take(one.verb.len());
        one.program == name && verb.eq(one.verb.iter().copied())
    });
    let Some(Installer { verb, form, .. }) = installer else { return };
    let Some(downloaded) = downloaded(rest.get(verb.len()..).unwrap_or_default(), *form) else {
        return;
    };
    if !is_exact(&downloaded.value, *form) {
        let example = match form {
            Form::Npm => "package@1.2.3",
            Form::PyPi => "package==1.2.3",
            Form::Image => "image:1.2.3, or image@sha256:.. ",
        };
        report.push(
            Problem::warning(
                downloaded.place,
                format!(
                    "`{}` has no exact version, so that another one may run than was approved",
                    downloaded.value
                ),
            )
            .expected(format!("an exact version, such as {}", example.trim_end())),
        );
    }
}

/// The word that names what is downloaded.
fn downloaded<'a>(words: &[Option<&'a Text>], form: Form) -> Option<&'a Text> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // A word from a setting is the operator's choice.
        let word = (*word)?;
        let text = word.value.as_str();
        if !text.starts_with('-') {
            return (!text.starts_with('$')).then_some(word);
        }
        let takes_value = match form {
            Form::Image => !text.contains('=') && !FLAGS.contains(&text),
            _ if BEFORE_PACKAGE.contains(&text) => {
                return (*words.next()?).filter(|word| !word.value.starts_with('$'));
            }
            _ => WITH_VALUE.contains(&text),
        };
        if takes_value {
            words.next();
        }
    }
    None
}

fn is_exact(text: &str, form: Form) -> bool {
    let version = match form {
        // A scope begins with `@`, too.
        Form::Npm => {
            text.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| &text[at + 1..])
        }
        Form::PyPi => {
            text.split_once("==").or_else(|| text.split_once('@')).map(|(_, version)| version)
        }
        Form::Image => {
            if text.contains("@sha256:") {
                return true;
            }
            text.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag)
        }
    };
    version.is_some_and(|version| {
        let version = version.strip_prefix('v').unwrap_or(version);
        let is_part = |c: char| c.is_ascii_alphanumeric() || ".-+_".contains(c);
        version.starts_with(|c: char| c.is_ascii_digit())
            && version.contains('.')
            && version.chars().all(is_part)
            && !version.split('.').any(|part| part == "x")
    })
}
