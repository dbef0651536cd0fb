//! Ranks texts by the words that they share with a request, as an agent without a search does.

use std::collections::BTreeSet;

/// Words that are in every text.
const COMMON: [&str; 24] = [
    "a", "all", "an", "and", "are", "at", "be", "by", "for", "from", "in", "is", "it", "its", "my",
    "of", "on", "one", "or", "some", "that", "the", "to", "which",
];

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).filter(|word| !COMMON.contains(&word.as_str()));
    words.map(|word| word.strip_suffix('s').map_or(word.clone(), str::to_owned)).collect()
}

/// Whether a text has most words of a request.
pub(crate) fn has_most(request: &str, text: &str) -> bool {
    let (wanted, has) = (words(request), words(text));
    2 * wanted.intersection(&has).count() > wanted.len()
}

/// The positions of the texts, the best first. A word counts the more the fewer texts have it; texts without any come last, in
/// their order.
pub(crate) fn rank(request: &str, texts: &[String]) -> Vec<usize> {
    let texts: Vec<BTreeSet<String>> = texts.iter().map(|text| words(text)).collect();
    let weight = |word: &String| {
        let having = texts.iter().filter(|text| text.contains(word)).count();
        (1.0 + number(texts.len()) / number(having.max(1))).ln()
    };
    let wanted = words(request);
    let score = |text: &BTreeSet<String>| wanted.intersection(text).map(weight).sum::<f64>();
    let scores: Vec<f64> = texts.iter().map(score).collect();
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}
