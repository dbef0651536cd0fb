use toolwrit::{Context, ResourceContents, Result};

toolwrit::authority!("served.yaml");

struct App;

impl resources::Handlers for App {
    async fn note(&self, _: &Context, p: resources::Note) -> Result<ResourceContents> {
        Ok(ResourceContents::text(p.path))
    }
}

impl prompts::Handlers for App {}

fn main() {}
