//! Names that are similar to one that does not exist.

/// Most names suggested.
const MOST: usize = 3;
/// Least similarity (Jaro-Winkler).
const SIMILAR: f64 = 0.8;

/// The most similar names, best first; empty if none is similar.
pub(crate) fn find_similar<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let comparable = |name: &str| {
        name.chars().take(100).collect::<String>().to_lowercase().replace(['-', ' '], "_")
    };
    let wanted = comparable(wanted);
    let scored =
        names.into_iter().map(|name| (strsim::jaro_winkler(&wanted, &comparable(name)), name));
    let mut scored: Vec<_> = scored.filter(|(score, _)| *score >= SIMILAR).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup();
    scored.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}
