//! The keys of an authorization server, cached and renewed.

use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};

use super::discovery::{self, Agents, MetadataSource, Unavailable};

/// Keys older than this are renewed, so that a withdrawn key is not accepted for long.
const RENEWAL_AGE: Duration = Duration::from_mins(10);
/// Keys older than this are no longer accepted, even if they could not be renewed: one of them may have
/// been withdrawn.
const REFUSAL_AGE: Duration = Duration::from_hours(1);
/// Limits how often keys are fetched, also in a burst. A token may name any key id, so its sender could
/// otherwise cause a fetch with each request.
const FETCHES_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// Length of the public point of an Ed25519 key: 32 bytes as base64url characters.
const ED25519_TEXT: usize = 43;

/// The keys published last. Cheap to clone.
#[derive(Clone)]
pub(super) struct PublishedKeys(Arc<SharedKeys>);

struct SharedKeys {
    source: MetadataSource,
    agents: Agents,
    known: RwLock<Option<Arc<KnownKeys>>>,
    /// Held while fetching, so that only one request fetches at a time.
    fetching: tokio::sync::Mutex<()>,
    quota: DefaultDirectRateLimiter,
}

struct KnownKeys {
    keys: Vec<VerificationKey>,
    fetched: Instant,
}

struct VerificationKey {
    id: Option<String>,
    /// The only algorithm it may be used with, if the key names one.
    algorithm: Option<KeyAlgorithm>,
    decoding: DecodingKey,
}

/// The keys were never fetched, or are too old to be accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoKeys;

impl PublishedKeys {
    /// Creates an empty cache; fetches nothing yet.
    pub(super) fn new(source: MetadataSource) -> Self {
        Self(Arc::new(SharedKeys {
            source,
            agents: Agents::new(),
            known: RwLock::default(),
            fetching: tokio::sync::Mutex::default(),
            quota: RateLimiter::direct(Quota::per_minute(FETCHES_PER_MINUTE)),
        }))
    }

    /// Fetches the keys and returns how many are usable. Does not cache them. Blocks the thread.
    pub(super) fn count(&self) -> Result<usize, Unavailable> {
        let set = discovery::keys(&self.0.agents, &self.0.source)?;
        Ok(KnownKeys::new(&set).keys.len())
    }

    /// Returns the key of this id for this algorithm; without an id, the only key for the algorithm. Renews
    /// the keys if the id is unknown, as the key may be new.
    ///
    /// # Errors
    /// If the keys were never fetched, or are too old.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Option<DecodingKey>, NoKeys> {
        let known = self.known();
        let current = known.as_ref().filter(|known| known.is_alive());
        let found = current.and_then(|known| known.find(id, algorithm));
        if found.is_some() {
            if known.as_ref().is_some_and(|known| known.fetched.elapsed() > RENEWAL_AGE) {
                let keys = self.clone();
                tokio::spawn(async move { keys.renew(known).await });
            }
            return Ok(found);
        }
        self.renew(known).await;
        let current = self.known().filter(|known| known.is_alive());
        current.map(|known| known.find(id, algorithm)).ok_or(NoKeys)
    }

    /// Replaces the keys, unless another request did so meanwhile. Keeps the old ones if the fetch fails.
    async fn renew(&self, seen: Option<Arc<KnownKeys>>) {
        let _turn = self.0.fetching.lock().await;
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
                tracing::warn!(%error, "cannot fetch the keys of the authorization server");
            }
            Err(error) => tracing::error!(%error, "the task that fetches keys failed"),
        }
    }

    fn known(&self) -> Option<Arc<KnownKeys>> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl KnownKeys {
    fn new(set: &[Jwk]) -> Self {
        Self {
            keys: set.iter().filter_map(VerificationKey::from_jwk).collect(),
            fetched: Instant::now(),
        }
    }

    fn is_alive(&self) -> bool {
        self.fetched.elapsed() < REFUSAL_AGE
    }

    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let mut fitting = self.keys.iter().filter(|key| {
            let fits = key.algorithm.is_none_or(|key_algorithm| key_algorithm == algorithm.into());
            let is_named = id.is_none_or(|id| key.id.as_deref() == Some(id));
            fits && is_named && key.decoding.family() == algorithm.family()
        });
        let found = fitting.next()?;
        let is_unambiguous = id.is_some() || fitting.next().is_none();
        is_unambiguous.then(|| found.decoding.clone())
    }
}

impl VerificationKey {
    /// Converts a published key. `None` if it is not for signatures, or of an unsupported kind.
    fn from_jwk(jwk: &Jwk) -> Option<Self> {
        let common = &jwk.common;
        let is_for_signatures = common
            .public_key_use
            .as_ref()
            .is_none_or(|purpose| *purpose == PublicKeyUse::Signature)
            && common
                .key_operations
                .as_ref()
                .is_none_or(|operations| operations.contains(&KeyOperations::Verify));
        let has_valid_point = match &jwk.algorithm {
            // jsonwebtoken panics if the point is too short.
            AlgorithmParameters::OctetKeyPair(pair) => pair.x.len() == ED25519_TEXT,
            _ => true,
        };
        if !is_for_signatures || !has_valid_point {
            return None;
        }
        let decoding = DecodingKey::from_jwk(jwk).ok()?;
        Some(Self { id: common.key_id.clone(), algorithm: common.key_algorithm, decoding })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use jsonwebtoken::Algorithm;
    use serde_json::json;
    use toolwrit_test_servers::http::{HttpServer, json_response};

    use super::{MetadataSource, PublishedKeys, REFUSAL_AGE, RENEWAL_AGE};

    /// Serves a key set.
    fn serve_keys() -> HttpServer {
        let key = json!({
            "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "A".repeat(super::ED25519_TEXT),
        });
        HttpServer::in_turn(vec![json_response(200, &json!({ "keys": [key] }))])
    }

    #[tokio::test]
    async fn keys_that_cannot_be_renewed_expire() {
        let server = serve_keys();
        let source = MetadataSource::Keys(server.url("/keys").parse().unwrap());
        let keys = PublishedKeys::new(source);
        let is_found = async || {
            let found = keys.find(Some("k"), Algorithm::EdDSA).await;
            found.ok().map(|key| key.is_some())
        };
        assert_eq!(is_found().await, Some(true));
        drop(server);
        for (age, found) in [(REFUSAL_AGE, None), (2 * RENEWAL_AGE, Some(true))] {
            if let Some(known) = keys.0.known.write().unwrap().as_mut() {
                let fetched = Instant::now().checked_sub(age).unwrap();
                Arc::get_mut(known).unwrap().fetched = fetched;
            }
            assert_eq!(is_found().await, found, "{age:?}");
        }
    }
}
