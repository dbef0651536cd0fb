//! The lease of a replica: a row that it renews while it lives. Other replicas take over its calls once the row has lapsed,
//! by the database's clock. The replica itself stops earlier, by a clock that no one sets.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::clock::Moment;
use crate::database::{Database, Failed};

/// The time between renewals.
pub(crate) const RENEWED_EVERY: Duration = Duration::from_secs(3);
/// How long a replica may start calls after it sent the last renewal. The row lapses two seconds later.
const STARTS_WITHIN: Duration = Duration::from_secs(8);
/// The age of the last renewal from which on the database counts as away.
const LATE: Duration = Duration::from_secs(5);

/// Renews a row that has not lapsed.
const RENEW: &str = "UPDATE toolwrit.replicas SET until = clock_timestamp() + interval '10 s'
    WHERE id = $1 AND until > clock_timestamp() 
    RETURNING clock_timestamp(), (SELECT count(*) FROM toolwrit.replicas WHERE until > clock_timestamp())";
const BEGIN: &str = "INSERT INTO toolwrit.replicas (id, name, schema, build, until)
    VALUES ($1, $2, $3, $4, clock_timestamp() + interval '10 s')
    RETURNING clock_timestamp(), (SELECT count(*) + 1 FROM toolwrit.replicas WHERE until > clock_timestamp()),
        EXISTS (SELECT FROM toolwrit.replicas WHERE until > clock_timestamp() AND name = $2)";
const END: &str = "DELETE FROM toolwrit.replicas WHERE id = $1";

/// The lease of this replica.
#[derive(Debug)]
pub(crate) struct Lease {
    /// A connection for renewals only, so that no call delays one.
    database: Database,
    name: String,
    held: watch::Sender<Option<Held>>,
}

#[derive(Debug, Clone, Copy)]
struct Held {
    id: Uuid,
    /// When the last renewal that succeeded was sent.
    sent: Moment,
    /// How far the database's clock is ahead of this machine's.
    offset: SignedDuration,
    /// The database's time at a moment.
    time: (Timestamp, Moment),
    /// How many replicas lived then, with this one.
    replicas: i64,
}

impl Lease {
    pub(crate) fn new(database: Database, name: String) -> Self {
        Self { database, name, held: watch::Sender::default() }
    }

    /// Returns the id under which a call may start now.
    ///
    /// # Errors
    /// If others may take this replica for dead.
    pub(crate) fn holder(&self) -> Result<Uuid, Failed> {
        let held = self.held().filter(|held| held.sent.elapsed() < STARTS_WITHIN);
        held.map(|held| held.id).ok_or(Failed::NoLease)
    }

    /// Returns the connection for renewals.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the time since the last renewal was sent; `None` before the first one.
    pub(crate) fn age(&self) -> Option<Duration> {
        self.held().map(|held| held.sent.elapsed())
    }

    /// Returns how far the database's clock is ahead of this machine's; `None` before the first renewal.
    pub(crate) fn offset(&self) -> Option<SignedDuration> {
        self.held().map(|held| held.offset)
    }

    /// Returns the database's time now, also if this machine's clock was set.
    ///
    /// # Errors
    /// Before the first renewal.
    pub(crate) fn database_time(&self) -> Result<Timestamp, Failed> {
        let (time, moment) = self.held().ok_or(Failed::NoLease)?.time;
        Ok(time + moment.elapsed())
    }

    /// Whether the database has not answered for longer than a renewal takes.
    pub(crate) fn is_late(&self) -> bool {
        self.age().is_none_or(|age| age > LATE)
    }

    /// Returns how many replicas lived at the last renewal.
    pub(crate) fn replicas(&self) -> u32 {
        self.held().map_or(1, |held| u32::try_from(held.replicas).unwrap_or(1).max(1))
    }

    /// Renews the lease. If it has lapsed, takes a new id: calls of the old one may already belong to others.
    ///
    /// # Errors
    /// If the database does not answer in time.
    pub(crate) async fn renew(&self, schema: u32) -> Result<(), Failed> {
        let sent = Moment::now();
        let renewed = match self.held() {
            Some(Held { id, .. }) => {
                let row = self.database.row(RENEW, &[(&id, Type::UUID)]).await?;
                row.map(|row| (id, row))
            }
            None => None,
        };
        let (asked, (id, row)) = match renewed {
            Some(renewed) => (sent, renewed),
            None => (Moment::now(), self.begin(schema).await?),
        };
        let (arrived, answered) = (Moment::now(), Timestamp::now());
        // The answer was under way for half of the time.
        let now = row.try_get::<_, Timestamp>(0)? + asked.elapsed() / 2;
        let held = Held {
            id,
            sent,
            offset: now.duration_since(answered),
            time: (now, arrived),
            replicas: row.try_get(1)?,
        };
        self.set(Some(held));
        Ok(())
    }

    /// Removes the row, so that nobody waits until it lapses.
    ///
    /// # Errors
    /// If the database does not answer in time.
    pub(crate) async fn end(&self) -> Result<(), Failed> {
        let Some(Held { id, .. }) = self.held() else { return Ok(()) };
        self.set(None);
        self.database.execute(END, &[(&id, Type::UUID)]).await.map(drop)
    }

    async fn begin(&self, schema: u32) -> Result<(Uuid, tokio_postgres::Row), Failed> {
        let id = Uuid::now_v7();
        let schema = i32::try_from(schema).unwrap_or(i32::MAX);
        let values = [
            (&id as _, Type::UUID),
            (&self.name as _, Type::TEXT),
            (&schema as _, Type::INT4),
            (&env!("CARGO_PKG_VERSION") as _, Type::TEXT),
        ];
        let row = self.database.row(BEGIN, &values).await?.ok_or(Failed::Contended)?;
        if let Some(lapsed) = self.held() {
            tracing::warn!(old = %lapsed.id, new = %id, "the lease of this replica had lapsed: it goes on under a new id");
        } else if row.try_get(2)? {
            tracing::warn!(
                replica = self.name,
                "another replica has this name, or had it until it died: give each its own with --replica, because \
                 neither the audit nor the ids of incidents tell them apart"
            );
        }
        Ok((id, row))
    }

    /// Waits for the first renewal.
    pub(crate) async fn begun(&self) {
        // The sender is in this value.
        let _ = self.held.subscribe().wait_for(Option::is_some).await;
    }

    fn held(&self) -> Option<Held> {
        *self.held.borrow()
    }

    fn set(&self, held: Option<Held>) {
        self.held.send_replace(held);
    }
}
