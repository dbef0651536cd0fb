//! Whether the providers that operations need are available, as their probes and calls have shown. `status` decides
//! for one provider, `state` shares it, and `providers` answers the policy.

mod providers;
mod state;
mod status;

pub use providers::Providers;
pub(crate) use state::ProviderState;
pub use state::ProviderStates;
pub use status::{Probe, ProviderStatus, Reason, Unavailable};
