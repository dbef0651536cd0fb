//! Tickets: the right to do one thing once. Whoever is asked to confirm gets one, and gives it back
//! with the yes. They live in memory: after a restart the question is asked again.

use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};

use crate::confirmed::Confirmed;
use crate::fault::{Fault, Result};
use crate::hex::Hex;
use crate::principal::Principal;

/// How long a ticket is good for.
const LIFETIME: Duration = Duration::from_mins(10);
/// Tickets at once; beyond it the oldest are void, which costs their holders a second question.
const KEPT: u64 = 10_000;
/// Random bytes in a ticket. Short, because models copy it; it can only be tried out online.
const ENTROPY: usize = 10;

/// What a ticket is good for: one call, of one principal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding([u8; 32]);

impl Binding {
    /// `arguments` in their canonical form.
    pub(crate) fn new(principal: &Principal, operation: &str, arguments: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [principal.as_str(), operation, arguments] {
            // With its length before it, no part can pass for another's.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// The tickets that are out, each with what a yes is a yes to.
pub(crate) struct Tickets(Cache<String, (Binding, Confirmed)>);

impl Tickets {
    pub(crate) fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(KEPT)
            .time_to_live(LIFETIME)
            .eviction_policy(EvictionPolicy::lru());
        Self(cache.build())
    }

    /// A new ticket.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(crate) fn issue(&self, binding: Binding, confirmed: Confirmed) -> Result<String> {
        let mut bytes = [0; ENTROPY];
        getrandom::fill(&mut bytes)
            .map_err(|error| Fault::internal(format!("no random bytes: {error}")))?;
        let ticket = Hex(&bytes).to_string();
        self.0.insert(ticket.clone(), (binding, confirmed));
        Ok(ticket)
    }

    /// What was said yes to, if the ticket was good for this. It is not any more.
    pub(crate) fn redeem(&self, ticket: &str, binding: Binding) -> Option<Confirmed> {
        // One that is shown for something else stays good for what it was made for.
        self.0.get(ticket).filter(|(good_for, _)| *good_for == binding)?;
        self.0.remove(ticket).map(|(_, confirmed)| confirmed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Binding, Tickets};
    use crate::confirmed::Confirmed;
    use crate::principal::Principal;

    #[test]
    fn a_ticket_is_good_once_and_for_one_thing() {
        let ada = Principal::named("ada");
        let binding = |who: &Principal, what, how| Binding::new(who, what, how);
        let mine = binding(&ada, "vault.delete", "{}");
        let tickets = Tickets::new();
        let ticket = tickets.issue(mine, Confirmed::default()).unwrap();
        for other in [
            binding(&Principal::named("bob"), "vault.delete", "{}"),
            binding(&ada, "vault.bulk_delete", "{}"),
            binding(&ada, "vault.delete", "{\"path\":\"a\"}"),
            binding(&ada, "vault.delet", "e{}"),
        ] {
            assert!(tickets.redeem(&ticket, other).is_none());
        }
        assert!(tickets.redeem("", mine).is_none());
        assert!(tickets.redeem(&ticket, mine).is_some());
        assert!(tickets.redeem(&ticket, mine).is_none(), "a second time");
    }
}
