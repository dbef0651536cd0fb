//! `tokens`: what each surface costs a client.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use super::exit::Exit;
use super::flags::PolicyFlags;
use super::manifest::ManifestFlag;
use super::output;
use super::program::{Program, Verb};
use super::table::{Align, table};
use toolwrit_core::surface_kind::SurfaceKind;
use toolwrit_mcp::surface::Split;
use toolwrit_mcp::surface::{Face, faces};

pub(super) const VERB: Verb = Verb { name: "tokens", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    manifest: ManifestFlag,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("tokens"))
        .about("Measure what each surface costs a client")
        .after_help(
            "Measured is the array of tools in tools/list, as compact JSON, in o200k tokens. \
             Without --focus every focus mode is measured.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { json, manifest, policy: flags } = Flags::from_arg_matches(matches)?;
    let policy = flags.policy_of(manifest.authority(program)?)?;
    let chosen = flags.names_focus().then(|| policy.focus());
    let faces: Vec<Face> =
        faces(&policy).filter(|face| chosen.is_none_or(|focus| face.focus == focus)).collect();
    if json {
        let rows: Vec<Value> = faces.iter().map(|face| row(face, &faces)).collect();
        return output::print_json(&json!({ "role": policy.role(), "surfaces": rows }));
    }
    let (left, right) = (Align::Left, Align::Right);
    let columns = [
        ("surface", left),
        ("split", left),
        ("focus", left),
        ("tools", right),
        ("bytes", right),
        ("tokens", right),
        ("less than flat", right),
    ];
    let rows: Vec<Vec<String>> = faces
        .iter()
        .map(|face| {
            vec![
                face.kind.as_str().to_owned(),
                face.split.map_or("-", Split::as_str).to_owned(),
                face.focus.clone(),
                face.tools.to_string(),
                face.bytes.to_string(),
                face.tokens.to_string(),
                match face.kind {
                    SurfaceKind::Flat => "-".to_owned(),
                    _ => format!("{:.1} %", reduction(face, &faces)),
                },
            ]
        })
        .collect();
    output::print(&table(&columns, &rows))
}

fn row(face: &Face, all: &[Face]) -> Value {
    json!({
        "surface": face.kind.as_str(),
        "split": face.split_name(),
        "focus": face.focus,
        "tools": face.tools,
        "bytes": face.bytes,
        "tokens": face.tokens,
        "reduction_percent": (reduction(face, all) * 10.0).round() / 10.0,
    })
}

/// How many percent of the tokens of flat, under the same focus mode, are saved.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
fn reduction(face: &Face, all: &[Face]) -> f64 {
    let flat =
        all.iter().find(|other| other.kind == SurfaceKind::Flat && other.focus == face.focus);
    let flat = flat.map_or(1, |flat| flat.tokens.max(1)) as f64;
    100.0 * (1.0 - face.tokens as f64 / flat)
}
