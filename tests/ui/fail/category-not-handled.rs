toolwrit::authority!("handlers.yaml");

struct App;

impl toolwrit::App for App {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> Result<Self, Box<dyn std::error::Error>> {
        Ok(App)
    }
}

fn main() -> std::process::ExitCode {
    toolwrit::cli::main::<Tools<App>>()
}
