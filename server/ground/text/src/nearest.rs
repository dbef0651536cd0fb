//! Names that somebody may have meant: the similarity of two names, and the closest ones for `did_you_mean`.

/// Suggestions to return. More would not help.
const MOST: usize = 3;
/// Least similarity of a name that may be meant.
const SIMILAR: f64 = 0.6;
/// Names that score this much below the best one do not help.
const DISTANCE: f64 = 0.1;
/// Characters of a name that are compared.
const COMPARED: usize = 100;

/// Returns the names most similar to `wanted`, best first; empty if none is similar.
pub fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = fold(wanted);
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (compare(&wanted, &fold(name)), name))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    let floor = scored.first().map_or(0.0, |best| best.0 - DISTANCE);
    scored.retain(|(score, _)| *score >= floor);
    scored.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the name most similar to `wanted`, if one is similar.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = fold(wanted);
    names
        .into_iter()
        .map(|name| (compare(&wanted, &fold(name)), name))
        .filter(|(score, _)| *score >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, name)| name)
}

/// Returns this many of the names, the most similar to `wanted` first, however little they have in common with it.
pub fn most_similar<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let wanted = fold(wanted);
    let compared = names.into_iter().map(|name| (compare(&wanted, &fold(name)), name));
    let mut scored: Vec<(f64, &str)> = compared.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

/// Returns whether one name may be a misspelling of the other, or is the same.
pub fn is_similar(a: &str, b: &str) -> bool {
    similarity(a, b) >= SIMILAR
}

/// Returns how similar two names are: from 0, for nothing in common, to 1. Case and separators do not count.
pub fn similarity(a: &str, b: &str) -> f64 {
    compare(&fold(a), &fold(b))
}

/// Normalizes case and the separators that people confuse.
fn fold(name: &str) -> String {
    name.chars()
        .take(COMPARED)
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '-' | '.' | ' ' | '/' | ':') { '_' } else { c })
        .collect()
}

/// Compares two folded names.
fn compare(a: &str, b: &str) -> f64 {
    // Ignore a common category: `vault_zzz` is not similar to `vault_list`.
    if let (Some((front, a)), Some((same, b))) = (a.split_once('_'), b.split_once('_'))
        && front == same
    {
        return compare(a, b);
    }
    let edits = strsim::normalized_damerau_levenshtein(a, b);
    // `rev` is meant for `revision`: a common start counts. The measure is high for names that have little in common.
    let start = strsim::jaro_winkler(a, b) - 0.25;
    // `list_notes` is close to `vault_list`: shared words count, in any order.
    let words = |text: &str| text.split('_').filter(|w| w.len() > 2).map(str::to_owned).collect();
    let (left, right): (Vec<String>, Vec<String>) = (words(a), words(b));
    let shared = left.iter().filter(|word| right.contains(word)).count();
    let most = left.len().max(right.len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let overlap = shared as f64 / most as f64;
    edits.max(start).max(if shared == 0 { 0.0 } else { 0.55 + 0.4 * overlap })
}

#[cfg(test)]
mod tests {
    use super::{closest, nearest};

    #[test]
    fn finds_typos_separators_and_shared_words() {
        let names = ["vault.read", "vault.write", "vault.bulk_delete", "web.fetch"];
        assert_eq!(closest("vault.raed", names)[0], "vault.read");
        assert_eq!(closest("vault_read", names)[0], "vault.read");
        assert_eq!(closest("Vault-Bulk-Delete", names)[0], "vault.bulk_delete");
        assert_eq!(closest("fetch_page", names)[0], "web.fetch");
        assert!(closest("zzz", names).is_empty());
        assert!(closest("vault.zzz", names).is_empty());
        assert_eq!(nearest("VAULT raed", names), Some("vault.read"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest("rev", ["revision", "order"]), Some("revision"));
    }
}
