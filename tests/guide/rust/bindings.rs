//! The Rust of the page `bindings`.

/// The server of the page.
mod blog {
    toolwrit::authority!("../blog.yaml");

    fn main() -> std::process::ExitCode {
        toolwrit::cli::main::<Tools<()>>()
    }

    #[test]
    fn the_page_shows_the_manifest() {
        let page = include_str!("../../../docs/src/guide/bindings.md");
        assert!(page.contains(include_str!("../blog.yaml")));
    }
}

/// A handler that calls a bound operation.
mod bound {
    use std::error::Error;

    use toolwrit::{Context, Result, Updates};

    toolwrit::authority!("bound.yaml");

    struct App;

    impl toolwrit::App for App {
        type Options = ();

        async fn open((): (), _: Updates) -> std::result::Result<Self, Box<dyn Error>> {
            Ok(Self)
        }
    }

    impl posts::Handlers for App {
        async fn title(&self, cx: &Context, p: posts::Title) -> Result<String> {
            let arguments = serde_json::Map::from_iter([("id".to_owned(), p.id.into())]);
            let post = cx.call_bound("posts.get", arguments).await?;
            Ok(post["title"].to_string())
        }
    }
}
