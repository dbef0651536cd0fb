//! Bounds the number of connections and the bytes held for their clients. At a limit, a new connection
//! replaces one that waits for its client. Connections without a valid credential are closed first, then
//! those of the holder with most slots (or the connection with most bytes, if bytes are short); among these,
//! the one that has waited longest. A connection whose request is being worked on is never closed.
//!
//! A connection is asked to leave, and stays if its client has sent something: under load, the server may
//! not have read that yet.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::slot_state::{Holder, Phase, SlotState};
use toolwrit_core::caller::principal::Principal;

/// One holder may have all slots but one in this many.
const PARTS: usize = 4;

/// All slots.
pub(super) struct ConnectionSlots {
    /// Maximum number of slots.
    most: usize,
    /// Maximum number of bytes held for bodies being received and answers being sent.
    most_bytes: usize,
    bytes: AtomicUsize,
    released: Notify,
    taken: Mutex<Vec<ConnectionSlot>>,
}

/// The slot of one connection. Clones refer to the same slot.
#[derive(Clone)]
pub(super) struct ConnectionSlot(Arc<SlotInner>);

/// Frees the slot of a connection when dropped.
pub(super) struct SlotGuard(ConnectionSlot);

/// A request being answered. When dropped, its answer is complete and being sent.
pub(super) struct AnsweredRequest(ConnectionSlot);

/// All slots or bytes are in use, and no connection may be closed for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

struct SlotInner {
    slots: Arc<ConnectionSlots>,
    state: Mutex<SlotState>,
    asked: Notify,
}

impl ConnectionSlots {
    pub(super) fn new(most: usize, most_bytes: usize) -> Arc<Self> {
        let (bytes, released) = (AtomicUsize::new(0), Notify::new());
        Arc::new(Self { most, most_bytes, bytes, released, taken: Mutex::default() })
    }

    /// Takes a slot for a connection from this address. May ask another connection to leave.
    ///
    /// # Errors
    /// If all slots are in use, and no connection may be closed.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Result<SlotGuard, Full> {
        let holder = Holder::from_address(address);
        let mut taken = lock(&self.taken);
        if taken.len() >= self.share() {
            let slots_by_holder = slots_by_holder(&taken);
            let slots_of_holder = slots_by_holder.get(&holder).copied().unwrap_or_default();
            if slots_of_holder >= self.share() {
                remove_first(&mut taken, |_, state| {
                    (state.holder == holder).then_some(slots_of_holder)
                })?
                .ask();
            }
            while taken.len() >= self.most {
                remove_first(&mut taken, |_, state| slots_by_holder.get(&state.holder).copied())?
                    .ask();
            }
        }
        let slot = ConnectionSlot(Arc::new(SlotInner {
            slots: self.clone(),
            state: Mutex::new(SlotState::new(address)),
            asked: Notify::new(),
        }));
        taken.push(slot.clone());
        Ok(SlotGuard(slot))
    }

    /// Asks a connection that waits for its client to leave, if there is one.
    pub(super) fn free_one(&self) {
        let mut taken = lock(&self.taken);
        let slots_by_holder = slots_by_holder(&taken);
        if let Ok(slot) =
            remove_first(&mut taken, |_, state| slots_by_holder.get(&state.holder).copied())
        {
            slot.ask();
        }
    }

    /// Closes connections that have waited for their client for this long during a request.
    pub(super) fn end_slow(&self, longest: Duration) {
        let is_slow = |slot: &mut ConnectionSlot| {
            let state = slot.state();
            let waits = state.waiting().is_some_and(|since| since.elapsed() >= longest);
            waits && state.phase != Phase::Idle
        };
        for slot in lock(&self.taken).extract_if(.., is_slow) {
            slot.end();
        }
    }

    /// Maximum number of slots of one holder.
    fn share(&self) -> usize {
        (self.most - self.most / PARTS).max(1)
    }

    fn has_free_bytes(&self) -> bool {
        self.bytes.load(Relaxed) <= self.most_bytes
    }

    /// Closes the connections with most bytes, except this one, until the limit is met.
    fn shrink(&self, growing: &ConnectionSlot) -> Result<(), Full> {
        let weight = |slot: &ConnectionSlot, state: &SlotState| {
            Some(state.bytes).filter(|bytes| *bytes > 0 && !Arc::ptr_eq(&slot.0, &growing.0))
        };
        let mut taken = lock(&self.taken);
        let mut held: usize = taken.iter().map(|slot| slot.state().bytes).sum();
        while held > self.most_bytes {
            let slot = remove_first(&mut taken, weight)?;
            held -= slot.state().bytes;
            slot.end();
        }
        Ok(())
    }
}

/// Removes the connection to close first: unidentified before identified, then the greatest weight, then
/// the longest wait. A weight of `None` excludes a connection.
fn remove_first(
    taken: &mut Vec<ConnectionSlot>,
    weight: impl Fn(&ConnectionSlot, &SlotState) -> Option<usize>,
) -> Result<ConnectionSlot, Full> {
    let waiting = taken.iter().enumerate().filter_map(|(at, slot)| {
        let state = slot.state();
        let (since, weight) = state.waiting().zip(weight(slot, &state))?;
        let is_known = matches!(state.holder, Holder::Known(_));
        Some((is_known, Reverse(weight), since, at))
    });
    let (.., at) = waiting.min().ok_or(Full)?;
    Ok(taken.swap_remove(at))
}

/// Counts the slots of each holder.
fn slots_by_holder(taken: &[ConnectionSlot]) -> HashMap<Holder, usize> {
    let mut slots_by_holder = HashMap::new();
    for slot in taken {
        *slots_by_holder.entry(slot.state().holder.clone()).or_default() += 1;
    }
    slots_by_holder
}

impl SlotGuard {
    pub(super) fn slot(&self) -> &ConnectionSlot {
        &self.0
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        let slot = &self.0;
        lock(&slot.0.slots.taken).retain(|other| !Arc::ptr_eq(&other.0, &slot.0));
        slot.release(&mut slot.state());
    }
}

impl ConnectionSlot {
    /// Completes when the connection is asked to leave.
    pub(super) async fn asked(&self) {
        self.0.asked.notified().await;
    }

    /// Whether the connection must close. It asks after it has read what its client has sent.
    pub(super) fn leaves(&self) -> bool {
        let mut taken = lock(&self.0.slots.taken);
        let mut state = self.state();
        let Some(asked) = state.asked.take().filter(|_| !state.has_ended) else {
            return state.has_ended;
        };
        let leaves = state.waiting().is_some_and(|since| since <= asked);
        if !leaves {
            taken.push(self.clone());
        }
        leaves
    }

    /// Notes that the connection carried a valid credential of this account.
    pub(super) fn known_as(&self, principal: &Principal) {
        let known = |state: &SlotState| matches!(&state.holder, Holder::Known(holder) if holder == principal);
        if known(&self.state()) {
            return;
        }
        let taken = lock(&self.0.slots.taken);
        let slots_of_principal = taken.iter().filter(|slot| known(&slot.state())).count();
        if slots_of_principal < self.0.slots.share() {
            self.state().holder = Holder::Known(principal.clone());
        }
    }

    /// Begins a request. The client has read the previous answer: hyper waits for that.
    pub(super) fn begin(&self, has_body: bool) -> AnsweredRequest {
        let mut state = self.state();
        state.enter(Phase::Work);
        state.is_written_to = has_body;
        AnsweredRequest(self.clone())
    }

    /// Notes that the body of the request is being read.
    pub(super) fn reads(&self) {
        self.state().enter(Phase::Body);
    }

    /// Reserves bytes for the body, and waits until they are free.
    ///
    /// # Errors
    /// If the bytes are in use, and no connection may be closed.
    pub(super) async fn hold(&self, bytes: usize) -> Result<(), Full> {
        self.count(bytes)?;
        loop {
            let released = self.0.slots.released.notified();
            if self.0.slots.has_free_bytes() {
                return Ok(());
            }
            released.await;
        }
    }

    fn count(&self, bytes: usize) -> Result<(), Full> {
        {
            let mut state = self.state();
            state.since = Instant::now();
            state.bytes += bytes;
            self.0.slots.bytes.fetch_add(bytes, Relaxed);
        }
        if self.0.slots.has_free_bytes() { Ok(()) } else { self.0.slots.shrink(self) }
    }

    fn release(&self, state: &mut SlotState) {
        self.0.slots.bytes.fetch_sub(std::mem::take(&mut state.bytes), Relaxed);
        self.0.slots.released.notify_waiters();
    }

    /// Notes that no more of the body will be read.
    pub(super) fn has_read(&self, to_its_end: bool) {
        let mut state = self.state();
        state.enter(Phase::Work);
        state.is_written_to &= !to_its_end;
    }

    /// Notes whether the client currently reads nothing of its answer.
    pub(super) fn stalls(&self, stalls: bool) {
        self.state().stalled = stalls.then(Instant::now);
    }

    /// Notes that everything written has been passed to the system.
    pub(super) fn has_sent(&self) {
        let mut state = self.state();
        if state.phase == Phase::Sent {
            state.enter(Phase::Idle);
            self.release(&mut state);
        }
    }

    /// Whether the client may still be sending a body that will not be read.
    pub(super) fn is_written_to(&self) -> bool {
        self.state().is_written_to
    }

    fn ask(&self) {
        self.state().asked = Some(Instant::now());
        self.0.asked.notify_one();
    }

    fn end(&self) {
        self.state().has_ended = true;
        self.0.asked.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, SlotState> {
        lock(&self.0.state)
    }
}

impl AnsweredRequest {
    /// Counts the bytes of an answer that is being sent.
    pub(super) fn answers(&self, bytes: usize) {
        // Connections were closed for it if possible; otherwise exceed the limit: the answer must be sent.
        let _ = self.0.count(bytes);
    }
}

impl Drop for AnsweredRequest {
    fn drop(&mut self) {
        self.0.state().enter(Phase::Sent);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::pin::pin;
    use std::sync::Arc;

    use futures::poll;

    use super::{AnsweredRequest, ConnectionSlots, Full, SlotGuard};
    use toolwrit_core::caller::principal::Principal;

    fn from(slots: &Arc<ConnectionSlots>, last: u8) -> Result<SlotGuard, Full> {
        slots.take(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
    }

    /// Whether the connection of this slot would close now.
    fn has_ended(taken: &SlotGuard) -> bool {
        taken.slot().leaves() || taken.slot().state().has_ended
    }

    fn at_work(taken: &SlotGuard) -> AnsweredRequest {
        taken.slot().begin(false)
    }

    #[test]
    fn the_longest_waiting_connection_of_the_largest_holder_leaves() {
        let slots = ConnectionSlots::new(4, 100);
        let many: Vec<SlotGuard> = (0..3).map(|_| from(&slots, 1).unwrap()).collect();
        let one = from(&slots, 2).unwrap();
        let _work = at_work(&many[0]);
        let other = from(&slots, 3).unwrap();
        assert_eq!(many.iter().map(has_ended).collect::<Vec<_>>(), [false, true, false]);
        assert!(!has_ended(&one) && !has_ended(&other));
    }

    #[test]
    fn one_address_gets_three_quarters_of_all_places() {
        let slots = ConnectionSlots::new(4, 100);
        let slots_of_address: Vec<SlotGuard> = (0..4).map(|_| from(&slots, 1).unwrap()).collect();
        assert_eq!(
            slots_of_address.iter().map(has_ended).collect::<Vec<_>>(),
            [true, false, false, false]
        );
        let _works: Vec<AnsweredRequest> = slots_of_address[1..].iter().map(at_work).collect();
        assert_eq!(from(&slots, 1).err(), Some(Full));
        assert!(from(&slots, 2).is_ok());
    }

    #[test]
    fn strangers_leave_before_accounts() {
        let slots = ConnectionSlots::new(4, 100);
        let known: Vec<SlotGuard> = (0..3).map(|_| from(&slots, 1).unwrap()).collect();
        for taken in &known {
            taken.slot().known_as(&Principal::new("a"));
        }
        let stranger = from(&slots, 2).unwrap();
        let newcomer = from(&slots, 3).unwrap();
        assert!(has_ended(&stranger) && !has_ended(&newcomer) && !known.iter().any(has_ended));
        let _work = at_work(&newcomer);
        // If all are accounts, one of them must leave, so that others can connect.
        from(&slots, 4).unwrap();
        assert_eq!(known.iter().map(has_ended).collect::<Vec<_>>(), [true, false, false]);
    }

    #[tokio::test]
    async fn connections_that_hold_bytes_are_closed_at_the_limit() {
        let slots = ConnectionSlots::new(8, 100);
        let [first, second, third] = [1, 2, 3].map(|last| from(&slots, last).unwrap());
        for taken in [&first, &second] {
            taken.slot().reads();
            assert_eq!(taken.slot().hold(50).await, Ok(()));
        }
        third.slot().reads();
        let mut held = pin!(third.slot().hold(50));
        assert!(poll!(&mut held).is_pending());
        assert!(has_ended(&first) && !has_ended(&second));
        // Its bytes are counted until it is dropped.
        assert!(poll!(&mut held).is_pending());
        drop(first);
        assert_eq!(held.await, Ok(()));
        // Connections being worked on stay.
        let _works = [at_work(&second), at_work(&third)];
        assert_eq!(from(&slots, 4).unwrap().slot().hold(50).await, Err(Full));
    }
}
