//! One context: what speaks for it, and how sure that makes.

use regex::Regex;

use super::message::{Message, Phrase};
use super::previous::Previous;

/// Characters of what a pattern matched that are told.
const SHOWN: usize = 80;

/// A subject that messages may be about, and what speaks for it.
///
/// The signs that a message has are added up by their weights, each once. The sum `w` makes a confidence
/// of `w / (1 + w)`, in hundredths: one sign of weight 1 gives 0.5, two give 0.67, three 0.75. From the
/// threshold on, the message is about the subject.
#[derive(Debug, Clone)]
pub struct ContextRule {
    name: String,
    keywords: Vec<Keyword>,
    patterns: Vec<(Regex, f64)>,
    threshold: f64,
}

#[derive(Debug, Clone)]
struct Keyword {
    text: String,
    phrase: Phrase,
    weight: f64,
}

/// A context that a message is about.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct DetectedContext {
    /// The name of the rule.
    pub name: String,
    /// Above 0, at most 1, in hundredths.
    pub confidence: f64,
    /// The keywords, as the rule has them, and for each pattern what it matched first, at most 80
    /// characters of it. Empty when it is only remembered.
    pub matched: Vec<String>,
}

impl<'a> FromIterator<&'a DetectedContext> for Previous {
    fn from_iter<T: IntoIterator<Item = &'a DetectedContext>>(contexts: T) -> Self {
        contexts.into_iter().map(|found| (found.name.clone(), found.confidence)).collect()
    }
}

/// Why a rule cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRule {
    /// Not finite, or not above 0.
    #[error("the weight {0} of `{1}`; expected a number above 0")]
    Weight(f64, String),
    /// Out of range.
    #[error("the threshold {0}; expected a number above 0 and at most 1")]
    Threshold(f64),
    /// Without letters and digits.
    #[error("the keyword `{0}` has no word; expected letters or digits")]
    Keyword(String),
    /// Not a regular expression in RE2 style.
    #[error("the pattern does not compile: {0}")]
    Pattern(#[from] regex::Error),
}

impl ContextRule {
    /// The threshold where none is given: a single sign of weight 1 reaches it.
    pub const THRESHOLD: f64 = 0.5;

    /// A rule that nothing speaks for yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            keywords: Vec::new(),
            patterns: Vec::new(),
            threshold: Self::THRESHOLD,
        }
    }

    /// What the rule is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A word, or a phrase whose words stand next to each other. Inflection and case do not matter.
    ///
    /// # Errors
    /// A weight that is not finite and above 0, or a keyword without letters and digits.
    pub fn keyword(mut self, text: &str, weight: f64) -> Result<Self, InvalidRule> {
        let phrase = Phrase::new(text).ok_or_else(|| InvalidRule::Keyword(text.to_owned()))?;
        let weight = check(weight, text)?;
        self.keywords.push(Keyword { text: text.to_owned(), phrase, weight });
        Ok(self)
    }

    /// A regular expression that matches somewhere in the message, in time linear in its length.
    ///
    /// # Errors
    /// A weight that is not finite and above 0, or an expression that does not compile.
    pub fn pattern(mut self, expression: &str, weight: f64) -> Result<Self, InvalidRule> {
        self.patterns.push((Regex::new(expression)?, check(weight, expression)?));
        Ok(self)
    }

    /// The confidence from which on a message is about it.
    ///
    /// # Errors
    /// A threshold that is not above 0 and at most 1.
    pub fn threshold(self, threshold: f64) -> Result<Self, InvalidRule> {
        let fits = threshold > 0.0 && threshold <= 1.0;
        if fits { Ok(Self { threshold, ..self }) } else { Err(InvalidRule::Threshold(threshold)) }
    }

    /// Whether a message is about it, and how sure that is.
    pub(super) fn detect(
        &self,
        message: &Message<'_>,
        previous: &Previous,
    ) -> Option<DetectedContext> {
        let mut weight = previous.weight(&self.name);
        let mut matched = Vec::new();
        for keyword in self.keywords.iter().filter(|keyword| message.has(&keyword.phrase)) {
            weight += keyword.weight;
            matched.push(keyword.text.clone());
        }
        for (pattern, own) in &self.patterns {
            let Some(found) = pattern.find(message.text) else { continue };
            weight += own;
            matched.push(found.as_str().trim().chars().take(SHOWN).collect());
        }
        let confidence = confidence(weight);
        let is_about = confidence >= self.threshold;
        is_about.then(|| DetectedContext { name: self.name.clone(), confidence, matched })
    }
}

fn check(weight: f64, of: &str) -> Result<f64, InvalidRule> {
    let fits = weight.is_finite() && weight > 0.0;
    if fits { Ok(weight) } else { Err(InvalidRule::Weight(weight, of.to_owned())) }
}

/// `w / (1 + w)` in hundredths, the same on every machine. In this form also a sum beyond all numbers
/// gives 1. The manifest language says the same where it checks thresholds.
fn confidence(weight: f64) -> f64 {
    (100.0 * (1.0 - 1.0 / (1.0 + weight))).round() / 100.0
}
