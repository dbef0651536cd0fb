//! What an upstream says for people, on standard error and in log messages: so much in a second, and without secrets.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolwrit_text::Secrets;
use toolwrit_text::shorten::visible_line;

/// Bytes that are heard in a second.
const MOST: usize = 64 * 1024;
/// Characters of a line.
const LINE: usize = 2_000;

/// Who hears a line. It must not block.
pub(crate) type Hear = Arc<dyn Fn(&str) + Send + Sync>;

/// What an upstream says, as far as it is heard.
#[derive(Clone, Default)]
pub(crate) struct Speech(Option<Arc<Heard>>);

struct Heard {
    hear: Hear,
    secrets: Secrets,
    budget: Mutex<Budget>,
}

/// What is left of a second.
struct Budget {
    begun: Instant,
    bytes: usize,
    left_out: u64,
}

impl Speech {
    pub(crate) fn new(hear: Hear, secrets: Secrets) -> Self {
        let budget = Budget { begun: Instant::now(), bytes: 0, left_out: 0 };
        Self(Some(Arc::new(Heard { hear, secrets, budget: Mutex::new(budget) })))
    }

    /// Says a line, or leaves it out if too much was said.
    pub(crate) fn say(&self, line: &str) {
        let Some(heard) = &self.0 else { return };
        let before = {
            let mut budget = heard.budget.lock().unwrap_or_else(PoisonError::into_inner);
            let left_out = if budget.begun.elapsed() >= Duration::from_secs(1) {
                std::mem::replace(
                    &mut *budget,
                    Budget { begun: Instant::now(), bytes: 0, left_out: 0 },
                )
                .left_out
            } else {
                0
            };
            if budget.bytes + line.len() > MOST {
                budget.left_out += 1 + left_out;
                return;
            }
            budget.bytes += line.len() + 1;
            left_out
        };
        if before > 0 {
            (heard.hear)(&format!("[{before} lines are left out]"));
        }
        (heard.hear)(&visible_line(&heard.secrets.mask(line), LINE));
    }
}

impl fmt::Debug for Speech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Speech").field(&self.0.is_some()).finish()
    }
}
