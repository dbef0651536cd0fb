//! The contexts of earlier messages.

use std::collections::BTreeMap;
use std::str::FromStr;

/// The contexts of an earlier message with their confidence. Half of each context's weight counts again, at
/// most [`Previous::MOST`], so that contexts fade with each message.
///
/// The text form is `tickets:0.67,notes:0.5`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Previous(BTreeMap<String, f64>);

/// A text that is not a list of contexts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a context; expected its name and its confidence, from 0 to 1, such as \
     tickets:0.67"
)]
pub struct InvalidPrevious(String);

impl Previous {
    /// The maximum weight of an earlier context: that of one keyword of weight 1.
    pub const MOST: f64 = 1.0;

    /// The contexts, by name, with their confidence.
    pub fn by_name(&self) -> &BTreeMap<String, f64> {
        &self.0
    }

    /// The weight that earlier messages add to a context.
    pub(super) fn weight(&self, name: &str) -> f64 {
        let confidence = self.0.get(name).copied().unwrap_or_default();
        // The inverse of the confidence w / (1 + w), halved.
        (confidence / (1.0 - confidence) / 2.0).min(Self::MOST)
    }
}

/// Clamps confidences to the range from 0 to 1.
impl FromIterator<(String, f64)> for Previous {
    fn from_iter<T: IntoIterator<Item = (String, f64)>>(contexts: T) -> Self {
        let clamp = |confidence: f64| if confidence > 0.0 { confidence.min(1.0) } else { 0.0 };
        Self(contexts.into_iter().map(|(name, confidence)| (name, clamp(confidence))).collect())
    }
}

impl FromStr for Previous {
    type Err = InvalidPrevious;

    fn from_str(text: &str) -> Result<Self, InvalidPrevious> {
        let one = |text: &str| {
            let (name, confidence) = text.rsplit_once(':')?;
            let confidence: f64 = confidence.trim().parse().ok()?;
            (0.0..=1.0).contains(&confidence).then(|| (name.trim().to_owned(), confidence))
        };
        let all = text.split(',').filter(|part| !part.trim().is_empty());
        all.map(|part| {
            let shown = || InvalidPrevious(part.chars().take(100).collect());
            one(part).ok_or_else(shown)
        })
        .collect()
    }
}

impl<'de> serde::Deserialize<'de> for Previous {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
