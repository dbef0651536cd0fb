//! What replicas tell each other. Notices are collected for a moment and sent as one, because notices of the database wait
//! for each other. A connection of its own listens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::poll_fn;
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client};
use toolwrit_core::shared::{Heard, Notice};
use uuid::Uuid;

use crate::address::Address;
use crate::database::{Database, Failed, Value};
use crate::tls;

/// How long notices are collected.
const COLLECT_TIME: Duration = Duration::from_millis(5);
/// How long one who publishes waits at most.
const TOLD_WITHIN: Duration = Duration::from_secs(2);
/// The longest text that the channel carries, in bytes.
const LONGEST: usize = 7_900;
/// Notices of one text. Beyond that, they say that some were missed.
const MOST: usize = 1_000;
/// Notices that a reader may be behind before it has missed some.
const BEHIND: usize = 1024;
/// How long a listening connection may be silent before it is checked, and how long it may take to answer.
const CHECK_EVERY: Duration = Duration::from_secs(3);
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How soon a connection that failed is opened again.
const AGAIN: Duration = Duration::from_millis(500);

const LISTEN: &str = "LISTEN toolwrit";
const NOTIFY: &str = "SELECT pg_notify('toolwrit', $1)";
/// The row is committed with its notice.
const NOTIFY_LONG: &str = "WITH long AS (
        INSERT INTO toolwrit.notices (id, text, until)
        VALUES ($1, $2, clock_timestamp() + interval '1 minute') RETURNING id)
    SELECT pg_notify('toolwrit', $3) FROM long";
const READ_LONG: &str = "SELECT text FROM toolwrit.notices WHERE id = $1";

/// A text of the channel.
#[derive(Debug, Serialize, Deserialize)]
struct Message {
    /// The process that sends it.
    from: Uuid,
    what: What,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Notices(Vec<Notice>),
    /// The notices are in this row.
    Long(Uuid),
    /// Some could not be sent.
    Missed,
    /// Whether notices arrive: only the listener that sent it looks at it.
    Test(Uuid),
}

/// A notice to be sent, and who waits for it.
type Outgoing = (Notice, oneshot::Sender<()>);

/// The notices of this process.
#[derive(Debug)]
pub(crate) struct Notices {
    process: Uuid,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    heard: broadcast::Sender<Heard>,
    hears: AtomicBool,
}

impl Notices {
    /// Returns what is to be sent, too.
    pub(crate) fn new() -> (Self, Unsent) {
        let (outgoing, unsent) = mpsc::unbounded_channel();
        let heard = broadcast::Sender::new(BEHIND);
        let notices =
            Self { process: Uuid::now_v7(), outgoing, heard, hears: AtomicBool::new(false) };
        (notices, Unsent(unsent))
    }

    /// Sends a notice. The future completes when it is sent, or after two seconds, when the others will be told that they
    /// have missed something.
    pub(crate) fn publish(&self, notice: Notice) -> impl Future<Output = ()> + Send + use<> {
        let (sent, told) = oneshot::channel();
        // The receiver lives as long as the replica.
        let _ = self.outgoing.send((notice, sent));
        async move {
            let _ = told.await;
        }
    }

    pub(crate) fn watch(&self) -> broadcast::Receiver<Heard> {
        self.heard.subscribe()
    }

    pub(crate) fn hears(&self) -> bool {
        self.hears.load(Ordering::Acquire)
    }

    /// Listens, and opens the connection again whenever it fails.
    pub(crate) async fn listen(&self, database: &Database, address: &Address) {
        let mut told = false;
        loop {
            let failed = self.listen_once(database, address).await;
            told &= !self.hears.swap(false, Ordering::AcqRel);
            if !std::mem::replace(&mut told, true) {
                tracing::warn!(error = %failed, "{DEAF}");
            }
            sleep(AGAIN).await;
        }
    }

    async fn listen_once(&self, database: &Database, address: &Address) -> Failed {
        let mut listener = match Listener::open(address).await {
            Ok(listener) => listener,
            Err(failed) => return failed,
        };
        if let Err(failed) = listener.test(database).await {
            return failed;
        }
        // First, so that whoever trusts notices from now on has forgotten what it knew.
        self.tell(Heard::Missed);
        self.hears.store(true, Ordering::Release);
        tracing::info!("notices of other replicas arrive");
        loop {
            match timeout(CHECK_EVERY, listener.texts.recv()).await {
                Ok(Some(text)) => self.hear(database, &text).await,
                Ok(None) => return Failed::Silent,
                // A connection without news may be dead.
                Err(_) => {
                    if let Err(failed) = listener.check().await {
                        return failed;
                    }
                }
            }
        }
    }

    /// Passes a text on.
    async fn hear(&self, database: &Database, text: &str) {
        let what = match serde_json::from_str(text) {
            Ok(Message { from, .. }) if from == self.process => return,
            Ok(Message { what, .. }) => what,
            // A later program may say more.
            Err(_) => What::Missed,
        };
        let notices = match what {
            What::Notices(notices) => Some(notices),
            What::Long(id) => read_long(database, id).await.ok(),
            What::Missed => None,
            What::Test(_) => return,
        };
        let Some(notices) = notices else { return self.tell(Heard::Missed) };
        for notice in notices {
            self.tell(Heard::Notice(notice));
        }
    }

    fn tell(&self, heard: Heard) {
        // Nobody may be interested.
        let _ = self.heard.send(heard);
    }
}

/// The consequences of a connection that does not listen.
const DEAF: &str =
    "notices of other replicas do not arrive, so that no result is taken from the cache";

/// The notices that are not sent yet.
#[derive(Debug)]
pub(crate) struct Unsent(mpsc::UnboundedReceiver<Outgoing>);

impl Unsent {
    /// Sends notices until no more can come.
    pub(crate) async fn send(&mut self, process: &Notices, database: &Database) {
        let mut has_missed = false;
        loop {
            let first = if has_missed {
                timeout(AGAIN, self.0.recv()).await.ok()
            } else {
                Some(self.0.recv().await)
            };
            let (mut notices, mut waiting) = (Vec::new(), Vec::new());
            match first {
                Some(None) => return,
                Some(Some((notice, waits))) => {
                    notices.push(notice);
                    waiting.push(waits);
                }
                // What could not be sent is tried again without news.
                None => {}
            }
            sleep(COLLECT_TIME).await;
            while let Ok((notice, waits)) = self.0.try_recv() {
                waiting.push(waits);
                if !has_missed && notices.len() < MOST && !notices.contains(&notice) {
                    notices.push(notice);
                }
            }
            let is_short = !has_missed && notices.len() < MOST;
            let what = if is_short { What::Notices(notices) } else { What::Missed };
            let sent = timeout(TOLD_WITHIN, send(process.process, database, what)).await;
            let failed = match sent {
                Ok(sent) => sent.err(),
                Err(_) => Some(Failed::Late(TOLD_WITHIN)),
            };
            if let Some(error) = &failed
                && !has_missed
            {
                tracing::warn!(%error, "other replicas cannot be told of changes");
            }
            has_missed = failed.is_some();
            drop(waiting);
        }
    }
}

/// A connection that listens.
pub(crate) struct Listener {
    client: Client,
    texts: mpsc::UnboundedReceiver<String>,
}

impl Listener {
    /// Opens a connection, and listens.
    ///
    /// # Errors
    /// If the database does not answer.
    pub(crate) async fn open(address: &Address) -> Result<Self, Failed> {
        let tls = tls::connector(&address.security)?;
        let opened = timeout(ANSWERS_WITHIN, address.config.connect(tls)).await;
        let (client, mut connection) = opened.map_err(|_| Failed::Late(ANSWERS_WITHIN))??;
        let (arrived, texts) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            // Ends when the client is dropped, or the connection fails.
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                if let AsyncMessage::Notification(notice) = message {
                    // A closed receiver belongs to a client that is being dropped.
                    let _ = arrived.send(notice.payload().to_owned());
                }
            }
        });
        let listener = Self { client, texts };
        listener.run(LISTEN).await?;
        Ok(listener)
    }

    /// Checks that a notice from another connection arrives, because a pooler would swallow it.
    ///
    /// # Errors
    /// [`Failed::Silent`] if it does not.
    pub(crate) async fn test(&mut self, database: &Database) -> Result<(), Failed> {
        let sign = Uuid::now_v7();
        send(sign, database, What::Test(sign)).await?;
        let arrives = async {
            while let Some(text) = self.texts.recv().await {
                let message = serde_json::from_str(&text);
                if matches!(message, Ok(Message { what: What::Test(found), .. }) if found == sign) {
                    return true;
                }
            }
            false
        };
        match timeout(ANSWERS_WITHIN, arrives).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(Failed::Silent),
        }
    }

    async fn check(&self) -> Result<(), Failed> {
        self.run("SELECT 1").await
    }

    async fn run(&self, statement: &str) -> Result<(), Failed> {
        let answer = timeout(ANSWERS_WITHIN, self.client.batch_execute(statement)).await;
        Ok(answer.map_err(|_| Failed::Late(ANSWERS_WITHIN))??)
    }
}

async fn send(from: Uuid, database: &Database, what: What) -> Result<(), Failed> {
    let text = serde_json::to_string(&Message { from, what })?;
    if text.len() <= LONGEST {
        return database.rows(NOTIFY, &[(&text, Type::TEXT)]).await.map(drop);
    }
    let id = Uuid::now_v7();
    let short = serde_json::to_string(&Message { from, what: What::Long(id) })?;
    let values: [Value<'_>; 3] = [(&id, Type::UUID), (&text, Type::TEXT), (&short, Type::TEXT)];
    database.rows(NOTIFY_LONG, &values).await.map(drop)
}

async fn read_long(database: &Database, id: Uuid) -> Result<Vec<Notice>, Failed> {
    let row = database.row(READ_LONG, &[(&id, Type::UUID)]).await?.ok_or(Failed::Contended)?;
    let message: Message = serde_json::from_str(row.try_get(0)?)?;
    match message.what {
        What::Notices(notices) => Ok(notices),
        What::Long(_) | What::Missed | What::Test(_) => Ok(Vec::new()),
    }
}
