use toolwrit::Context;

toolwrit::authority!("default-handled.yaml");

struct App;

// The handlers use the types that the parameters have once their defaults are mended.
impl notes::Handlers for App {
    async fn read(&self, _: &Context, p: notes::Read) -> toolwrit::Result<String> {
        let (format, lines, folder): (notes::ReadFormat, i64, String) = (p.format, p.lines, p.folder);
        Ok(format!("{format:?} {lines} {folder}"))
    }
}

fn main() {}
