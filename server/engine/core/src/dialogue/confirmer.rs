//! A user who confirms calls, and answers no other questions.

use std::fmt;
use std::pin::Pin;

use crate::fault::Result;

/// Asks the user to confirm a call, as the command line does on its terminal.
pub trait Confirmer: fmt::Debug + Send + Sync {
    /// Shows the question, and succeeds if the user confirms.
    ///
    /// # Errors
    /// The fault with which the call ends: the user declined, or cannot be asked.
    fn confirm(&self, question: String) -> Pin<Box<dyn Future<Output = Result<()>> + Send>>;
}
