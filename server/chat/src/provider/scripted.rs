//! A model that says what a script tells it: for tests and for trying out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use futures::future::{self, BoxFuture};
use futures::stream::{self, BoxStream};
use serde_json::Value;

use super::model::{End, Event, Model, ModelError, Request, Stop, Usage, WantedCall};

/// Something that happens between two words of a script, such as the edit of a person.
type Action = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

enum Step {
    Event(Result<Event, ModelError>),
    Action(Action),
    Never,
}

/// One response of a model.
#[derive(Default)]
pub struct Script {
    steps: Vec<Step>,
    end: Option<End>,
}

impl Script {
    /// A response without words.
    #[must_use]
    pub fn new() -> Self {
        Self { steps: Vec::new(), end: Some(End::default()) }
    }

    /// Words.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.steps.push(Step::Event(Ok(Event::Text(text.to_owned()))));
        self
    }

    /// A call of a tool, by its name in requests.
    #[must_use]
    pub fn call(mut self, name: &str, arguments: Value) -> Self {
        if let Some(end) = &mut self.end {
            end.calls.push(WantedCall { name: name.to_owned(), arguments });
            end.stop = Stop::Calls;
        }
        self
    }

    /// Something that happens before the next words.
    #[must_use]
    pub fn then_do<F: Future<Output = ()> + Send + 'static>(
        mut self,
        action: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        self.steps.push(Step::Action(Arc::new(move || Box::pin(action()))));
        self
    }

    /// The tokens.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        if let Some(end) = &mut self.end {
            end.usage = Some(Usage { input, output, cached: 0 });
        }
        self
    }

    /// Why the model stops.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        if let Some(end) = &mut self.end {
            end.stop = stop;
        }
        self
    }

    /// What the provider wants back.
    #[must_use]
    pub fn kept(mut self, kept: Value) -> Self {
        if let Some(end) = &mut self.end {
            end.kept = Some(kept);
        }
        self
    }

    /// An error. What follows in the script is said nevertheless.
    #[must_use]
    pub fn fail(mut self, error: ModelError) -> Self {
        self.steps.push(Step::Event(Err(error)));
        self
    }

    /// The stream ends without an end of the response.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.end = None;
        self
    }

    /// The model says nothing more, and does not end.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.steps.push(Step::Never);
        self
    }
}

/// A model that says what scripts tell it, one for each request.
pub struct ScriptedModel {
    scripts: Mutex<VecDeque<Script>>,
    requests: Mutex<Vec<Request>>,
}

impl ScriptedModel {
    /// A model with these scripts. After the last one it fails.
    #[must_use]
    pub fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self { scripts: Mutex::new(scripts.into_iter().collect()), requests: Mutex::default() }
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ask(&self, request: Request) -> BoxStream<'_, Result<Event, ModelError>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let Some(script) = self.scripts.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
        else {
            return stream::iter([Err(ModelError::permanent("the script has ended"))]).boxed();
        };
        let end = script.end.map(|end| Step::Event(Ok(Event::End(end))));
        stream::iter(script.steps.into_iter().chain(end))
            .filter_map(|step| async move {
                match step {
                    Step::Event(event) => Some(event),
                    Step::Action(action) => {
                        action().await;
                        None
                    }
                    Step::Never => future::pending().await,
                }
            })
            .boxed()
    }
}
