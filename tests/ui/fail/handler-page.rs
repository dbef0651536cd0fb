use toolwrit::Context;

toolwrit::authority!("handler-page.yaml");

struct App;

impl notes::Handlers for App {
    async fn list(&self, _: &Context, p: notes::List) -> toolwrit::Result<String> {
        Ok(p.limit.to_string())
    }
}

fn main() {}
