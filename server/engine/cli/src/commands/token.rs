//! `token`: manages access tokens for clients that connect over HTTP.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::state::StateFlags;
use crate::program::{Program, Verb};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_http::identity::TokenFile;

pub(crate) const VERB: Verb = Verb { name: "token", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// File of access tokens; by default tokens.toml in the data folder.
    #[arg(
        long,
        global = true,
        env = "TOOLWRIT_TOKENS",
        hide_env_values = true,
        value_name = "FILE"
    )]
    tokens: Option<PathBuf>,
    #[command(flatten)]
    state: StateFlags,
    #[command(subcommand)]
    action: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Create a token and print it. It is not stored, so it cannot be shown again.
    New {
        /// Role of the token.
        #[arg(long, value_name = "NAME")]
        role: String,
        /// Name of the token's account, for logs and to revoke it; by default the role's name.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// List the tokens by name; the tokens themselves are not stored.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a token. Running servers refuse it from then on.
    Revoke {
        /// Name of the token.
        name: String,
    },
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("token"))
        .mut_arg("data_dir", |folder| folder.global(true))
        .about("Create, list and revoke access tokens for HTTP")
        .arg_required_else_help(true)
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { tokens, state, action } = Flags::from_arg_matches(matches)?;
    let file = state.tokens(program, tokens).ok_or_else(|| {
        Exit::Configuration(
            "there is no home folder to store tokens in; name a file with --tokens".to_owned(),
        )
    })?;
    match action {
        TokenCommand::New { role, name } => new(program, &file, &role, name),
        TokenCommand::List { json } => list(&file, json),
        TokenCommand::Revoke { name } => revoke(&file, &name),
    }
}

fn new(program: &Program, file: &TokenFile, role: &str, name: Option<String>) -> Result<(), Exit> {
    let choice = Choice { role: Some(role.to_owned()), ..Choice::default() };
    Policy::new(program.authority.clone(), &choice).map_err(Exit::configuration)?;
    let (name, token) = file.add(name, role).map_err(failed)?;
    output::print_message(&format!(
        "Created the token `{name}` with the role `{role}` in {}. It is shown only once:",
        file.path().display()
    ));
    output::print(&token)
}

fn list(file: &TokenFile, json: bool) -> Result<(), Exit> {
    let tokens = file.read().map_err(Exit::configuration)?;
    if json {
        let rows = tokens
            .iter()
            .map(|token| json!({"name": token.name, "role": token.role, "created": token.created.to_string()}));
        return output::print_json(&json!({ "tokens": rows.collect::<Vec<Value>>() }));
    }
    if tokens.is_empty() {
        output::print_message(&format!("No tokens in {}.", file.path().display()));
        return Ok(());
    }
    let columns = [("name", Align::Left), ("role", Align::Left), ("created", Align::Left)];
    let rows: Vec<Vec<String>> = tokens
        .into_iter()
        .map(|token| vec![token.name, token.role, token.created.to_string()])
        .collect();
    output::print(&table(&columns, &rows))
}

fn revoke(file: &TokenFile, name: &str) -> Result<(), Exit> {
    file.remove(name).map_err(failed)?;
    output::print_message(&format!("Revoked the token `{name}`."));
    Ok(())
}

fn failed(error: impl std::fmt::Display) -> Exit {
    Exit::Failed(error.to_string())
}
