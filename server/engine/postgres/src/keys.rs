//! The keys that seal what clients carry from one replica to another, in the database or in a file. Each replica remembers
//! them, and reads them anew in time before a new one seals.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use hkdf::Hkdf;
use jiff::Timestamp;
use sha2::Sha256;
use tokio_postgres::types::Type;
use toolwrit_core::shared::{Purpose, SealKey, SealKeys};

use crate::database::{Database, Failed, Value};
use crate::key_file::TimedKey;

/// The time between readings: several in the minute before a new key seals.
pub(crate) const READ_EVERY: Duration = Duration::from_secs(10);

/// The newest key whose time has come is first.
const READ: &str = "SELECT number, secret FROM toolwrit.keys WHERE until > clock_timestamp()
    ORDER BY seals_from <= clock_timestamp() DESC, number DESC";
/// Adds the first key, or the next one after a month. Of two replicas at once, one adds it.
const ADD: &str = "INSERT INTO toolwrit.keys (number, secret, seals_from)
    SELECT coalesce(max(number), 0) + 1, $1,
        clock_timestamp() + CASE WHEN count(*) = 0 THEN interval '0' ELSE interval '1 minute' END
    FROM toolwrit.keys
    HAVING count(*) = 0 OR max(seals_from) < clock_timestamp() - interval '30 days'
    ON CONFLICT (number) DO NOTHING";
/// What an older key has sealed can be opened for an hour.
const RETIRE: &str = "UPDATE toolwrit.keys AS k SET until = clock_timestamp() + interval '1 hour'
    WHERE until = 'infinity' AND EXISTS (
        SELECT FROM toolwrit.keys AS newer
        WHERE newer.number > k.number AND newer.seals_from <= clock_timestamp())";

/// The keys that this replica knows, each with its id; the one that seals is first.
#[derive(Default)]
pub(crate) struct Keys(RwLock<Vec<(i64, [u8; 32])>>);

impl Keys {
    /// Returns the keys of a purpose; `None` before the first reading.
    pub(crate) fn of(&self, purpose: Purpose) -> Option<SealKeys> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut keys = known.iter().map(|(number, secret)| {
            let mut derived = [0; 32];
            let derive =
                Hkdf::<Sha256>::new(None, secret).expand(purpose.as_str().as_bytes(), &mut derived);
            derive.is_ok().then(|| SealKey { id: number.to_string(), secret: derived })
        });
        let sealing = keys.next()??;
        Some(SealKeys { sealing, opening: keys.flatten().collect() })
    }

    /// Whether keys are known.
    pub(crate) fn are_known(&self) -> bool {
        !self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Reads the keys, and makes the first one.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn read(&self, database: &Database) -> Result<(), Failed> {
        let mut rows = database.rows(READ, &[]).await?;
        if rows.is_empty() {
            add(database).await?;
            rows = database.rows(READ, &[]).await?;
        }
        let mut keys = Vec::new();
        for row in rows {
            let secret: &[u8] = row.try_get(1)?;
            // The schema checks the length.
            if let Ok(secret) = secret.try_into() {
                keys.push((row.try_get::<_, i32>(0)?.into(), secret));
            }
        }
        self.replace(keys);
        Ok(())
    }

    /// Takes the keys of a file in place of those of the database.
    pub(crate) fn take(&self, mut keys: Vec<TimedKey>, now: Timestamp) {
        keys.sort_unstable_by_key(|key| key.seals_from);
        // The newest key whose time has come seals. Until one has, the first does.
        let sealing = keys.partition_point(|key| key.seals_from <= now).saturating_sub(1);
        if let Some(older) = keys.get_mut(..=sealing) {
            older.rotate_right(1);
        }
        self.replace(keys.iter().map(|key| (key.seals_from.as_second(), key.secret)).collect());
    }

    fn replace(&self, keys: Vec<(i64, [u8; 32])>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }
}

/// Makes the next key if it is time, and retires older ones.
///
/// # Errors
/// If the database fails.
pub(crate) async fn rotate(database: &Database) -> Result<(), Failed> {
    add(database).await?;
    database.execute(RETIRE, &[]).await.map(drop)
}

async fn add(database: &Database) -> Result<(), Failed> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|_| Failed::NoRandomNumbers)?;
    let values: [Value<'_>; 1] = [(&&secret[..], Type::BYTEA)];
    if database.execute(ADD, &values).await? > 0 {
        tracing::info!("a new key will seal what clients carry between replicas");
    }
    Ok(())
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}
