//! Answers the requests that run handlers. Callers box the futures: they are large, and rmcp moves each of
//! them several times before it polls them.

use std::future::{Future, ready};

use futures::future::Either;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ErrorData, GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse,
    ReadResourceRequestMethod, ReadResourceRequestParams, ReadResourceResponse,
};
use rmcp::service::RequestContext;
use serde_json::json;

use super::asked::PreparedRequest;
use super::caller::{caller, idempotency_key, numbers, origin, repeated};
use super::dialogue::{self, Earlier};
use super::tasks::{self, TaskWork, WantedTask};
use super::{McpServer, completion, declared, prompt, resource, tool};
use crate::endpoint::{Request, ToolAnswer};
use toolwrit_core::authority::Begins;
use toolwrit_core::dialogue::Continuation;

impl McpServer {
    /// Answers `tools/call`.
    pub(super) fn answer_call(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send {
        match self.begin_call(call, cx) {
            Ok(answer) => Either::Left(answer),
            Err(error) => Either::Right(ready(Err(error))),
        }
    }

    /// Begins `tools/call`. Resolves the operation before the future is created, so that the future stays
    /// small.
    fn begin_call(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<impl Future<Output = Result<CallToolResponse, ErrorData>> + Send, ErrorData> {
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = call;
        let arguments = arguments.unwrap_or_default();
        let (identity, client) = caller(&cx);
        let endpoints = self.endpoints.now();
        let endpoint = endpoints.endpoint(client.as_ref()).clone();
        let operation =
            if endpoints.has_tasks { endpoint.operation(&name, &arguments) } else { None };
        let earlier = Earlier::new(input_responses, request_state);
        if let Some(wanted) = tasks::wanted(&cx, operation)? {
            let (idempotency_key, repeated) = (idempotency_key(&cx), repeated(&cx));
            let numbers = numbers(&cx);
            let request = Request {
                origin: origin(&cx, identity, client),
                session: self.session_calls(&cx.extensions),
                idempotency_key,
                repeated,
                numbers,
                ..Request::default()
            };
            let abilities = dialogue::abilities(cx.client_capabilities());
            let tool = name.into_owned();
            let work = TaskWork { endpoint, tool, arguments, request, abilities, earlier: None };
            return Ok(Either::Left(Box::pin(self.answer_task(wanted, work, earlier, cx))));
        }
        let asked = self.asked(endpoint, (identity, client), cx, earlier, || {
            json!(["tools/call", name, arguments])
        })?;
        let PreparedRequest { endpoint, request, mut ending } = asked;
        let answer = endpoint.call(&name, arguments, request);
        Ok(Either::Right(async move {
            let answer = answer.await;
            ending.reported().await;
            ending.call(answer)
        }))
    }

    /// Answers `tools/call` of an operation that continues as a task, at once or after rounds of questions.
    async fn answer_task(
        &self,
        wanted: WantedTask,
        mut work: TaskWork,
        mut earlier: Earlier,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if wanted.begins == Begins::ByHandler {
            earlier.becomes_task = true;
            let from = caller(&cx);
            let asked = self.asked(work.endpoint.clone(), from, cx, earlier, || {
                json!(["tools/call", work.tool, work.arguments])
            })?;
            let PreparedRequest { endpoint, request, mut ending } = asked;
            let answer = endpoint.call(&work.tool, work.arguments.clone(), request).await;
            ending.reported().await;
            match answer.continuation {
                Some(Continuation::AsTask(replies)) => work.earlier = Some(replies),
                _ => return ending.call(answer),
            }
        }
        Ok(match tasks::begin(&wanted.operation, work).await {
            Ok(task) => task.into(),
            Err(fault) => tool::result(ToolAnswer::failure(&fault)).into(),
        })
    }

    /// Answers `resources/read`.
    pub(super) async fn answer_read(
        &self,
        read: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let endpoints = self.endpoints.now();
        declared::<ReadResourceRequestMethod>(endpoints.config.capabilities.resources.is_some())?;
        let from = caller(&cx);
        let endpoint = endpoints.endpoint(from.1.as_ref()).clone();
        let ReadResourceRequestParams { uri, input_responses, request_state, .. } = read;
        let earlier = Earlier::new(input_responses, request_state);
        let asked = self.asked(endpoint, from, cx, earlier, || json!(["resources/read", uri]))?;
        let PreparedRequest { endpoint, request, mut ending } = asked;
        let result = resource::read(&endpoint, &uri, request).await;
        ending.reported().await;
        ending.answer(result, ("uri", &uri))
    }

    /// Answers `prompts/get`.
    pub(super) async fn answer_get(
        &self,
        get: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let endpoints = self.endpoints.now();
        declared::<GetPromptRequestMethod>(endpoints.config.capabilities.prompts.is_some())?;
        let from = caller(&cx);
        let endpoint = endpoints.endpoint(from.1.as_ref()).clone();
        let GetPromptRequestParams { name, arguments, input_responses, request_state, .. } = get;
        let arguments = arguments.unwrap_or_default();
        let earlier = Earlier::new(input_responses, request_state);
        let asked =
            self.asked(endpoint, from, cx, earlier, || json!(["prompts/get", name, arguments]))?;
        let PreparedRequest { endpoint, request, mut ending } = asked;
        let result = prompt::get(&endpoint, &name, arguments, request).await;
        ending.reported().await;
        ending.answer(result, ("name", &name))
    }

    /// Answers `completion/complete`.
    pub(super) async fn answer_complete(
        &self,
        complete: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let endpoints = self.endpoints.now();
        declared::<CompleteRequestMethod>(endpoints.config.capabilities.completions.is_some())?;
        let from = caller(&cx);
        let endpoint = endpoints.endpoint(from.1.as_ref()).clone();
        let asked =
            self.asked(endpoint, from, cx, Earlier::none(), || json!(["completion/complete"]))?;
        let PreparedRequest { endpoint, request, mut ending } = asked;
        let result = completion::complete(&endpoint, complete, request).await;
        ending.reported().await;
        result
    }
}
