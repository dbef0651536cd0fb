//! Combines two scores that have no common unit.

/// The weight of the word score; that of the meaning score is the rest.
const WORDS: f32 = 0.45;
/// The minimum deviation. If scores hardly differ, their deviation must not amplify the difference.
const LEAST_DEVIATION: f32 = 1e-6;

/// The weighted sum of both scores, each in standard deviations from its mean.
pub(crate) fn fuse(words: &[f32], meaning: &[f32]) -> Vec<f32> {
    let pairs = standardize(words).zip(standardize(meaning));
    pairs.map(|(words, meaning)| WORDS * words + (1.0 - WORDS) * meaning).collect()
}

fn standardize(scores: &[f32]) -> impl Iterator<Item = f32> {
    #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
    let number = scores.len().max(1) as f32;
    let mean = scores.iter().sum::<f32>() / number;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f32>() / number;
    let deviation = variance.sqrt().max(LEAST_DEVIATION);
    scores.iter().map(move |score| (score - mean) / deviation)
}
