//! A small authority for the fuzzer, with a parameter of every kind.

use toolwrit::{Context, Result};

toolwrit::authority!("../authority.yaml");

/// Handlers that are never called.
pub struct Nobody;

impl toolwrit::App for Nobody {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(Self)
    }
}

impl near::Handlers for Nobody {
    async fn shapes(&self, _: &Context, _: near::Shapes) -> Result<near::ShapesResult> {
        Ok(String::new())
    }
}

impl far::Handlers for Nobody {
    async fn away(&self, _: &Context, _: far::Away) -> Result<far::AwayResult> {
        Ok(String::new())
    }
}
