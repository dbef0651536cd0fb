//! The print shop: handlers as an author writes them, on what the manifest declares.

use std::error::Error;
use std::process::ExitCode;

use toolwrit::{Context, Result};

toolwrit::authority!("authority.yaml");

struct Shop;

impl toolwrit::App for Shop {
    type Options = ();

    fn open((): ()) -> std::result::Result<Self, Box<dyn Error>> {
        Ok(Shop)
    }
}

impl prints::Handlers for Shop {
    async fn parse(&self, _: &Context, p: prints::Parse) -> Result<prints::ParseResult> {
        Ok(p.text.parse()?)
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<Shop>>()
}
