//! Ranks notes for words by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework:
//! BM25 and Beyond", 2009). A word of a title or heading counts several times.

use super::tokens::matches_word;
use super::words::{Entered, Posting, Words};
use crate::links::FileId;

const SATURATION: f32 = 1.2;
const LENGTH_NORMALISATION: f32 = 0.75;
/// The weight of a word that only starts with the requested one.
const PREFIX: f32 = 0.5;

impl Words {
    /// The scores of the notes that contain any of some folded words. A note with more of the words
    /// scores higher.
    pub(crate) fn scores(&self, asked: &[String]) -> Vec<(FileId, f32)> {
        let mut scores = vec![0_f32; self.entries.len()];
        let mut matched = vec![0_u16; self.entries.len()];
        for word in asked {
            self.add_scores(word, &mut scores, &mut matched);
        }
        let share = 1.0 / as_f32(asked.len());
        let notes = self.entries.iter().zip(scores).zip(matched);
        notes
            .filter(|(_, matched)| *matched > 0)
            .filter_map(|((entered, score), matched)| {
                Some((entered.file?, score * f32::from(matched) * share))
            })
            .collect()
    }

    fn add_scores(&self, asked: &str, scores: &mut [f32], matched: &mut [u16]) {
        let mut best = vec![0_f32; self.entries.len()];
        let mean = as_f32(self.live_length) / as_f32(self.live.max(1));
        for (word, postings) in self.postings.iter().filter(|(word, _)| matches_word(asked, word)) {
            let worth = if **word == *asked { 1.0 } else { PREFIX };
            for &Posting { entry, weight } in postings {
                let Entered { file, length } = self.entries[entry as usize];
                if file.is_some() {
                    let relative = as_f32(length) / mean.max(1.0);
                    let damping = 1.0 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * relative;
                    let weight = as_f32(weight);
                    let frequency = weight * (SATURATION + 1.0) / (weight + SATURATION * damping);
                    let best = &mut best[entry as usize];
                    *best = best.max(worth * frequency);
                }
            }
        }
        let holding = best.iter().filter(|&&best| best > 0.0).count();
        let (all, holding) = (as_f32(self.live), as_f32(holding));
        let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
        for ((best, score), matched) in best.into_iter().zip(scores).zip(matched) {
            if best > 0.0 {
                *score += best * rarity;
                *matched = matched.saturating_add(1);
            }
        }
    }
}

/// Counts are far below the precision of `f32` for ranking.
#[expect(clippy::cast_precision_loss, reason = "a score needs no more")]
fn as_f32(number: impl TryInto<u64>) -> f32 {
    number.try_into().unwrap_or(u64::MAX) as f32
}
