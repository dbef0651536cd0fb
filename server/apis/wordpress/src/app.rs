//! The state of the handlers: the web from which files are imported.

use std::error::Error;
use std::time::Duration;

use toolwrit::{Setup, Updates};
use toolwrit_web::{Network, Web, WebOptions};

use crate::sample;

/// The application. The connection to the site belongs to the engine.
pub(crate) struct Site {
    pub(crate) web: Web,
}

/// Flags of the application, on all commands that open it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Addresses from which files may be imported although they are not public: an address or a network, such as
    /// 10.0.0.0/8. May be repeated, or separated by commas.
    #[arg(long, env = "WPNAV_MEDIA_ALLOW", value_name = "NETWORK", value_delimiter = ',')]
    media_allow: Vec<Network>,
}

impl toolwrit::App for Site {
    type Options = Options;

    async fn open(options: Options, _: Updates) -> Result<Self, Box<dyn Error>> {
        let timeout = Duration::from_mins(1);
        Ok(Self { web: Web::new(WebOptions { allowed: options.media_allow, timeout }) })
    }

    fn setup(&self) -> Setup {
        Setup::new().sample_data(|cx| Box::pin(sample::create(cx)))
    }
}
