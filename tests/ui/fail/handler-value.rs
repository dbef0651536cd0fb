use toolwrit::Context;

toolwrit::authority!("handlers.yaml");

struct App;

impl notes::Handlers for App {
    async fn read(&self, _: &Context, p: notes::Read) -> toolwrit::Result<notes::ReadResult> {
        let wanted = notes::ReadFormat::Html;
        assert_eq!(p.format, Some(wanted));
        Ok(notes::ReadResult { text: p.path })
    }

    async fn append(&self, _: &Context, p: notes::Append) -> toolwrit::Result<String> {
        Ok(p.text)
    }
}

fn main() {}
