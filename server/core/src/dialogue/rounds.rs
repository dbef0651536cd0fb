//! A call that is asked in rounds: it ends with its questions, and comes again with the answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::interrupt::{Continuation, Interrupt, Pending};
use super::{Abilities, Question, Replies, cannot_answer};
use crate::fault::{Code, Fault, Result};

/// A call that comes in rounds: what has been answered so far.
#[derive(Debug, Default)]
pub struct Rounds {
    pub(crate) abilities: Abilities,
    pub(crate) replies: Replies,
    /// The right to act on a confirmation that is among the replies.
    pub(crate) token: Option<String>,
    /// The call becomes a task when its handler says so.
    pub(crate) becomes_task: bool,
    /// How the call continues, by the mark of the fault that says so.
    ended: Mutex<Vec<(u64, Continuation)>>,
}

impl Rounds {
    /// A call of which so much has been answered.
    pub fn new(
        abilities: Abilities,
        replies: Replies,
        token: Option<String>,
        becomes_task: bool,
    ) -> Self {
        Self { abilities, replies, token, becomes_task, ended: Mutex::default() }
    }

    /// Ends the round with questions. The handler passes the fault on.
    pub(super) fn end(&self, questions: BTreeMap<String, Question>) -> Fault {
        match self.pending(questions) {
            Ok(pending) => self.mark(Continuation::WithAnswers(pending)),
            Err(fault) => fault,
        }
    }

    /// Ends the round with a question as if it had no answer yet.
    pub(crate) fn ask_again(&self, key: &str, question: impl Into<Question>) -> Interrupt {
        match self.pending(BTreeMap::from([(key.to_owned(), question.into())])) {
            Ok(mut pending) => {
                pending.replies.remove(key);
                Interrupt::Continues(needs_answers(), Box::new(Continuation::WithAnswers(pending)))
            }
            Err(fault) => fault.into(),
        }
    }

    /// From here on a call that may become a task is one.
    ///
    /// # Errors
    /// The end of the round, when the task does not run yet.
    pub(super) fn begin_task(&self) -> Result<()> {
        if !self.becomes_task {
            return Ok(());
        }
        Err(self.mark(Continuation::AsTask(self.replies.clone())))
    }

    /// What a fault of the handler means: the end of a round only if it is the very fault that this
    /// dialogue ended the round with.
    pub(super) fn interrupt(&self, fault: Fault) -> Interrupt {
        let Some(mark) = fault.mark() else { return fault.into() };
        let mut ended = self.ended();
        match ended.iter().position(|(own, _)| *own == mark) {
            Some(at) => Interrupt::Continues(fault, Box::new(ended.swap_remove(at).1)),
            None => fault.into(),
        }
    }

    fn pending(&self, questions: BTreeMap<String, Question>) -> Result<Pending> {
        match questions.values().find(|question| !self.abilities.covers(question)) {
            Some(question) => Err(cannot_answer(question)),
            None => Ok(Pending { questions, replies: self.replies.clone(), token: None }),
        }
    }

    /// Keeps how the call continues, and makes the fault that says so. The same continuation is kept
    /// once, however often a handler asks for it.
    fn mark(&self, how: Continuation) -> Fault {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let fault = match &how {
            Continuation::WithAnswers(_) => needs_answers(),
            Continuation::AsTask(_) => {
                Fault::new(Code::ConfirmationRequired, "This call goes on as a task.")
            }
        };
        let mut ended = self.ended();
        let known = ended.iter().find(|(_, own)| *own == how).map(|(mark, _)| *mark);
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
    let message = "This call needs answers from its client before it can go on.";
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

        // Handlers that swallow those faults may fail in any way of their own.
        let same = Fault::new(Code::ConfirmationRequired, form.message());
        for own in [Fault::not_found("gone"), same] {
            assert_eq!(dialogue.interrupt(own.clone()), Interrupt::Failed(own));
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
    async fn a_question_that_is_asked_again_is_kept_once() {
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
