//! The Rust of the page `asking`.

use std::error::Error;

use serde_json::Value;
use toolwrit::{Answered, Context, Fault, Form, Input, Result};

toolwrit::authority!("asking.yaml");

struct Asking;

impl toolwrit::App for Asking {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn Error>> {
        Ok(Self)
    }
}

impl lab::Handlers for Asking {
    async fn greet(&self, cx: &Context, _: lab::Greet) -> Result<lab::GreetResult> {
        let form = Form::new("What is your name?").input("name", Input::text());
        match cx.ask("name", &form).await? {
            Answered::Accepted(answer) => Ok(format!("Hello, {}!", answer["name"])),
            Answered::Declined | Answered::Cancelled => Ok("Hello, whoever you are!".to_owned()),
        }
    }
}

impl films::Handlers for Asking {
    async fn render(&self, cx: &Context, p: films::Render) -> Result<films::RenderResult> {
        let form = Form::new("Which format?").input("format", Input::one_of(&["small", "large"]));
        let Answered::Accepted(answer) = cx.ask("format", &form).await? else {
            return Err(Fault::cancelled("There is no format to render in."));
        };
        cx.begin_task()?;
        self.rendered(cx, p.film, &answer["format"]).await
    }
}

impl notes::Handlers for Asking {
    async fn clear(&self, cx: &Context, p: notes::Clear) -> Result<notes::ClearResult> {
        if !p.dry_run && !cx.confirmed().covers(self.would_remove(&p)?) {
            return Err(Fault::conflict("What would go has changed since it was confirmed."));
        }
        self.would_remove(&p)
    }
}

impl Asking {
    async fn rendered(&self, _: &Context, film: String, format: &Value) -> Result<String> {
        Ok(format!("{film}: {format}"))
    }

    fn would_remove(&self, p: &notes::Clear) -> Result<Vec<String>> {
        Ok(vec![p.folder.clone()])
    }
}
