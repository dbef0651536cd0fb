//! The keys of an authorization server, kept and renewed.

use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};

use super::discovery::{self, Agents, MetadataSource, Unavailable};

/// Keys that are older are renewed, so that one that was withdrawn is not believed for long.
const MAX_AGE: Duration = Duration::from_mins(10);
/// Keys that are older, because they could not be renewed, are believed no more: one of them may have been
/// withdrawn.
const END_OF_LIFE: Duration = Duration::from_hours(1);
/// How often they are fetched at most. A token may name any key, so its sender could have us ask
/// again and again. After a pause, as many in a row.
const FETCHES_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// The point of a key for Ed25519, in characters of base64url: 32 bytes.
const ED25519_TEXT: usize = 43;

/// Keys as they were published last. Cheap to clone.
#[derive(Clone)]
pub(super) struct Keys(Arc<SharedKeys>);

struct SharedKeys {
    source: MetadataSource,
    agents: Agents,
    known: RwLock<Option<Arc<KnownKeys>>>,
    /// Held by the one who fetches.
    turn: tokio::sync::Mutex<()>,
    quota: DefaultDirectRateLimiter,
}

struct KnownKeys {
    keys: Vec<VerificationKey>,
    fetched: Instant,
}

struct VerificationKey {
    id: Option<String>,
    /// The only algorithm that it is for, if it says so.
    algorithm: Option<KeyAlgorithm>,
    decoding: DecodingKey,
}

/// No key could be fetched, or not for too long.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoKeys;

impl Keys {
    /// Fetches nothing yet.
    pub(super) fn of(source: MetadataSource) -> Self {
        Self(Arc::new(SharedKeys {
            source,
            agents: Agents::new(),
            known: RwLock::default(),
            turn: tokio::sync::Mutex::default(),
            quota: RateLimiter::direct(Quota::per_minute(FETCHES_PER_MINUTE)),
        }))
    }

    /// Fetches the keys, keeps none, and counts them. Blocks.
    pub(super) fn count(&self) -> Result<usize, Unavailable> {
        let set = discovery::keys(&self.0.agents, &self.0.source)?;
        Ok(KnownKeys::new(&set).keys.len())
    }

    /// The key of this id for this algorithm; without an id, the only one for the algorithm. One that
    /// is not known may be new, so it is looked for.
    ///
    /// # Errors
    /// When the keys could not be fetched, ever or for too long.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<DecodingKey>, NoKeys> {
        let known = self.known();
        let current = known.as_ref().filter(|known| known.is_alive());
        let found = current.and_then(|known| known.find(id, algorithm));
        if found.is_some() {
            if known.as_ref().is_some_and(|known| known.fetched.elapsed() > MAX_AGE) {
                let keys = self.clone();
                tokio::spawn(async move { keys.renew(known).await });
            }
            return Ok(found);
        }
        self.renew(known).await;
        let current = self.known().filter(|known| known.is_alive());
        current.map(|known| known.find(id, algorithm)).ok_or(NoKeys)
    }

    /// Replaces these keys, unless another request has done so meanwhile. When that fails they stay.
    async fn renew(&self, seen: Option<Arc<KnownKeys>>) {
        let _turn = self.0.turn.lock().await;
        let now = self.known();
        if now.as_ref().map(Arc::as_ptr) != seen.as_ref().map(Arc::as_ptr) {
            return;
        }
        if self.0.quota.check().is_err() {
            return;
        }
        let inner = self.0.clone();
        let fetch = move || discovery::keys(&inner.agents, &inner.source);
        match tokio::task::spawn_blocking(fetch).await {
            Ok(Ok(set)) => {
                let known = Arc::new(KnownKeys::new(&set));
                *self.0.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the keys of the authorization server cannot be fetched");
            }
            Err(error) => tracing::error!(%error, "fetching keys broke off"),
        }
    }

    fn known(&self) -> Option<Arc<KnownKeys>> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl KnownKeys {
    fn new(set: &[Jwk]) -> Self {
        Self { keys: set.iter().filter_map(VerificationKey::of).collect(), fetched: Instant::now() }
    }

    fn is_alive(&self) -> bool {
        self.fetched.elapsed() < END_OF_LIFE
    }

    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let mut fitting = self.keys.iter().filter(|key| {
            let fits = key.algorithm.is_none_or(|own| own == algorithm.into());
            let is_named = id.is_none_or(|id| key.id.as_deref() == Some(id));
            fits && is_named && key.decoding.family() == algorithm.family()
        });
        let found = fitting.next()?;
        let is_certain = id.is_some() || fitting.next().is_none();
        is_certain.then(|| found.decoding.clone())
    }
}

impl VerificationKey {
    /// A published key, if it is for signatures and of a kind that is known here.
    fn of(jwk: &Jwk) -> Option<Self> {
        let common = &jwk.common;
        let is_for_signatures = common
            .public_key_use
            .as_ref()
            .is_none_or(|purpose| *purpose == PublicKeyUse::Signature)
            && common
                .key_operations
                .as_ref()
                .is_none_or(|operations| operations.contains(&KeyOperations::Verify));
        let is_whole = match &jwk.algorithm {
            // jsonwebtoken panics over a point that is too short.
            AlgorithmParameters::OctetKeyPair(pair) => pair.x.len() == ED25519_TEXT,
            _ => true,
        };
        if !is_for_signatures || !is_whole {
            return None;
        }
        let decoding = DecodingKey::from_jwk(jwk).ok()?;
        Some(Self { id: common.key_id.clone(), algorithm: common.key_algorithm, decoding })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::time::Instant;

    use jsonwebtoken::Algorithm;

    use super::{END_OF_LIFE, Keys, MAX_AGE, MetadataSource};

    /// Publishes a key once, and then nothing any more.
    fn published_once() -> MetadataSource {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let body = format!(
                r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"k","x":"{}"}}]}}"#,
                "A".repeat(super::ED25519_TEXT)
            );
            let length = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        });
        MetadataSource::Keys(url.parse().unwrap())
    }

    #[tokio::test]
    async fn keys_that_cannot_be_renewed_are_believed_for_a_while_and_then_no_more() {
        let keys = Keys::of(published_once());
        let is_found = async || {
            let found = keys.find(Some("k"), Algorithm::EdDSA).await;
            found.ok().map(|key| key.is_some())
        };
        assert_eq!(is_found().await, Some(true));
        for (age, found) in [(END_OF_LIFE, None), (2 * MAX_AGE, Some(true))] {
            if let Some(known) = keys.0.known.write().unwrap().as_mut() {
                let fetched = Instant::now().checked_sub(age).unwrap();
                Arc::get_mut(known).unwrap().fetched = fetched;
            }
            assert_eq!(is_found().await, found, "{age:?}");
        }
    }
}
