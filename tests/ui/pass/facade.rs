//! A program that has the engine through a facade, whose own macro passes its path on.

use std::process::ExitCode;

/// Stands for another crate: it has the engine, and this program does not name it.
mod house {
    pub(super) use ::toolwrit;

    macro_rules! authority {
        ($path:literal) => {
            $crate::facade::house::toolwrit::authority!(
                $path,
                crate = $crate::facade::house::toolwrit
            );
        };
    }
    pub(super) use authority;
}

use house::toolwrit::{App, Context, Result, Updates, clap};

house::authority!("smallest.yaml");

struct Clock {
    zone: String,
}

#[derive(clap::Args)]
struct Options {
    /// The zone of its answers.
    #[arg(long, default_value = "UTC")]
    zone: String,
}

impl App for Clock {
    type Options = Options;

    async fn open(
        options: Options,
        _: Updates,
    ) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(Clock { zone: options.zone })
    }
}

impl clock::Handlers for Clock {
    async fn now(&self, _: &Context, _: clock::Now) -> Result<String> {
        Ok(self.zone.clone())
    }
}

/// What the macro left.
pub(crate) fn authority() -> &'static house::toolwrit::generated::Authority {
    <Tools<Clock> as house::toolwrit::generated::Tools>::compiled_authority()
}

fn main() -> ExitCode {
    house::toolwrit::cli::main::<Tools<Clock>>()
}
