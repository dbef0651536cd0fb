//! The rule that detects one context.

use regex::Regex;

use super::message::{Message, Phrase};
use super::previous::Previous;

/// Maximum length of a pattern's match in the result, in characters.
const MAX_MATCHED: usize = 80;

/// Detects one context by subjects, keywords and patterns.
///
/// A subject matches where the message asks for something about it: close behind a verb or a question word, or as the
/// first word of a short message. A keyword matches anywhere.
///
/// The weights of all subjects, keywords and patterns that match are added, each once. The sum `w` gives a confidence
/// of `w / (1 + w)`, rounded to hundredths: one match of weight 1 gives 0.5, two give 0.67, three 0.75. The
/// context is detected if the confidence reaches the threshold.
#[derive(Debug, Clone)]
pub struct ContextRule {
    name: String,
    subjects: Vec<Keyword>,
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

impl Keyword {
    fn new(text: &str, weight: f64) -> Result<Self, InvalidRule> {
        let phrase = Phrase::new(text).ok_or_else(|| InvalidRule::Keyword(text.to_owned()))?;
        Ok(Self { text: text.to_owned(), phrase, weight: check_weight(weight, text)? })
    }
}

/// A context detected in a message.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct DetectedContext {
    /// The name of the rule.
    pub name: String,
    /// Greater than 0, at most 1, in hundredths.
    pub confidence: f64,
    /// The subjects and keywords as written in the rule, and the first match of each pattern, cut to 80 characters. Empty
    /// if only earlier messages count.
    pub matched: Vec<String>,
}

impl<'a> FromIterator<&'a DetectedContext> for Previous {
    fn from_iter<T: IntoIterator<Item = &'a DetectedContext>>(contexts: T) -> Self {
        contexts.into_iter().map(|found| (found.name.clone(), found.confidence)).collect()
    }
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRule {
    /// The weight is not finite, or not greater than 0.
    #[error("invalid weight {0} of `{1}`; expected a number greater than 0")]
    Weight(f64, String),
    /// The threshold is out of range.
    #[error("invalid threshold {0}; expected a number greater than 0 and at most 1")]
    Threshold(f64),
    /// The keyword contains no letters or digits.
    #[error("the keyword `{0}` contains no word; expected letters or digits")]
    Keyword(String),
    /// The pattern is not a valid regular expression.
    #[error("the pattern does not compile: {0}")]
    Pattern(#[from] regex::Error),
}

impl ContextRule {
    /// The default threshold: a single match of weight 1 reaches it.
    pub const THRESHOLD: f64 = 0.5;

    /// Creates a rule without keywords and patterns.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            subjects: Vec::new(),
            keywords: Vec::new(),
            patterns: Vec::new(),
            threshold: Self::THRESHOLD,
        }
    }

    /// The name of the context.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a word, or a phrase whose words follow each other. Inflection and case are ignored.
    ///
    /// # Errors
    /// If the weight is not finite and greater than 0, or the keyword has no letters and digits.
    pub fn keyword(mut self, text: &str, weight: f64) -> Result<Self, InvalidRule> {
        self.keywords.push(Keyword::new(text, weight)?);
        Ok(self)
    }

    /// Adds a word or phrase for what messages ask about.
    ///
    /// # Errors
    /// As [`Self::keyword`].
    pub fn subject(mut self, text: &str, weight: f64) -> Result<Self, InvalidRule> {
        self.subjects.push(Keyword::new(text, weight)?);
        Ok(self)
    }

    /// Adds a regular expression to search the message for, in linear time.
    ///
    /// # Errors
    /// If the weight is not finite and greater than 0, or the expression does not compile.
    pub fn pattern(mut self, expression: &str, weight: f64) -> Result<Self, InvalidRule> {
        self.patterns.push((Regex::new(expression)?, check_weight(weight, expression)?));
        Ok(self)
    }

    /// Sets the minimum confidence to detect the context.
    ///
    /// # Errors
    /// If the threshold is not greater than 0 and at most 1.
    pub fn threshold(self, threshold: f64) -> Result<Self, InvalidRule> {
        let fits = threshold > 0.0 && threshold <= 1.0;
        if fits { Ok(Self { threshold, ..self }) } else { Err(InvalidRule::Threshold(threshold)) }
    }

    /// Returns the context if its confidence reaches the threshold.
    pub(super) fn detect(
        &self,
        message: &Message<'_>,
        previous: &Previous,
    ) -> Option<DetectedContext> {
        let mut weight = previous.weight(&self.name);
        let mut matched = Vec::new();
        let subjects = self.subjects.iter().filter(|subject| message.asks_about(&subject.phrase));
        let keywords = self.keywords.iter().filter(|keyword| message.has(&keyword.phrase));
        for keyword in subjects.chain(keywords) {
            weight += keyword.weight;
            matched.push(keyword.text.clone());
        }
        for (pattern, pattern_weight) in &self.patterns {
            let Some(found) = pattern.find(message.text) else { continue };
            weight += pattern_weight;
            matched.push(found.as_str().trim().chars().take(MAX_MATCHED).collect());
        }
        let confidence = confidence(weight);
        let is_detected = confidence >= self.threshold;
        is_detected.then(|| DetectedContext { name: self.name.clone(), confidence, matched })
    }
}

fn check_weight(weight: f64, sign: &str) -> Result<f64, InvalidRule> {
    let fits = weight.is_finite() && weight > 0.0;
    if fits { Ok(weight) } else { Err(InvalidRule::Weight(weight, sign.to_owned())) }
}

/// `w / (1 + w)` in hundredths, the same on all machines. In this form, an infinite sum gives 1. The manifest
/// language uses the same formula to check thresholds.
fn confidence(weight: f64) -> f64 {
    (100.0 * (1.0 - 1.0 / (1.0 + weight))).round() / 100.0
}
