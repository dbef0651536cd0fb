//! The Rust of the page `fetching`.

use serde_json::Value;

async fn fetched(token: &str, offer: fn(&str, &Value)) -> Result<(), Box<dyn std::error::Error>> {
    use toolwrit::client::{Client, ClientOptions, ToolRule};
    use toolwrit::{ContextRule, Previous};

    let tickets =
        ContextRule::new("tickets").keyword("ticket", 1.0)?.pattern(r"\b[A-Z]{2,10}-\d+\b", 2.0)?;
    let rules = vec![ToolRule::new(tickets, ["issue_*"])];
    let options = ClientOptions { rules, ..ClientOptions::default() };
    let client = Client::http("https://tracker.example.com/mcp", Some(token), options).await?;

    let fetched = client.tools_for("What is ABC-123 about?", &Previous::default()).await?;
    for tool in &fetched.tools {
        offer(&tool.name, &tool.listing);
    }

    let previous: Previous = fetched.contexts.iter().collect();
    let next = client.tools_for("And who wrote it?", &previous).await?;

    for tool in &next.tools {
        offer(&tool.name, &tool.listing);
    }
    Ok(())
}
