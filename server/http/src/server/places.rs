//! The places of connections, and the bytes that are held for their clients. Both are bounded, and both may
//! be in use without anybody being kept out: whoever comes takes the place of a connection that waits for
//! its own client. Those that never carried a good credential go first, then those of whoever holds most
//! places (or the connection for which most bytes are held, where these are short), and of these the one that
//! has waited longest. What the server is at work on is never ended.
//!
//! A connection is asked to leave, and stays if its client turns out to have sent something: under load the
//! server may be behind, and takes for waiting what it has not read yet.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use toolwrit_core::principal::Principal;

/// Of so many places, one holder may have all but one such part.
const PARTS: usize = 4;

/// All places.
pub(super) struct RequestPlaces {
    /// At once, in all.
    most: usize,
    /// Bytes of requests that are being read and of answers that are being sent, at once, in all.
    most_bytes: usize,
    bytes: AtomicUsize,
    released: Notify,
    taken: Mutex<Vec<Place>>,
}

/// The place of one connection. Clones are the same place.
#[derive(Clone)]
pub(super) struct Place(Arc<Seat>);

/// Frees the place of a connection when that ends.
pub(super) struct Taken(Place);

/// A request that is being answered; with its end the answer is on its way.
pub(super) struct AnsweredRequest(Place);

/// There is no place, and no connection that must give one up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

struct Seat {
    places: Arc<RequestPlaces>,
    state: Mutex<PlacesState>,
    asked: Notify,
}

struct PlacesState {
    holder: Holder,
    phase: Phase,
    /// When the phase began, or the client last sent some of a body.
    since: Instant,
    /// When the connection was asked to leave, if it has not decided yet.
    asked: Option<Instant>,
    has_ended: bool,
    /// Since when the client takes nothing of what is sent to it.
    stalled: Option<Instant>,
    /// Held for the client.
    bytes: usize,
    /// The client may still be writing the body of the latest request.
    is_written_to: bool,
}

/// Who holds a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Holder {
    /// A peer without a credential, by its network.
    Stranger(IpAddr),
    /// An account whose credential was good.
    Known(Principal),
}

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waits for a request, or for the rest of its head.
    Idle,
    /// Waits for the rest of a body.
    Body,
    /// The server is at work.
    Work,
    /// Waits for the client to take the end of its answer.
    Sent,
}

impl PlacesState {
    /// Since when the connection has waited for its client, if it does.
    fn waiting(&self) -> Option<Instant> {
        if self.phase == Phase::Work { self.stalled } else { Some(self.since) }
    }

    fn enter(&mut self, phase: Phase) {
        (self.phase, self.since) = (phase, Instant::now());
    }
}

impl RequestPlaces {
    pub(super) fn new(most: usize, most_bytes: usize) -> Arc<Self> {
        let (bytes, released) = (AtomicUsize::new(0), Notify::new());
        Arc::new(Self { most, most_bytes, bytes, released, taken: Mutex::default() })
    }

    /// A place for a connection from this address. Another may end for it.
    ///
    /// # Errors
    /// When the server is at work for all that could make room.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Result<Taken, Full> {
        let holder = Holder::Stranger(network(address));
        let mut taken = lock(&self.taken);
        if taken.len() >= self.share() {
            let census = census(&taken);
            let own = census.get(&holder).copied().unwrap_or_default();
            if own >= self.share() {
                take_out(&mut taken, |_, state| (state.holder == holder).then_some(own))?.ask();
            }
            while taken.len() >= self.most {
                take_out(&mut taken, |_, state| census.get(&state.holder).copied())?.ask();
            }
        }
        let place = Place(Arc::new(Seat {
            places: self.clone(),
            state: Mutex::new(PlacesState {
                holder,
                phase: Phase::Idle,
                since: Instant::now(),
                asked: None,
                has_ended: false,
                stalled: None,
                bytes: 0,
                is_written_to: false,
            }),
            asked: Notify::new(),
        }));
        taken.push(place.clone());
        Ok(Taken(place))
    }

    /// Asks a connection to leave, if there is one that waits for its client.
    pub(super) fn make_room(&self) {
        let mut taken = lock(&self.taken);
        let census = census(&taken);
        if let Ok(place) = take_out(&mut taken, |_, state| census.get(&state.holder).copied()) {
            place.ask();
        }
    }

    /// Ends requests whose clients have let the server wait for so long.
    pub(super) fn end_slow(&self, patience: Duration) {
        let is_slow = |place: &mut Place| {
            let state = place.state();
            let waits = state.waiting().is_some_and(|since| since.elapsed() >= patience);
            waits && state.phase != Phase::Idle
        };
        for place in lock(&self.taken).extract_if(.., is_slow) {
            place.end();
        }
    }

    /// So many places may one holder have.
    fn share(&self) -> usize {
        (self.most - self.most / PARTS).max(1)
    }

    fn has_room(&self) -> bool {
        self.bytes.load(Relaxed) <= self.most_bytes
    }

    /// Ends connections for which most bytes are held, until there are no more than there may be, for the
    /// sake of this one.
    fn shrink(&self, own: &Place) -> Result<(), Full> {
        let weight = |place: &Place, state: &PlacesState| {
            Some(state.bytes).filter(|bytes| *bytes > 0 && !Arc::ptr_eq(&place.0, &own.0))
        };
        let mut taken = lock(&self.taken);
        let mut held: usize = taken.iter().map(|place| place.state().bytes).sum();
        while held > self.most_bytes {
            let place = take_out(&mut taken, weight)?;
            held -= place.state().bytes;
            place.end();
        }
        Ok(())
    }
}

/// Takes out the first of those that make room: of strangers before accounts the heaviest, and of these the
/// one that has waited longest. What weighs nothing stays.
fn take_out(
    taken: &mut Vec<Place>,
    weight: impl Fn(&Place, &PlacesState) -> Option<usize>,
) -> Result<Place, Full> {
    let waiting = taken.iter().enumerate().filter_map(|(at, place)| {
        let state = place.state();
        let (since, weight) = state.waiting().zip(weight(place, &state))?;
        let is_known = matches!(state.holder, Holder::Known(_));
        Some((is_known, Reverse(weight), since, at))
    });
    let (.., at) = waiting.min().ok_or(Full)?;
    Ok(taken.swap_remove(at))
}

/// How many places everybody holds.
fn census(taken: &[Place]) -> HashMap<Holder, usize> {
    let mut census = HashMap::new();
    for place in taken {
        *census.entry(place.state().holder.clone()).or_default() += 1;
    }
    census
}

/// What one client can have many addresses of: an IPv6 address stands for its network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl Taken {
    pub(super) fn place(&self) -> &Place {
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

impl Place {
    /// Completes when the connection is asked to leave.
    pub(super) async fn asked(&self) {
        self.0.asked.notified().await;
    }

    /// Whether it does, which it is to say once it has seen what its client has sent.
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

    /// The connection carried a good credential of this account.
    pub(super) fn known_as(&self, principal: &Principal) {
        let known =
            |state: &PlacesState| matches!(&state.holder, Holder::Known(own) if own == principal);
        if known(&self.state()) {
            return;
        }
        let taken = lock(&self.0.places.taken);
        let own = taken.iter().filter(|place| known(&place.state())).count();
        if own < self.0.places.share() {
            self.state().holder = Holder::Known(principal.clone());
        }
    }

    /// Begins with a request. The client has taken the answer to the one before: hyper waits for that.
    pub(super) fn begin(&self, has_body: bool) -> AnsweredRequest {
        let mut state = self.state();
        state.enter(Phase::Work);
        state.is_written_to = has_body;
        AnsweredRequest(self.clone())
    }

    /// The body of the request is being read.
    pub(super) fn reads(&self) {
        self.state().enter(Phase::Body);
    }

    /// Makes room for more of the body, and waits until that is free.
    ///
    /// # Errors
    /// When the server is at work for all that could make room.
    pub(super) async fn hold(&self, bytes: usize) -> Result<(), Full> {
        self.count(bytes)?;
        loop {
            let released = self.0.places.released.notified();
            if self.0.places.has_room() {
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
        if self.0.places.has_room() { Ok(()) } else { self.0.places.shrink(self) }
    }

    fn release(&self, state: &mut PlacesState) {
        self.0.places.bytes.fetch_sub(std::mem::take(&mut state.bytes), Relaxed);
        self.0.places.released.notify_waiters();
    }

    /// The body has been read, as far as it will be.
    pub(super) fn has_read(&self, to_its_end: bool) {
        let mut state = self.state();
        state.enter(Phase::Work);
        state.is_written_to &= !to_its_end;
    }

    /// The client takes nothing at the moment, or does again.
    pub(super) fn stalls(&self, stalls: bool) {
        self.state().stalled = stalls.then(Instant::now);
    }

    /// All that was written has been handed to the system.
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

    fn state(&self) -> MutexGuard<'_, PlacesState> {
        lock(&self.0.state)
    }
}

impl AnsweredRequest {
    /// An answer of this size waits to be taken.
    pub(super) fn answers(&self, bytes: usize) {
        // Whoever must make room for it has ended; where nobody can, the answer is the smaller evil.
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

    use super::{AnsweredRequest, Full, RequestPlaces, Taken, network};
    use toolwrit_core::principal::Principal;

    fn from(places: &Arc<RequestPlaces>, last: u8) -> Result<Taken, Full> {
        places.take(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
    }

    /// Whether the connection of this place would end now.
    fn has_ended(taken: &Taken) -> bool {
        taken.place().leaves() || taken.place().state().has_ended
    }

    fn at_work(taken: &Taken) -> AnsweredRequest {
        taken.place().begin(false)
    }

    #[test]
    fn whoever_holds_most_makes_room_with_what_has_waited_longest() {
        let places = RequestPlaces::new(4, 100);
        let many: Vec<Taken> = (0..3).map(|_| from(&places, 1).unwrap()).collect();
        let one = from(&places, 2).unwrap();
        let _work = at_work(&many[0]);
        let other = from(&places, 3).unwrap();
        assert_eq!(many.iter().map(has_ended).collect::<Vec<_>>(), [false, true, false]);
        assert!(!has_ended(&one) && !has_ended(&other));
    }

    #[test]
    fn one_address_has_three_quarters_of_all() {
        let places = RequestPlaces::new(4, 100);
        let own: Vec<Taken> = (0..4).map(|_| from(&places, 1).unwrap()).collect();
        assert_eq!(own.iter().map(has_ended).collect::<Vec<_>>(), [true, false, false, false]);
        let _works: Vec<AnsweredRequest> = own[1..].iter().map(at_work).collect();
        assert_eq!(from(&places, 1).err(), Some(Full));
        assert!(from(&places, 2).is_ok());
    }

    #[test]
    fn accounts_stay_before_strangers() {
        let places = RequestPlaces::new(4, 100);
        let known: Vec<Taken> = (0..3).map(|_| from(&places, 1).unwrap()).collect();
        for taken in &known {
            taken.place().known_as(&Principal::named("a"));
        }
        let stranger = from(&places, 2).unwrap();
        let newcomer = from(&places, 3).unwrap();
        assert!(has_ended(&stranger) && !has_ended(&newcomer) && !known.iter().any(has_ended));
        let _work = at_work(&newcomer);
        // Where there are only accounts, one of them makes room, so that others can come in.
        from(&places, 4).unwrap();
        assert_eq!(known.iter().map(has_ended).collect::<Vec<_>>(), [true, false, false]);
    }

    #[tokio::test]
    async fn bytes_are_bounded_by_ending_who_holds_some() {
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
        // Its memory is there until it is dropped.
        assert!(poll!(&mut held).is_pending());
        drop(first);
        assert_eq!(held.await, Ok(()));
        // What the server is at work on stays.
        let _works = [at_work(&second), at_work(&third)];
        assert_eq!(from(&places, 4).unwrap().place().hold(50).await, Err(Full));
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:0:0:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.2"), network("192.0.2.1"));
    }
}
