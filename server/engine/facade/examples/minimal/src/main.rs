//! A complete server: messages in bottles.

use std::sync::{Mutex, PoisonError};

use toolwrit::{Context, Result, Timestamp};

toolwrit::authority!("../authority.yaml");
#[cfg(test)]
mod tests;

#[derive(Default)]
struct Sea(Mutex<Vec<types::Bottle>>);

impl toolwrit::App for Sea {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> toolwrit::Opened<Self> {
        Ok(Self::default())
    }
}

impl sea::Handlers for Sea {
    async fn throw(&self, _: &Context, p: sea::Throw) -> Result<sea::ThrowResult> {
        let bottle = types::Bottle { message: p.message, wind: p.wind, thrown: Timestamp::now() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bottle.clone());
        Ok(bottle)
    }

    async fn watch(&self, _: &Context, p: sea::Watch) -> Result<sea::WatchResult> {
        let afloat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(afloat.iter().filter(|b| p.wind.is_none_or(|wind| b.wind == wind)).cloned().collect())
    }
}

fn main() -> std::process::ExitCode {
    #[cfg(feature = "cli")]
    return toolwrit::cli::main::<Tools<Sea>>();
    #[cfg(not(feature = "cli"))]
    return toolwrit::stdio::main::<Tools<Sea>>();
}
