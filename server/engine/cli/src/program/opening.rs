//! The opening of an application.

use std::pin::Pin;
use std::sync::Arc;

use crate::exit::Exit;
#[cfg(feature = "chat")]
use toolwrit_chat::converse::Conversations;
use toolwrit_core::toolset::Toolset;

/// A future that opens the application, to be run inside the runtime.
pub(crate) type Opening = Pin<Box<dyn Future<Output = Result<Arc<dyn Toolset>, Exit>>>>;

/// A future that opens the application and its conversations.
#[cfg(feature = "chat")]
pub(crate) type Conversing =
    Pin<Box<dyn Future<Output = Result<(Arc<dyn Toolset>, Arc<Conversations>), Exit>>>>;
