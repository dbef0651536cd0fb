//! A call in rounds: it ends with its questions, and the client repeats it with the answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::interrupt::{Continuation, Interrupt, Pending};
use super::relay::is_relayed;
use super::{Abilities, Question, Replies, cannot_answer};
use crate::fault::{Code, Fault, Result};

/// One round of a call, with the answers so far.
#[derive(Debug, Default)]
pub struct Rounds {
    pub(crate) abilities: Abilities,
    pub(crate) replies: Replies,
    /// The confirmation token. Without it, a confirmation among the replies is not valid.
    pub(crate) token: Option<String>,
    /// What the round before has left.
    pub(super) memo: Option<Value>,
    /// Whether the handler may turn the call into a task.
    pub(crate) becomes_task: bool,
    /// How the call continues, by the mark of the fault that ended the round.
    ended: Mutex<Vec<(u64, Continuation)>>,
}

impl Rounds {
    /// Creates a round with the answers so far.
    pub fn new(
        abilities: Abilities,
        replies: Replies,
        token: Option<String>,
        memo: Option<Value>,
        becomes_task: bool,
    ) -> Self {
        Self { abilities, replies, token, memo, becomes_task, ended: Mutex::default() }
    }

    /// Ends the round with questions. The handler returns the fault.
    pub(super) fn end(&self, questions: BTreeMap<String, Question>) -> Fault {
        match self.pending(questions) {
            Ok(pending) => self.mark(Continuation::WithAnswers(pending)),
            Err(fault) => fault,
        }
    }

    /// Ends the round with questions of another server, which has the answers to its earlier ones. The handler returns the
    /// fault.
    pub(super) fn end_relaying(&self, questions: BTreeMap<String, Question>, memo: Value) -> Fault {
        match self.pending(questions) {
            Ok(mut pending) => {
                pending.replies.retain(|key, _| !is_relayed(key));
                pending.memo = Some(memo);
                self.mark(Continuation::WithAnswers(pending))
            }
            Err(fault) => fault,
        }
    }

    /// Ends the round with a question, and discards an earlier answer to it.
    pub(crate) fn ask_again(&self, key: &str, question: impl Into<Question>) -> Interrupt {
        match self.pending(BTreeMap::from([(key.to_owned(), question.into())])) {
            Ok(mut pending) => {
                pending.replies.remove(key);
                Interrupt::Continues(needs_answers(), Box::new(Continuation::WithAnswers(pending)))
            }
            Err(fault) => fault.into(),
        }
    }

    /// Turns a call into a task, if it may become one.
    ///
    /// # Errors
    /// The end of the round, if the task is not running yet.
    pub(super) fn begin_task(&self) -> Result<()> {
        if !self.becomes_task {
            return Ok(());
        }
        Err(self.mark(Continuation::AsTask(self.replies.clone())))
    }

    /// Converts a fault of the handler. It ends the round only if this dialogue created the fault for
    /// that; otherwise it is a failure.
    pub(super) fn interrupt(&self, fault: Fault) -> Interrupt {
        let Some(mark) = fault.mark() else { return fault.into() };
        let mut ended = self.ended();
        match ended.iter().position(|(known_mark, _)| *known_mark == mark) {
            Some(at) => Interrupt::Continues(fault, Box::new(ended.swap_remove(at).1)),
            None => fault.into(),
        }
    }

    fn pending(&self, questions: BTreeMap<String, Question>) -> Result<Pending> {
        if let Some(question) = questions.values().find(|question| !self.abilities.covers(question))
        {
            return Err(cannot_answer(question));
        }
        let (replies, memo) = (self.replies.clone(), self.memo.clone());
        Ok(Pending { questions, replies, token: None, memo })
    }

    /// Stores how the call continues, and returns the fault that ends the round. Equal continuations are
    /// stored once, however often a handler asks.
    fn mark(&self, how: Continuation) -> Fault {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let fault = match &how {
            Continuation::WithAnswers(_) => needs_answers(),
            Continuation::AsTask(_) => {
                Fault::new(Code::ConfirmationRequired, "This call continues as a task.")
            }
        };
        let mut ended = self.ended();
        let known = ended.iter().find(|(_, known_end)| *known_end == how).map(|(mark, _)| *mark);
        let mark = known.unwrap_or_else(|| {
            let mark = NEXT.fetch_add(1, Ordering::Relaxed);
            ended.push((mark, how));
            mark
        });
        fault.marked(mark)
    }

    fn ended(&self) -> MutexGuard<'_, Vec<(u64, Continuation)>> {
        // No code that can panic runs under the lock.
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn needs_answers() -> Fault {
    let message = "This call needs answers from its client before it can continue.";
    Fault::new(Code::ConfirmationRequired, message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Rounds;
    use crate::dialogue::{Abilities, Continuation, Dialogue, Form, Interrupt, Roots};
    use crate::fault::{Code, Fault};

    fn dialogue() -> Dialogue {
        let abilities = Abilities { forms: true, sampling: false, roots: true };
        Dialogue::Rounds(Arc::new(Rounds { abilities, becomes_task: true, ..Rounds::default() }))
    }

    #[tokio::test]
    async fn only_the_fault_that_ended_the_round_continues_the_call() {
        let dialogue = dialogue();
        let form = dialogue.ask("a", &Form::new("Which?")).await.unwrap_err();
        let roots = dialogue.ask("b", &Roots).await.unwrap_err();
        let task = dialogue.begin_task().unwrap_err();

        // A handler may discard those faults, and fail with a fault of its own.
        let same = Fault::new(Code::ConfirmationRequired, form.message());
        for fault in [Fault::not_found("gone"), same] {
            assert_eq!(dialogue.interrupt(fault.clone()), Interrupt::Failed(fault));
        }
        // A fault that belongs to another call ends no round of this one.
        let other = self::dialogue().ask("a", &Form::new("Which?")).await.unwrap_err();
        assert!(matches!(dialogue.interrupt(other), Interrupt::Failed(_)));

        for (fault, key) in [(form.hinting("Answer it."), "a"), (roots, "b")] {
            let Interrupt::Continues(_, how) = dialogue.interrupt(fault) else {
                panic!("the round ended with a question")
            };
            let Continuation::WithAnswers(pending) = *how else { panic!("it asks for answers") };
            assert_eq!(pending.questions.keys().collect::<Vec<_>>(), [key]);
        }
        let Interrupt::Continues(_, how) = dialogue.interrupt(task) else {
            panic!("a task begins")
        };
        assert!(matches!(*how, Continuation::AsTask(_)));
    }

    #[tokio::test]
    async fn a_repeated_question_is_stored_once() {
        let rounds = Arc::new(Rounds {
            abilities: Abilities { forms: true, ..Abilities::default() },
            ..Rounds::default()
        });
        let dialogue = Dialogue::Rounds(rounds.clone());
        for _ in 0..100 {
            let asked = dialogue.ask("a", &Form::new("Which?")).await;
            assert!(asked.is_err());
        }
        assert_eq!(rounds.ended().len(), 1);
    }
}
