//! The begin of a connection.

use std::error::Error;
use std::io;
use std::sync::Arc;

use reqwest::StatusCode;
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService,
};
use rmcp::transport::{DynamicTransportError, Transport};
use rmcp::{RoleClient, ServiceError};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use toolwrit_text::Secrets;

use super::handler::Handler;
use super::lines::Lines;
use super::renewals::Renewals;
use super::session::{Heard, Session};
use super::subscriptions::Subscriptions;
use super::watched::Watched;
use super::{Connection, last_words, remote};
use crate::causes::{causes, innermost};
use crate::model::{Command, Definition, Endpoint, Era, NoToken, Remote};
use crate::pages::ListError;
use crate::process::{Guard, Process};
use crate::speech::{Hear, Speech};
use crate::whole::WholeList;
use toolwrit_text::shorten::visible_line;

/// Length limit of a reason, in characters.
const MAX_REASON: usize = 500;

/// What the connections of an upstream have in common.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Ends programs with this process.
    pub(crate) guard: Arc<Guard>,
    pub(crate) subscriptions: Arc<Subscriptions>,
    /// Hears what the upstream says for people.
    pub(crate) hear: Hear,
}

/// Why a connection did not begin.
#[derive(Debug)]
pub(crate) struct OpenError {
    /// In a sentence.
    pub(crate) reason: String,
    /// The end of the program's standard error.
    pub(crate) output: Option<String>,
    cause: Cause,
}

/// What decides about another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The upstream refuses the credentials.
    Refused,
    /// The upstream closed the connection.
    Closed,
    /// The upstream knows no handshake, and was late to say so.
    Stateless,
    /// The upstream is reached over HTTP, and does not know streamable HTTP.
    OtherHttp,
    Other,
}

impl OpenError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), output: None, cause: Cause::Other }
    }

    fn not_started(command: &Command, error: &io::Error) -> Self {
        let program = &command.program;
        let folder = command.directory.as_ref();
        let within = folder.map(|folder| format!(" in the folder `{}`", folder.display()));
        let within = within.unwrap_or_default();
        Self::new(format!("The program `{program}` does not start{within}: {error}."))
    }

    /// Names what is missing, if the upstream refuses requests without credentials.
    fn wanting_credentials(self, remote: &Remote) -> Self {
        if self.is_refused() && remote.headers.is_empty() && remote.tokens.is_none() {
            let reason =
                "It requires credentials, and has none: set `login = true`, `token` or `oauth`."
                    .to_owned();
            return Self { reason, ..self };
        }
        self
    }

    /// Whether the upstream refuses the credentials.
    pub(crate) fn is_refused(&self) -> bool {
        self.cause == Cause::Refused
    }

    /// A connection that has begun, and was lost.
    pub(crate) fn lost(reason: String, output: Option<String>) -> Self {
        Self { output, ..Self::new(reason) }
    }

    /// A connection that does not begin. The upstream may say why, and repeat secrets.
    fn not_begun(error: &ClientInitializeError, secrets: &Secrets) -> Self {
        let transport = transport_error(error);
        let mut reasons = transport.into_iter().flat_map(causes);
        let unissued: Option<&NoToken> = reasons.find_map(|cause| cause.downcast_ref());
        let refused = match unissued {
            Some(why) => why.refused,
            None => error.is_authorization_required(),
        };
        let text = secrets.mask(&transport.map_or_else(|| error.to_string(), innermost));
        let text = visible_line(text.trim_end_matches('.'), MAX_REASON);
        let reason = match unissued {
            Some(_) => format!("{text}."),
            None if refused => "It refuses the credentials.".to_owned(),
            None => format!("MCP does not begin: {text}."),
        };
        Self { cause: if refused { Cause::Refused } else { cause(error) }, ..Self::new(reason) }
    }

    /// A connection without a list of tools, in the same way.
    fn not_listed(error: &ListError, secrets: &Secrets) -> Self {
        let closed = matches!(error, ListError::Request(ServiceError::TransportClosed));
        let cause = if closed { Cause::Closed } else { Cause::Other };
        let text = secrets.mask(&error.to_string());
        let why = visible_line(text.trim_end_matches('.'), MAX_REASON);
        Self { cause, ..Self::new(format!("Its tools cannot be listed: {why}.")) }
    }
}

/// The cause of an error that is not about credentials.
fn cause(error: &ClientInitializeError) -> Cause {
    match error {
        _ if transport_error(error).into_iter().flat_map(causes).any(is_other_http) => {
            Cause::OtherHttp
        }
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => Cause::Closed,
        ClientInitializeError::JsonRpcError(error)
            if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION =>
        {
            Cause::Stateless
        }
        _ => Cause::Other,
    }
}

/// The error of the transport, if it is one.
fn transport_error(error: &ClientInitializeError) -> Option<&DynamicTransportError> {
    match error {
        ClientInitializeError::TransportError { error, .. } => Some(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => transport_error(fallback),
        _ => None,
    }
}

/// Whether a server has answered, and not as one with streamable HTTP does.
fn is_other_http(cause: &(dyn Error + 'static)) -> bool {
    let refusal: Option<&remote::Refusal> = cause.downcast_ref();
    refusal.is_some_and(|refusal| {
        !refusal.status.is_server_error() && refusal.status != StatusCode::TOO_MANY_REQUESTS
    })
}

/// Connects to an upstream, and lists its tools. Older servers may end at a message that they do not know, so that
/// a connection that was closed begins once more with `initialize`. One that starts slowly is sent `initialize` before it
/// has said that it knows no handshake, so that it begins once more without.
pub(crate) async fn open(
    definition: &Definition,
    shared: &Shared,
    era: Era,
) -> Result<Connection, OpenError> {
    let deadline = Instant::now() + definition.timing.start;
    match open_once(definition, shared, era, deadline).await {
        Err(error)
            if matches!(error.cause, Cause::Closed | Cause::OtherHttp) && era == Era::Any =>
        {
            let again = open_once(definition, shared, Era::Initialize, deadline).await;
            again.map_err(|_| error)
        }
        Err(error) if error.cause == Cause::Stateless && era == Era::Any => {
            open_once(definition, shared, Era::Stateless, deadline).await
        }
        opened => opened,
    }
}

/// One attempt to begin a connection.
#[derive(Clone)]
struct Attempt<'a> {
    definition: &'a Definition,
    shared: &'a Shared,
    era: Era,
    /// Shared with the transport.
    whole: WholeList,
    renewals: Renewals,
}

async fn open_once(
    definition: &Definition,
    shared: &Shared,
    era: Era,
    deadline: Instant,
) -> Result<Connection, OpenError> {
    let whole = WholeList::new(definition.secrets.clone());
    let renewals = Renewals::default();
    let attempt = Attempt { definition, shared, era, whole, renewals };
    let late =
        |_| OpenError::new(format!("It was not ready within {:?}.", definition.timing.start));
    match &definition.endpoint {
        Endpoint::Command(command) => {
            let secrets = definition.secrets.clone();
            let said = (secrets.clone(), Speech::new(shared.hear.clone(), secrets));
            let spawned = Process::spawn(command, said, shared.guard.clone());
            let (mut process, stdin, stdout) =
                spawned.map_err(|error| OpenError::not_started(command, &error))?;
            let lines = Lines::new(stdout, stdin, attempt.whole.clone());
            let begun = timeout_at(deadline, attempt.begin(lines, true)).await;
            match begun.map_err(late).flatten() {
                Ok(mut connection) => {
                    connection.process = Some(process);
                    Ok(connection)
                }
                Err(error) => {
                    let (status, output) = last_words(Some(&mut process)).await;
                    let status = status.filter(|_| error.cause == Cause::Closed);
                    let reason = status.unwrap_or(error.reason);
                    Err(OpenError { reason, output, ..error })
                }
            }
        }
        Endpoint::Remote(remote) => {
            let client = remote::Client::new(
                remote,
                attempt.whole.clone(),
                attempt.renewals.clone(),
                definition.secrets.clone(),
            );
            let client = client.map_err(OpenError::new)?;
            let begun = timeout_at(deadline, attempt.begin_remote(client)).await;
            begun.map_err(late).flatten().map_err(|error| error.wanting_credentials(remote))
        }
    }
}

impl Attempt<'_> {
    /// Begins over streamable HTTP, else over the HTTP with events of the first version of MCP.
    async fn begin_remote(&self, client: remote::Client) -> Result<Connection, OpenError> {
        let error = match self.begin(client.clone().streamable(), false).await {
            Err(error) if error.cause == Cause::OtherHttp && self.era != Era::Stateless => error,
            begun => return begun,
        };
        match remote::Events::open(client).await {
            Ok(Some(events)) => {
                Attempt { era: Era::Initialize, ..self.clone() }.begin(events, false).await
            }
            Ok(None) => Err(error),
            Err(reason) => Err(OpenError::new(reason)),
        }
    }

    async fn begin<T>(&self, transport: T, has_receipts: bool) -> Result<Connection, OpenError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let ended = CancellationToken::new();
        let heard = Heard::default();
        let speech = Speech::new(self.shared.hear.clone(), self.definition.secrets.clone());
        let handler = Handler::new(self.definition, self.shared.subscriptions.clone(), speech);
        let transport = Watched::new(transport, handler.clone(), ended.clone(), heard.clone());
        let service = handler.clone().serve_with_lifecycle(transport, lifecycle(self.era)).await;
        let secrets = &self.definition.secrets;
        let service = service.map_err(|error| OpenError::not_begun(&error, secrets))?;
        let (peer, whole) = (service.peer().clone(), self.whole.clone());
        let session =
            Session::new(peer, handler, whole, self.renewals.clone(), ended, heard, has_receipts);
        let session = Arc::new(session);
        let cancel = Some(service.cancellation_token());
        // If this fails, the protocol ends with its service.
        let listed = session.first_lists().await;
        let listed = listed.map_err(|error| OpenError::not_listed(&error, secrets))?;
        let (changed, lists) = watch::channel(listed);
        let following = session.clone();
        let following = tokio::spawn(async move {
            tokio::join!(following.clone().follow_lists(changed), following.keep_subscribed());
        });
        let following = AbortOnDropHandle::new(following);
        let service = tokio::spawn(wait(service));
        Ok(Connection { session, lists, process: None, service, cancel, _following: following })
    }
}

async fn wait(service: RunningService<RoleClient, Handler>) {
    // However the protocol has ended, the session says so.
    let _ = service.waiting().await;
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Era::Any => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        Era::Initialize => ClientLifecycleMode::Initialize,
        Era::Stateless => ClientLifecycleMode::Discover { preferred_versions },
    }
}
