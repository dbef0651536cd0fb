//! Bounds the number of connections and the bytes held for their clients. At a limit, a new connection
//! replaces one that waits for its client. Connections without a valid credential are closed first, then
//! those of the holder with most places (or the connection with most bytes, if bytes are short); among these,
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

use super::place_state::{Holder, Phase, PlaceState};
use toolwrit_core::caller::principal::Principal;

/// One holder may have all places but one in this many.
const PARTS: usize = 4;

/// All places.
pub(super) struct RequestPlaces {
    /// Maximum number of places.
    most: usize,
    /// Maximum number of bytes held for bodies being received and answers being sent.
    most_bytes: usize,
    bytes: AtomicUsize,
    released: Notify,
    taken: Mutex<Vec<ConnectionPlace>>,
}

/// The place of one connection. Clones refer to the same place.
#[derive(Clone)]
pub(super) struct ConnectionPlace(Arc<Seat>);

/// Frees the place of a connection when dropped.
pub(super) struct Taken(ConnectionPlace);

/// A request being answered. When dropped, its answer is complete and being sent.
pub(super) struct AnsweredRequest(ConnectionPlace);

/// All places or bytes are in use, and no connection may be closed for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

struct Seat {
    places: Arc<RequestPlaces>,
    state: Mutex<PlaceState>,
    asked: Notify,
}

impl RequestPlaces {
    pub(super) fn new(most: usize, most_bytes: usize) -> Arc<Self> {
        let (bytes, released) = (AtomicUsize::new(0), Notify::new());
        Arc::new(Self { most, most_bytes, bytes, released, taken: Mutex::default() })
    }

    /// Takes a place for a connection from this address. May ask another connection to leave.
    ///
    /// # Errors
    /// If all places are in use, and no connection may be closed.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Result<Taken, Full> {
        let holder = Holder::from_address(address);
        let mut taken = lock(&self.taken);
        if taken.len() >= self.share() {
            let places_by_holder = places_by_holder(&taken);
            let places_of_holder = places_by_holder.get(&holder).copied().unwrap_or_default();
            if places_of_holder >= self.share() {
                remove_first(&mut taken, |_, state| {
                    (state.holder == holder).then_some(places_of_holder)
                })?
                .ask();
            }
            while taken.len() >= self.most {
                remove_first(&mut taken, |_, state| places_by_holder.get(&state.holder).copied())?
                    .ask();
            }
        }
        let place = ConnectionPlace(Arc::new(Seat {
            places: self.clone(),
            state: Mutex::new(PlaceState::new(address)),
            asked: Notify::new(),
        }));
        taken.push(place.clone());
        Ok(Taken(place))
    }

    /// Asks a connection that waits for its client to leave, if there is one.
    pub(super) fn free_one(&self) {
        let mut taken = lock(&self.taken);
        let places_by_holder = places_by_holder(&taken);
        if let Ok(place) =
            remove_first(&mut taken, |_, state| places_by_holder.get(&state.holder).copied())
        {
            place.ask();
        }
    }

    /// Closes connections that have waited for their client for this long during a request.
    pub(super) fn end_slow(&self, longest: Duration) {
        let is_slow = |place: &mut ConnectionPlace| {
            let state = place.state();
            let waits = state.waiting().is_some_and(|since| since.elapsed() >= longest);
            waits && state.phase != Phase::Idle
        };
        for place in lock(&self.taken).extract_if(.., is_slow) {
            place.end();
        }
    }

    /// Maximum number of places of one holder.
    fn share(&self) -> usize {
        (self.most - self.most / PARTS).max(1)
    }

    fn has_free_bytes(&self) -> bool {
        self.bytes.load(Relaxed) <= self.most_bytes
    }

    /// Closes the connections with most bytes, except this one, until the limit is met.
    fn shrink(&self, growing: &ConnectionPlace) -> Result<(), Full> {
        let weight = |place: &ConnectionPlace, state: &PlaceState| {
            Some(state.bytes).filter(|bytes| *bytes > 0 && !Arc::ptr_eq(&place.0, &growing.0))
        };
        let mut taken = lock(&self.taken);
        let mut held: usize = taken.iter().map(|place| place.state().bytes).sum();
        while held > self.most_bytes {
            let place = remove_first(&mut taken, weight)?;
            held -= place.state().bytes;
            place.end();
        }
        Ok(())
    }
}

/// Removes the connection to close first: unidentified before identified, then the greatest weight, then
/// the longest wait. A weight of `None` excludes a connection.
fn remove_first(
    taken: &mut Vec<ConnectionPlace>,
    weight: impl Fn(&ConnectionPlace, &PlaceState) -> Option<usize>,
) -> Result<ConnectionPlace, Full> {
    let waiting = taken.iter().enumerate().filter_map(|(at, place)| {
        let state = place.state();
        let (since, weight) = state.waiting().zip(weight(place, &state))?;
        let is_known = matches!(state.holder, Holder::Known(_));
        Some((is_known, Reverse(weight), since, at))
    });
    let (.., at) = waiting.min().ok_or(Full)?;
    Ok(taken.swap_remove(at))
}

/// Counts the places of each holder.
fn places_by_holder(taken: &[ConnectionPlace]) -> HashMap<Holder, usize> {
    let mut places_by_holder = HashMap::new();
    for place in taken {
        *places_by_holder.entry(place.state().holder.clone()).or_default() += 1;
    }
    places_by_holder
}

impl Taken {
    pub(super) fn place(&self) -> &ConnectionPlace {
        &self.0
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let place = &self.0;
        lock(&place.0.places.taken).retain(|other| !Arc::ptr_eq(&other.0, &place.0));
        place.release(&mut place.state());
    }
}

impl ConnectionPlace {
    /// Completes when the connection is asked to leave.
    pub(super) async fn asked(&self) {
        self.0.asked.notified().await;
    }

    /// Whether the connection must close. It asks after it has read what its client has sent.
    pub(super) fn leaves(&self) -> bool {
        let mut taken = lock(&self.0.places.taken);
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
        let known = |state: &PlaceState| matches!(&state.holder, Holder::Known(holder) if holder == principal);
        if known(&self.state()) {
            return;
        }
        let taken = lock(&self.0.places.taken);
        let places_of_principal = taken.iter().filter(|place| known(&place.state())).count();
        if places_of_principal < self.0.places.share() {
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
            let released = self.0.places.released.notified();
            if self.0.places.has_free_bytes() {
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
            self.0.places.bytes.fetch_add(bytes, Relaxed);
        }
        if self.0.places.has_free_bytes() { Ok(()) } else { self.0.places.shrink(self) }
    }

    fn release(&self, state: &mut PlaceState) {
        self.0.places.bytes.fetch_sub(std::mem::take(&mut state.bytes), Relaxed);
        self.0.places.released.notify_waiters();
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

    fn state(&self) -> MutexGuard<'_, PlaceState> {
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

    use super::{AnsweredRequest, Full, RequestPlaces, Taken};
    use toolwrit_core::caller::principal::Principal;

    fn from(places: &Arc<RequestPlaces>, last: u8) -> Result<Taken, Full> {
        places.take(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
    }

    /// Whether the connection of this place would close now.
    fn has_ended(taken: &Taken) -> bool {
        taken.place().leaves() || taken.place().state().has_ended
    }

    fn at_work(taken: &Taken) -> AnsweredRequest {
        taken.place().begin(false)
    }

    #[test]
    fn the_longest_waiting_connection_of_the_largest_holder_leaves() {
        let places = RequestPlaces::new(4, 100);
        let many: Vec<Taken> = (0..3).map(|_| from(&places, 1).unwrap()).collect();
        let one = from(&places, 2).unwrap();
        let _work = at_work(&many[0]);
        let other = from(&places, 3).unwrap();
        assert_eq!(many.iter().map(has_ended).collect::<Vec<_>>(), [false, true, false]);
        assert!(!has_ended(&one) && !has_ended(&other));
    }

    #[test]
    fn one_address_gets_three_quarters_of_all_places() {
        let places = RequestPlaces::new(4, 100);
        let places_of_address: Vec<Taken> = (0..4).map(|_| from(&places, 1).unwrap()).collect();
        assert_eq!(
            places_of_address.iter().map(has_ended).collect::<Vec<_>>(),
            [true, false, false, false]
        );
        let _works: Vec<AnsweredRequest> = places_of_address[1..].iter().map(at_work).collect();
        assert_eq!(from(&places, 1).err(), Some(Full));
        assert!(from(&places, 2).is_ok());
    }

    #[test]
    fn strangers_leave_before_accounts() {
        let places = RequestPlaces::new(4, 100);
        let known: Vec<Taken> = (0..3).map(|_| from(&places, 1).unwrap()).collect();
        for taken in &known {
            taken.place().known_as(&Principal::new("a"));
        }
        let stranger = from(&places, 2).unwrap();
        let newcomer = from(&places, 3).unwrap();
        assert!(has_ended(&stranger) && !has_ended(&newcomer) && !known.iter().any(has_ended));
        let _work = at_work(&newcomer);
        // If all are accounts, one of them must leave, so that others can connect.
        from(&places, 4).unwrap();
        assert_eq!(known.iter().map(has_ended).collect::<Vec<_>>(), [true, false, false]);
    }

    #[tokio::test]
    async fn connections_that_hold_bytes_are_closed_at_the_limit() {
        let places = RequestPlaces::new(8, 100);
        let [first, second, third] = [1, 2, 3].map(|last| from(&places, last).unwrap());
        for taken in [&first, &second] {
            taken.place().reads();
            assert_eq!(taken.place().hold(50).await, Ok(()));
        }
        third.place().reads();
        let mut held = pin!(third.place().hold(50));
        assert!(poll!(&mut held).is_pending());
        assert!(has_ended(&first) && !has_ended(&second));
        // Its bytes are counted until it is dropped.
        assert!(poll!(&mut held).is_pending());
        drop(first);
        assert_eq!(held.await, Ok(()));
        // Connections being worked on stay.
        let _works = [at_work(&second), at_work(&third)];
        assert_eq!(from(&places, 4).unwrap().place().hold(50).await, Err(Full));
    }
}
