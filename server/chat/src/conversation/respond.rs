//! One request to the model, and its response in the note.

use std::fmt::Write as _;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};
use toolwrit_words::Code;

use super::answer::{GrowingAnswer, Presence};
use super::history::History;
use super::limits::Limit;
use super::prepare::Prepared;
use super::turn::{Halt, Turn};
use super::{ChatError, Ended, Progress};
use crate::format::{Document, State, Status};
use crate::ledger::Entry;
use crate::provider::{End, Event, ModelError, Request, Stop, Usage};

/// How often a growing answer is written.
const SHOWN_EVERY: Duration = Duration::from_secs(1);

/// How listening to the model ended.
enum Heard {
    End(End),
    Failed(ModelError),
    Cancelled,
    Gone,
    Late,
}

impl Turn<'_> {
    /// Asks the model once. Returns whether it wants to call tools.
    pub(super) async fn request_answer(
        &mut self,
        offer_tools: bool,
        calls_of_note: usize,
    ) -> Result<bool, Halt> {
        let id = (self.chat.settings.new_id)();
        let (mut answer, block) = GrowingAnswer::new(id, self.chat.model.name());
        let before = self.insert_blocks(&[block], id).await?;
        let document = Document::parse(&before);
        if !document.mistakes().is_empty() {
            self.write_end(
                &mut answer,
                &State::new(Status::Cancelled, "the note has mistakes"),
                &[],
            )
            .await?;
            return Err(ChatError::Mistakes(document.mistakes().to_vec()).into());
        }
        let mut messages =
            History::from_document(&document, &self.chat.settings.older, &self.recall).messages;
        if let Err(error) = self.attach_images(&mut messages).await {
            let message = error.to_string();
            let state = State::new(Status::Failed(Code::ValidationError.to_string()), &message);
            self.write_end(&mut answer, &state, &[]).await?;
            return Err(Halt::Ended(Ended::Failed(message)));
        }
        self.record_shown(answer.id, &document, &messages).await?;
        let tools = if offer_tools { self.recall.tools.clone() } else { [].into() };
        self.report(Progress::Asking);
        let began = Instant::now();
        let heard = self.ask_model(&mut answer, Request { messages, tools }).await?;
        let heard = match heard {
            // Calls of tools that were not offered are none.
            Heard::End(end) if !offer_tools => Heard::End(End { calls: Vec::new(), ..end }),
            heard => heard,
        };
        let end = self.finish_answer(&mut answer, heard).await?;
        let calls = self.prepare(end.calls, &document, calls_of_note);
        let mut entries: Vec<_> = calls.iter().filter_map(Prepared::to_entry).collect();
        if let Some(kept) = end.kept {
            entries.push((answer.id, self.kept_entry(&kept)));
            self.recall.kept.insert(answer.id, kept);
        }
        if !entries.is_empty() {
            self.chat.record(entries).await?;
        }
        self.used.unrecorded = 0;
        let state = State::new(Status::Said, self.describe_usage(end.usage, began.elapsed()));
        let blocks: Vec<String> = calls.iter().map(|call| call.block.clone()).collect();
        self.write_end(&mut answer, &state, &blocks).await?;
        self.anchor = Some(calls.last().map_or(answer.id, |call| call.id));
        self.pending = calls.iter().filter_map(Prepared::to_entry).map(|(id, _)| id).collect();
        self.report_refused_calls(&calls).await;
        Ok(!calls.is_empty())
    }

    /// Writes the answer for the last time.
    async fn write_end(
        &mut self,
        answer: &mut GrowingAnswer,
        state: &State,
        following: &[String],
    ) -> Result<(), Halt> {
        let settings = &self.chat.settings;
        match answer
            .show(&self.chat.page, &settings.inert, state, following, settings.new_id)
            .await?
        {
            // The words of this block are the model's.
            Presence::There => {
                if let Some(digest) = answer.digest() {
                    self.chat.record(vec![(answer.id, Entry::Answer(digest))]).await?;
                }
                Ok(())
            }
            Presence::Gone => Err(Halt::Ended(Ended::Cancelled)),
        }
    }

    /// The end of a complete response. Of any other, no call is made.
    async fn finish_answer(
        &mut self,
        answer: &mut GrowingAnswer,
        heard: Heard,
    ) -> Result<End, Halt> {
        let failed = |code: &Code, message: &str| {
            (
                State::new(Status::Failed(code.to_string()), message),
                Ended::Failed(message.to_owned()),
            )
        };
        let (state, ended) = match heard {
            Heard::End(end) => match &end.stop {
                Stop::Finished | Stop::Calls if end.calls.is_empty() && answer.is_blank() => {
                    failed(&Code::UpstreamError, "the model gave an empty answer")
                }
                Stop::Finished | Stop::Calls => return Ok(end),
                Stop::MaxTokens => {
                    failed(&Code::LimitExceeded, "the model reached its limit of tokens")
                }
                Stop::Filtered(words) => failed(
                    &Code::UpstreamForbidden,
                    &quote_provider("the provider refused to answer", words),
                ),
                Stop::Other(word) => {
                    failed(&Code::UpstreamError, &quote_provider("the model stopped", word))
                }
                Stop::Missing => failed(&Code::UpstreamError, "the answer ended early"),
            },
            Heard::Failed(error) => failed(&Code::UpstreamError, &error.message),
            Heard::Cancelled => (State::new(Status::Cancelled, ""), Ended::Cancelled),
            Heard::Late => (
                State::new(
                    Status::Failed(Code::Timeout.to_string()),
                    "the time of the turn is over",
                ),
                Ended::Limited(Limit::Time),
            ),
            Heard::Gone => return Err(Halt::Ended(Ended::Cancelled)),
        };
        self.write_end(answer, &state, &[]).await?;
        Err(Halt::Ended(ended))
    }

    /// Listens to the model, and asks again while it has said nothing and the error may pass.
    async fn ask_model(
        &mut self,
        answer: &mut GrowingAnswer,
        request: Request,
    ) -> Result<Heard, Halt> {
        let mut attempt = 0;
        loop {
            let heard = self.listen(answer, request.clone()).await?;
            let Heard::Failed(error) = &heard else { return Ok(heard) };
            if !error.retryable || answer.bytes() > 0 || attempt >= self.limits.retries {
                return Ok(heard);
            }
            let wait = error.retry_after.unwrap_or(Duration::from_secs(1 << attempt.min(5)));
            if wait >= self.deadline.saturating_duration_since(Instant::now()) {
                return Ok(heard);
            }
            attempt += 1;
            let reason = error.message.trim_end_matches('.');
            let news = format!("{reason}: trying again in {} s", wait.as_secs());
            self.report(Progress::Retrying(news));
            tokio::select! {
                biased;
                () = self.options.cancellation.cancelled() => return Ok(Heard::Cancelled),
                () = sleep(wait) => {}
            }
        }
    }

    async fn listen(&self, answer: &mut GrowingAnswer, request: Request) -> Result<Heard, Halt> {
        let mut stream = self.chat.model.ask(request);
        let mut tick = interval(SHOWN_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tick.reset();
        let mut heard_at = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = self.options.cancellation.cancelled() => return Ok(Heard::Cancelled),
                () = sleep_until(self.deadline) => return Ok(Heard::Late),
                () = sleep_until(heard_at + self.limits.silence) => {
                    let message = format!("the model said nothing for {} seconds", self.limits.silence.as_secs());
                    return Ok(Heard::Failed(ModelError::transient(message)));
                }
                _ = tick.tick(), if !answer.is_shown() => {
                    let settings = &self.chat.settings;
                    let state = State::new(Status::Unfinished, "");
                    if answer.show(&self.chat.page, &settings.inert, &state, &[], settings.new_id).await? == Presence::Gone {
                        return Ok(Heard::Gone);
                    }
                }
                event = stream.next() => {
                    heard_at = Instant::now();
                    match event {
                        None => return Ok(Heard::Failed(ModelError::transient("the answer ended early"))),
                        Some(Err(error)) => return Ok(Heard::Failed(error)),
                        Some(Ok(Event::End(end))) => return Ok(confirm_end(end, &mut stream).await),
                        Some(Ok(Event::Alive)) => {}
                        Some(Ok(Event::Text(words))) => {
                            if answer.bytes() + words.len() > self.limits.answer_bytes {
                                let message = format!("the answer has more than {} bytes", self.limits.answer_bytes);
                                return Ok(Heard::Failed(ModelError::permanent(message)));
                            }
                            answer.push(&words);
                            self.report(Progress::Words(words));
                        }
                    }
                }
            }
        }
    }

    /// The remark of an answer: tokens, cost and time.
    fn describe_usage(&self, usage: Option<Usage>, took: Duration) -> String {
        let Some(usage) = usage else { return "answer".to_owned() };
        let mut detail = format!("{}+{} tokens", usage.input, usage.output);
        if let Some(price) = self.chat.model.price() {
            let _ = write!(detail, ", {:.4} {}", price.cost(usage), price.currency);
        }
        let _ = write!(detail, ", {:.1} s", took.as_secs_f64());
        detail
    }
}

/// What happened, and the words of the provider about it.
fn quote_provider(happened: &str, words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = &words[..words.floor_char_boundary(300)];
    if words.is_empty() { happened.to_owned() } else { format!("{happened}: {words}") }
}

/// An error right after the end makes the response invalid.
async fn confirm_end(
    end: End,
    stream: &mut (impl futures::Stream<Item = Result<Event, ModelError>> + Unpin),
) -> Heard {
    match timeout(Duration::from_secs(1), stream.next()).await {
        Ok(Some(Err(error))) => Heard::Failed(error),
        _ => Heard::End(end),
    }
}
