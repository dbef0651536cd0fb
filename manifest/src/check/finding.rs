//! Further verbs for searches, and what is not offered.

use toolwrit_text::nearest;
use toolwrit_words::VerbClass;

use super::text;
use crate::diagnostics::{Problem, Report};
use crate::model::{Gap, Verb};
use crate::raw::{Entry, RawGap};
use crate::yaml::Text;

/// The verbs of all classes.
pub(super) fn verbs(raw: &[Entry<Vec<Text>>], report: &mut Report) -> Vec<Verb> {
    let mut verbs: Vec<Verb> = Vec::new();
    for Entry { key, value } in raw {
        let Some(class) = VerbClass::ALL.into_iter().find(|class| class.as_str() == key.value)
        else {
            let names = VerbClass::ALL.map(VerbClass::as_str);
            let message = format!("`{}` is not what a verb asks for", key.value);
            let close = nearest::closest(&key.value, names);
            let problem = Problem::error(key.place, message).expected(names.join(", "));
            report.push(match close.first() {
                Some(close) => problem.help(format!("did you mean `{close}`?")),
                None => problem,
            });
            continue;
        };
        for phrase in value {
            let words = text::non_empty("the verb", phrase, report);
            let is_first_a_word = words.split_whitespace().next().is_some_and(|word| word != "*");
            if !words.is_empty() && !is_first_a_word {
                let message = format!("the verb `{words}` does not begin with a word");
                report.push(Problem::error(phrase.place, message));
            } else if verbs.iter().any(|verb| verb.phrase == words) {
                let message = format!("the verb `{words}` is given twice");
                report.push(Problem::error(phrase.place, message));
            } else {
                verbs.push(Verb { class, phrase: words });
            }
        }
    }
    verbs
}

/// The gaps. Each needs a request to be found by.
pub(super) fn gaps(raw: &[RawGap], report: &mut Report) -> Vec<Gap> {
    let gap = |gap: &RawGap| {
        let asks = text::words("the ask", gap.asks.as_ref(), report);
        if gap.asks.as_ref().is_some_and(Vec::is_empty)
            && let Some(note) = &gap.note
        {
            report.push(
                Problem::error(note.place, "the gap has no `asks`")
                    .expected("how people ask for it"),
            );
        }
        Gap {
            note: text::optional("the note", gap.note.as_ref(), report).unwrap_or_default(),
            asks,
        }
    };
    raw.iter().map(gap).collect()
}
