//! One request, sent as often as it may be, and its answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};

use crate::circuit::Circuit;
use crate::client::{Client, Credential, Received};
use crate::credentials::Credentials;
use crate::failure::{Failure, Result};
use crate::limits::Limits;
use crate::model::{Api, Code, Request};
use crate::options::RetryOptions;
use crate::render::Rendered;
use crate::response::Refusals;
use crate::settings::Settings;
use crate::wanted::Wanted;

/// What all requests to an API share.
pub(crate) struct Exchange {
    pub(crate) client: Client,
    pub(crate) credentials: Credentials,
    pub(crate) settings: Settings,
    pub(crate) limits: Limits,
    pub(crate) circuit: Circuit,
    pub(crate) retry: RetryOptions,
}

/// A request that is to be sent.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'a> {
    pub(crate) api: &'a Api,
    pub(crate) request: &'a Request,
    pub(crate) rendered: &'a Rendered,
    /// What is read of the answer.
    pub(crate) wanted: &'a Wanted<'a>,
    pub(crate) account: Option<&'a str>,
    pub(crate) is_idempotent: bool,
    pub(crate) deadline: Instant,
    /// Set once the API may have received the request.
    pub(crate) sent: &'a AtomicBool,
}

impl Exchange {
    /// Sends a request. Sends it again if no connection was made, or if it is idempotent and may succeed later;
    /// and once if the API refused a credential that has been renewed, because then nothing was done.
    ///
    /// # Errors
    /// The failure of the last attempt.
    pub(crate) async fn send(&self, outgoing: Outgoing<'_>) -> Result<Received> {
        let pauses = ExponentialBuilder::new()
            .with_min_delay(self.retry.first_pause)
            .with_max_times(self.retry.times)
            .with_jitter();
        (|| self.renewing(outgoing))
            .retry(pauses)
            .sleep(tokio::time::sleep)
            .when(|failure| {
                // The caller decides whether to wait until requests are sent again.
                failure.retryable
                    && failure.code != Code::ProviderUnavailable
                    && (outgoing.is_idempotent || !failure.sent)
            })
            .adjust(|failure, pause| pause.and_then(|pause| fits(failure, pause, outgoing.deadline)))
            .notify(|failure, pause| {
                let provider = &outgoing.api.name;
                tracing::debug!(%provider, why = failure.message, ?pause, "a request is sent again");
            })
            .await
            .map_err(|mut failure| {
                // An earlier attempt may have been received, too.
                failure.sent |= outgoing.sent.load(Ordering::Relaxed);
                failure
            })
    }

    /// Sends a request, and again with a new credential if the API refuses the first one.
    async fn renewing(&self, outgoing: Outgoing<'_>) -> Result<Received> {
        let credential = self.credential(outgoing).await?;
        let (failure, status) = match self.attempt(outgoing, &credential).await {
            Ok(received) => return Ok(received),
            Err(refused) => refused,
        };
        if status != Some(401) {
            return Err(failure);
        }
        self.credentials.forget(outgoing.account, &self.settings, &credential).await;
        let renewed = self.credential(outgoing).await?;
        if renewed.is_same(&credential) {
            return Err(failure);
        }
        self.attempt(outgoing, &renewed).await.map_err(|(failure, _)| failure)
    }

    async fn credential(&self, outgoing: Outgoing<'_>) -> Result<Credential> {
        let credential = self.credentials.credential(outgoing.account, &self.settings).await;
        credential.map_err(|mut failure| {
            // The request for a token failed, so the request itself was not sent.
            failure.sent = false;
            failure
        })
    }

    /// Sends a request once. A failure comes with the status of the answer, if there was one.
    async fn attempt(
        &self,
        outgoing: Outgoing<'_>,
        credential: &Credential,
    ) -> std::result::Result<Received, (Box<Failure>, Option<u16>)> {
        let api = outgoing.api;
        let unsent = |failure| (failure, None);
        let _permit = self.limits.admit(outgoing.deadline).await.map_err(unsent)?;
        self.circuit.check(&api.name).map_err(unsent)?;
        let mut received = self.send_once(outgoing, credential).await.map_err(|failure| {
            let repeats = outgoing.is_idempotent || !failure.sent;
            (if repeats { failure } else { failure.not_repeated() }, None)
        })?;
        received.secrets = credential.secrets();
        let refusals = Refusals {
            api,
            request: outgoing.request,
            fix: self.credentials.fix(),
            is_idempotent: outgoing.is_idempotent,
        };
        match refusals.find_failure(&received) {
            Some(failure) => Err((failure, Some(received.status))),
            None => Ok(received),
        }
    }

    /// Sends a request, and tells the circuit whether the API has answered.
    async fn send_once(&self, outgoing: Outgoing<'_>, credential: &Credential) -> Result<Received> {
        let circuit = &self.circuit;
        let mut waiting = Waiting { circuit, deadline: outgoing.deadline, has_ended: false };
        // If the deadline comes before the outcome, this request counts as sent.
        let before = outgoing.sent.swap(true, Ordering::Relaxed);
        let received = self.client.send(outgoing.rendered, credential, outgoing.wanted).await;
        waiting.has_ended = true;
        circuit.record(match &received {
            // Other errors may depend on the request.
            Ok(received) => !matches!(received.status, 502..=504),
            Err(failure) => failure.code == Code::ResultTooLarge,
        });
        let sent = received.as_ref().map_or_else(|failure| failure.sent, |_| true);
        outgoing.sent.store(before || sent, Ordering::Relaxed);
        received
    }
}

/// Records an attempt that the deadline ends.
struct Waiting<'a> {
    circuit: &'a Circuit,
    deadline: Instant,
    has_ended: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.has_ended && Instant::now() >= self.deadline {
            self.circuit.record(false);
        }
    }
}

/// Returns the pause, at least as long as the API asks for; `None` if the deadline comes first.
fn fits(failure: &Failure, pause: Duration, deadline: Instant) -> Option<Duration> {
    let pause = failure.retry_after.map_or(pause, |asked| asked.max(pause));
    (Instant::now() + pause < deadline).then_some(pause)
}
