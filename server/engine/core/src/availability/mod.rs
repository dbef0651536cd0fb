//! Whether the providers that operations need are available, as their probes and calls have shown. `status` decides
//! for one provider, `state` shares it, and `providers` answers the policy.

mod figures;
mod providers;
mod state;
mod status;

pub use figures::UpstreamFigures;
pub use providers::Providers;
pub(crate) use state::ProviderState;
pub use state::{ProviderStates, Withheld};
pub use status::{Probe, ProviderStatus, Reason, Unavailable};
