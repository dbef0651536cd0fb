//! Operations that are bound to commands: what becomes a table, and what is refused.

use std::fmt::Write as _;
use std::io;

use toolwrit_manifest::{Authority, BindingKind, Problems, View, emit, load_sources};

use crate::faults;

const GOOD: &str = include_str!("fixtures/commands.yaml");

/// A text of the valid manifest, and its replacement.
const FAULTS: &[(&str, &str)] = &[
    // the provider
    ("folder: $repo", "folder: $repos"),
    ("folder: $repo", "folder: $depth"),
    ("folder: $repo", "folder: $token"),
    ("folder: $repo", "folder: $proxy"),
    ("folder: $repo", "folder: repo"),
    ("folder: $repo", "foldr: /srv"),
    ("GIT_PAGER: cat", "GIT-PAGER: cat"),
    ("GIT_PAGER: cat", "1PAGER: cat"),
    ("GIT_PAGER: cat", "GIT_PAGER: 5"),
    ("GIT_TOKEN: $token", "GIT_TOKEN: $tokn"),
    ("\"HTTPS_PROXY?\": $proxy", "HTTPS_PROXY: $proxy"),
    ("    command: { folder", "    http: { base: \"https://a.example\" }\n    command: { folder"),
    ("      depth: integer\n", "      depth: integer\n      ca: string\n"),
    // the program
    ("[git, tag, $name]", "[]"),
    ("[git, tag, $name]", "git"),
    ("[git, tag, $name]", "[$name]"),
    ("[git, tag, $name]", "[bin/git, tag, $name]"),
    ("[git, tag, $name]", "[\"git{name}\", tag, $name]"),
    ("[git, tag, $name]", "[-git, tag, $name]"),
    ("[git, tag, $name]", "[5, tag, $name]"),
    ("run: [git, tag, $name]", "rum: [git, tag, $name]"),
    // words
    ("[git, tag, $name]", "[git, tag, $nam, \"{name}\"]"),
    ("[git, tag, $name]", "[git, tag, $token, $name]"),
    ("[git, tag, $name]", "[git, tag, 5, $name]"),
    ("[git, tag, $name]", "[git, tag, true, $name]"),
    ("[git, tag, $name]", "[git, tag, [$name]]"),
    ("[git, tag, $name]", "[git, tag, \"{name\", $name]"),
    ("[git, tag, $name]", "[git, tag, \"name}\", $name]"),
    ("[git, tag, $name]", "[git, tag, \"-{name}\"]"),
    ("[git, tag, $name]", "[git, tag, \"--{name}\"]"),
    ("[git, tag, $name]", "[git, tag, \"--message{name}\"]"),
    ("[git, tag, $name]", "[git, tag, { message: $name }]"),
    ("[git, tag, $name]", "[git, tag, { --message: name }, $name]"),
    ("[git, tag, $name]", "[sh, -c, \"git tag {name}\"]"),
    ("[git, tag, $name]", "[/bin/bash, -ec, $name]"),
    ("[git, tag, $name]", "[bash, --norc, -c, $name]"),
    ("[git, tag, $name]", "[bash, -c, -o, pipefail, $name]"),
    ("[git, tag, $name]", "[bash, \"-e{name}\", -c, echo]"),
    ("[git, tag, $name]", "[sh, { -c: $name }]"),
    ("[git, tag, $name]", "[fish, \"--command={name}\"]"),
    ("[git, tag, $name]", "[pwsh, -NonInteractive, -Command, $name]"),
    ("[git, tag, $name]", "[PowerShell.exe, /c, Get-Item, $name]"),
    ("[git, tag, $name]", "[powershell, \"Get-Item {name}\"]"),
    ("[git, tag, $name]", "[pwsh, -File, $name]"),
    ("--since={since?}", "--since={since}"),
    ("\"--author?\": $authors", "--author: $authors"),
    ("\"--author?\": $authors", "\"--author={authors?}\": $authors"),
    ("\"$path?\"]", "$path]"),
    ("\"--since={since?}\"", "\"--since={since?}{authors?}\""),
    // the result
    ("subject: \"$.subjects[0]\"", "subject: header X-Subject"),
    ("subject: \"$.subjects[0]\"", "subjct: $.subject"),
    // the operation
    (
        "    effect: read\n    returns: \"string[]\"",
        "    effect: read\n    page: { default: 1, max: 2 }\n    returns: \"string[]\"",
    ),
    ("    idempotent: true\n", "    idempotent: true\n    retry: 2\n"),
    ("provider: git, run", "provider: svn, run"),
    ("params: { name: string }", "params: { name: string, note?: string }"),
    ("    returns: string\n", "    returns: content\n"),
    ("    returns: string\n", "    returns: string\n    dry_run: true\n"),
    ("operations:\n", "operations:\n  git.stats: { builtin: metrics, command: { run: [git] } }\n"),
    (
        "    command: { provider: git, run",
        "    http: { get: /a }\n    command: { provider: git, run",
    ),
];

fn parse(yaml: &str, included: &str) -> Result<Authority, Problems> {
    load_sources("authority.yaml", |path| match path {
        "authority.yaml" => Ok(yaml.to_owned()),
        "more.yaml" => Ok(included.to_owned()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    })
}

#[test]
fn one_fault_gives_one_problem() {
    let shown = faults::show_problems(GOOD, FAULTS, |yaml| parse(yaml, ""));
    insta::assert_snapshot!(shown);
}

#[test]
fn commands_stand_in_the_root_file_only() {
    let (head, rest) = GOOD.split_once("providers:\n").unwrap();
    let (providers, operations) = rest.split_once("operations:\n").unwrap();
    let head = format!("{head}include: [more.yaml]\n");
    let mut shown = String::new();
    for (root, included) in [
        (format!("{head}operations:\n{operations}"), format!("providers:\n{providers}")),
        (
            format!("{head}providers:\n{providers}"),
            "operations:\n  git.run: { summary: Run., effect: read, command: { run: [git] } }\n"
                .to_owned(),
        ),
    ] {
        let rendered = faults::rendered(parse(&root, &included));
        assert_eq!(rendered.len(), 1, "{rendered:?}");
        writeln!(shown, "{}\n", rendered.join("\n")).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn commands_become_tables() {
    let authority = parse(GOOD, "").unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(authority.warnings(), []);
    let bound = authority.providers.iter().map(|provider| provider.binding.as_ref());
    let bound =
        bound.chain(authority.operations.iter().map(|operation| operation.binding.as_ref()));
    let mut shown = String::new();
    for binding in bound {
        let binding = binding.unwrap();
        assert_eq!(binding.kind, BindingKind::Command);
        writeln!(shown, "{}", serde_json::to_string_pretty(&binding.table).unwrap()).unwrap();
    }
    insta::assert_snapshot!(shown);
}

/// Words after the code of a shell are its parameters, and words after a script those of the script.
#[test]
fn values_are_parameters_of_shells() {
    for run in [
        "[bash, --norc, -c, 'git tag \"$1\"', bash, $name]",
        "[bash, -o, pipefail, -c, 'git tag \"$1\" | cat', bash, $name]",
        "[sh, -c, \"git tag \\\"$1\\\" | awk '{{print $1}}'\", sh, { -c: $name }]",
        "[sh, /srv/tag.sh, $name]",
        "[pwsh, -NonInteractive, -File, /srv/tag.ps1, -Command, $name]",
    ] {
        let loaded = parse(&GOOD.replacen("[git, tag, $name]", run, 1), "");
        assert_eq!(faults::rendered(loaded), [""; 0], "{run}");
    }
}

#[test]
fn a_written_manifest_binds_the_same_and_callers_do_not_see_it() {
    let authority = parse(GOOD, "").unwrap();
    let again = parse(&emit::to_yaml(&authority), "");
    assert_eq!(again.unwrap_or_else(|problems| panic!("{problems}")), authority);
    let operations = ["git.log"].into();
    let narrow = authority.narrowed(&View { operations, focus: "full", role: None });
    let yaml = emit::to_yaml(&narrow);
    assert!(!yaml.contains("command") && !yaml.contains("$repo"), "{yaml}");
}
