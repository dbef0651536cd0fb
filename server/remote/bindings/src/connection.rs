//! The connection to an API: carries out calls of the operations that are bound to it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::base::base_url;
use crate::call::{Answer, Call};
use crate::circuit::Circuit;
use crate::client::{Client, Received};
use crate::credentials::Credentials;
use crate::exchange::{Exchange, Outgoing};
use crate::failure::{Failure, MAY_BE_MADE, Result};
use crate::limits::{Limits, SharedLimits};
use crate::model::{Api, Auth, Code, Effect, Method, Operation, Read, ResultTable, Step};
use crate::options::ConnectionOptions;
use crate::pages::PageCursor;
use crate::render::{RenderError, Rendered, Scope};
use crate::response::{AnswerReader, json, text};
use crate::sealed_cursor::CursorKey;
use crate::settings::Settings;
use crate::steps::{Search, required, unmet, wanted};
use crate::wanted::Wanted;

/// The field of a result that says which part of the API's answer could not be read.
const INCOMPLETE: &str = "incomplete";

/// An API with the settings of its operator. Connects to nothing before the first call.
pub struct Connection {
    api: Cow<'static, Api>,
    base: Url,
    exchange: Exchange,
    cursor_key: CursorKey,
}

impl Connection {
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the settings cannot be used, `INTERNAL` if the table contradicts itself.
    pub fn new(
        api: Cow<'static, Api>,
        settings: Settings,
        options: &ConnectionOptions,
    ) -> Result<Self> {
        let base = base_url(&api.name, &api.base, &settings)?;
        let exchange = Exchange {
            client: Client::new(&api.name, &base, options)?,
            credentials: Credentials::new(&api, &settings, options)?,
            settings,
            limits: Limits::new(&api)?,
            circuit: Circuit::new(options.circuit),
            retry: options.retry,
        };
        Ok(Self { api, base, exchange, cursor_key: options.cursor_key.clone() })
    }

    /// Says with which equal servers this one shares the rate and the concurrency that the API declares, unless it has been said
    /// before.
    pub fn shared_by<L: SharedLimits + 'static>(&self, others: impl FnOnce() -> L) {
        self.exchange.limits.shared_by(others);
    }

    /// Whether accounts have their own settings. If so, no result may be kept for other accounts.
    pub fn is_per_account(&self) -> bool {
        self.api.settings.iter().any(|setting| setting.per_account)
    }

    /// Whether the API can be asked whether the settings are right.
    pub fn has_probe(&self) -> bool {
        self.api.probe.is_some()
    }

    /// Identifies what the operations change for an account. No secret is a part of it.
    pub fn location(&self, account: Option<&str>) -> String {
        self.exchange.settings.location(self.base.as_str(), self.account_with_settings(account))
    }

    /// The account, if accounts have their own settings.
    fn account_with_settings<'a>(&self, account: Option<&'a str>) -> Option<&'a str> {
        account.filter(|_| self.is_per_account())
    }

    /// Asks the API whether the settings are right for an account. Without a probe in the table, only looks for the
    /// credentials.
    ///
    /// # Errors
    /// Why the API cannot be used.
    pub async fn probe(&self, account: Option<&str>, deadline: Instant) -> Result<()> {
        let probed = self.probed(self.account_with_settings(account), deadline);
        let outcome = tokio::time::timeout_at(deadline.into(), probed).await;
        outcome.unwrap_or_else(|_| Err(Failure::timed_out(&self.api.name)))
    }

    async fn probed(&self, account: Option<&str>, deadline: Instant) -> Result<()> {
        let Exchange { credentials, settings, .. } = &self.exchange;
        let Some(probe) = &self.api.probe else {
            return credentials.credential(account, settings).await.map(drop);
        };
        let none = Map::new();
        let scope = Scope::new(&none, settings.plain(account));
        let rendered = Rendered::new(&probe.request, &self.base, &scope)?;
        let wanted = wanted(&probe.require, &scope).map_err(RenderError::from)?;
        let outgoing = Outgoing {
            api: &self.api,
            request: &probe.request,
            rendered: &rendered,
            wanted: &Wanted::all(),
            account,
            is_idempotent: true,
            deadline,
            sent: &AtomicBool::new(false),
        };
        let received = self.exchange.send(outgoing).await?;
        let body = json(&self.api.name, &received)?;
        let Some((path, value, there)) = unmet(&wanted, body) else { return Ok(()) };
        let failure = required(Code::ProviderUnavailable, &self.api.name, path, value, there);
        let failure = failure.masked(&received.secrets);
        let fix = credentials.fix();
        Err(failure.hinting(format!("The API takes this server for another user. {fix}")))
    }

    /// Carries out a call. Dropping the future ends it, too.
    ///
    /// # Errors
    /// Why it failed. A failure of a write says whether the API may have received it.
    pub async fn call(&self, operation: &Operation, call: &Call<'_>) -> Result<Answer> {
        let sent = AtomicBool::new(false);
        let answer = self.run(operation, call, &sent);
        call.ended_in_time(&self.api.name, (operation.effect, &sent), answer).await
    }

    async fn run(
        &self,
        operation: &Operation,
        call: &Call<'_>,
        sent: &AtomicBool,
    ) -> Result<Answer> {
        let mut scope = Scope::new(
            call.arguments,
            self.exchange.settings.plain(self.account_with_settings(call.account)),
        )
        .writing(call.numbers);
        let page = self.page(operation, call)?;
        for step in &*operation.first {
            self.step(step, call, &mut scope).await?;
        }
        let mut rendered = Rendered::new(&operation.request, &self.base, &scope)?;
        if let Some(page) = &page {
            page.apply(&mut rendered);
        }
        if call.dry_run {
            return Ok(Answer { value: rendered.describe(), next: None, total: None });
        }
        let whole = (&self.api.errors, &*self.api.shapes);
        let wanted = Wanted::from_tables(operation.result.as_ref(), operation.page.as_ref(), whole);
        let outgoing = Outgoing {
            api: &self.api,
            request: &operation.request,
            rendered: &rendered,
            wanted: &wanted,
            account: self.account_with_settings(call.account),
            is_idempotent: operation.idempotent,
            deadline: call.deadline,
            sent,
        };
        let received = self.exchange.send(outgoing).await.map_err(|failure| {
            // What is too large has been answered.
            let is_unread = failure.code == Code::ResultTooLarge;
            if is_unread && operation.effect != Effect::Read { failure.made() } else { failure }
        })?;
        let answer = self.answer(operation, &received, &scope, page.as_ref(), &rendered.url);
        let answer = answer.map_err(|failure| failure.masked(&received.secrets))?;
        Ok(Answer { value: received.secrets.mask_value(answer.value), ..answer })
    }

    fn page<'a>(
        &'a self,
        operation: &'a Operation,
        call: &Call<'a>,
    ) -> Result<Option<PageCursor<'a>>> {
        let Some((page, request)) = operation.page.as_ref().zip(call.page) else { return Ok(None) };
        let account = self.account_with_settings(call.account);
        // An account may have any name, also none.
        let has_account = if account.is_some() { "account" } else { "" };
        let scope = [&*self.api.name, &*operation.id, has_account, account.unwrap_or_default()];
        let keys = self.api.auth.iter().filter_map(|auth| match auth {
            Auth::QueryKey { parameter, .. } => Some(&**parameter),
            _ => None,
        });
        PageCursor::new(page, request, &self.cursor_key, keys.collect(), scope).map(Some)
    }

    /// Carries out a step, unless a value of an optional step is absent.
    async fn step(&self, step: &Step, call: &Call<'_>, scope: &mut Scope<'_>) -> Result<()> {
        if step.request.method != Method::Get {
            return Err(Failure::defect(format_args!(
                "the step `{}` does not only read",
                step.name
            )));
        }
        let prepared = Rendered::new(&step.request, &self.base, scope)
            .and_then(|rendered| Ok((rendered, Search::new(step, scope)?)));
        let (rendered, search) = match prepared {
            Err(RenderError::Absent(_)) if step.optional => return Ok(()),
            prepared => prepared?,
        };
        let outgoing = Outgoing {
            api: &self.api,
            request: &step.request,
            rendered: &rendered,
            wanted: &Wanted::all(),
            account: self.account_with_settings(call.account),
            is_idempotent: true,
            deadline: call.deadline,
            sent: &AtomicBool::new(false),
        };
        let received = self.exchange.send(outgoing).await;
        let found = received.and_then(|received| {
            let found =
                json(&self.api.name, &received).and_then(|body| search.find(&self.api.name, body));
            found.map_err(|failure| failure.masked(&received.secrets))
        });
        let found = found.map_err(|mut failure| {
            // The request of the operation is not sent.
            failure.sent = false;
            failure
        })?;
        scope.add_step(&step.name, found);
        Ok(())
    }

    fn answer(
        &self,
        operation: &Operation,
        received: &Received,
        scope: &Scope<'_>,
        page: Option<&PageCursor<'_>>,
        url: &Url,
    ) -> Result<Answer> {
        let Some(table) = &operation.result else {
            return Ok(Answer { value: Value::Null, next: None, total: None });
        };
        if operation.effect != Effect::Read {
            let value = self.answer_of_change(table, received, scope)?;
            return Ok(Answer { value, next: None, total: None });
        }
        if table.read == Read::Text {
            let value = text(&self.api.name, received)?.into();
            return Ok(Answer { value, next: None, total: None });
        }
        let reader = self.reader(received, scope, None);
        if received.is_empty() {
            let value = reader.result_without_content(table);
            return Ok(Answer { value, next: None, total: None });
        }
        let body = json(&self.api.name, received)?;
        let value = reader.result(table, body)?;
        let (next, total) = match page {
            Some(page) => (
                page.next(&reader, (received, body), &value, (&self.base, url))?,
                page.total(&reader, body),
            ),
            None => (None, None),
        };
        Ok(Answer { value, next, total })
    }

    fn reader<'a>(
        &'a self,
        received: &'a Received,
        scope: &'a Scope<'a>,
        unread: Option<&'a RefCell<Option<Box<Failure>>>>,
    ) -> AnswerReader<'a> {
        let (provider, shapes) = (&*self.api.name, &*self.api.shapes);
        AnswerReader { provider, shapes, headers: &received.headers, scope, unread }
    }

    /// Reads the answer to a change that the API says it has made. No caller may take it for undone, whatever the answer
    /// is: the part that can be read is the result, and says what is missing.
    fn answer_of_change(
        &self,
        table: &ResultTable,
        received: &Received,
        scope: &Scope<'_>,
    ) -> Result<Value> {
        let unread = RefCell::default();
        let reader = self.reader(received, scope, Some(&unread));
        if table.read == Read::Text {
            let text = text(&self.api.name, received).map_err(Failure::made)?;
            return Ok(text.into());
        }
        if received.is_empty() {
            return Ok(reader.result_without_content(table));
        }
        let body = json(&self.api.name, received).map_err(Failure::made)?;
        let value = reader.result(table, body).map_err(Failure::made)?;
        match (value, unread.take()) {
            (value, None) => Ok(value),
            (Value::Object(mut object), Some(why)) => {
                let why = format!("{} {MAY_BE_MADE} Read before you repeat it.", why.message);
                object.insert(INCOMPLETE.to_owned(), why.into());
                Ok(object.into())
            }
            (_, Some(why)) => Err(why.made()),
        }
    }
}
