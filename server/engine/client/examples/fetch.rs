//! Fetches the tools that messages need from any MCP server, and prints how many tokens that saves:
//!
//! ```sh
//! cargo run -p toolwrit-client --example fetch -- 'toolwrit serve --surface meta'
//! cargo run -p toolwrit-client --example fetch -- http://127.0.0.1:8080/mcp
//! ```
//!
//! Each line of standard input is a message. A server of this engine with the surface `meta` selects the
//! tools itself. For all other servers, this program has two rules.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::error::Error;
use std::io::BufRead as _;
use std::process::Command;

use toolwrit_client::{Client, ClientOptions, ToolRule};
use toolwrit_retrieval::contexts::{ContextRule, InvalidRule, Previous};

/// Rules for the tool names of some issue trackers and file servers.
fn rules() -> Result<Vec<ToolRule>, InvalidRule> {
    let tickets = ContextRule::new("tickets")
        .keyword("ticket", 1.0)?
        .keyword("issue", 1.0)?
        .keyword("bug", 0.5)?
        .pattern(r"\b[A-Z]{2,10}-\d+\b", 2.0)?;
    let files = ContextRule::new("files")
        .keyword("file", 1.0)?
        .keyword("note", 1.0)?
        .keyword("folder", 1.0)?
        .pattern(r"\S\.(md|txt)\b", 1.0)?;
    Ok(vec![
        ToolRule::new(tickets, ["*issue*"]),
        ToolRule::new(files, ["*file*", "*dir*", "vault_*"]),
    ])
}

async fn connect(server: &str, options: ClientOptions) -> Result<Client, Box<dyn Error>> {
    if server.starts_with("http") {
        let token = std::env::var("TOKEN").ok();
        return Ok(Client::http(server, token.as_deref(), options).await?);
    }
    let mut words = server.split_whitespace();
    let mut command = Command::new(words.next().ok_or("name a server")?);
    command.args(words);
    Ok(Client::spawn(command, options).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args().nth(1).ok_or("name a server: a command, or an address")?;
    let client =
        connect(&server, ClientOptions { rules: rules()?, ..ClientOptions::default() }).await?;
    let mut previous = Previous::default();
    for message in std::io::stdin().lock().lines() {
        let fetched = client.tools_for(&message?, &previous).await?;
        previous = fetched.contexts.iter().collect();
        for context in &fetched.contexts {
            println!("{} {:.2}: {}", context.name, context.confidence, context.matched.join(", "));
        }
        for tool in &fetched.tools {
            println!("  {}", tool.name);
        }
    }
    let usage = client.usage();
    println!(
        "{} messages, {} answered from the cache; {} tokens instead of {} for complete lists: {:.1} % less",
        usage.requests,
        usage.hits,
        usage.sent_tokens,
        usage.full_tokens,
        usage.reduction_percent()
    );
    client.close().await;
    Ok(())
}
