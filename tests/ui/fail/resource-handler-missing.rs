use toolwrit::{Context, PromptMessages, Result};

toolwrit::authority!("served.yaml");

struct App;

impl prompts::Handlers for App {
    async fn interview(&self, _: &Context, _: prompts::Interview) -> Result<PromptMessages> {
        Ok(PromptMessages::new())
    }
}

impl resources::Handlers for App {}

fn main() {}
