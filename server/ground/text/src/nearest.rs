//! Suggestions for `did_you_mean`: the names closest to one that does not exist.

/// Suggestions to return. More would not help.
const MOST: usize = 3;

/// Returns the names most similar to `wanted`, best first; empty if none is similar.
pub fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = fold(wanted);
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (similarity(&wanted, &fold(name)), name))
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    // Names that score far below the best do not help.
    let floor = scored.first().map_or(0.0, |best| best.0 - 0.1);
    scored.retain(|(score, _)| *score >= floor);
    scored.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// Normalizes case and the separators that people confuse.
fn fold(name: &str) -> String {
    name.chars()
        .map(
            |c| if matches!(c, '-' | '.' | ' ' | '/' | ':') { '_' } else { c.to_ascii_lowercase() },
        )
        .take(100)
        .collect()
}

fn similarity(a: &str, b: &str) -> f64 {
    // Ignore a common category: `vault_zzz` is not similar to `vault_list`.
    if let (Some((front, a)), Some((same, b))) = (a.split_once('_'), b.split_once('_'))
        && front == same
    {
        return similarity(a, b);
    }
    let edits = strsim::normalized_damerau_levenshtein(a, b);
    // `list_notes` is close to `vault_list`: shared words count, in any order.
    let words = |text: &str| text.split('_').filter(|w| w.len() > 2).map(str::to_owned).collect();
    let (left, right): (Vec<String>, Vec<String>) = (words(a), words(b));
    let shared = left.iter().filter(|word| right.contains(word)).count();
    let most = left.len().max(right.len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
    let overlap = shared as f64 / most as f64;
    edits.max(if shared == 0 { 0.0 } else { 0.55 + 0.4 * overlap })
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_typos_separators_and_shared_words() {
        let names = ["vault.read", "vault.write", "vault.bulk_delete", "web.fetch"];
        assert_eq!(closest("vault.raed", names)[0], "vault.read");
        assert_eq!(closest("vault_read", names)[0], "vault.read");
        assert_eq!(closest("Vault-Bulk-Delete", names)[0], "vault.bulk_delete");
        assert_eq!(closest("fetch_page", names)[0], "web.fetch");
        assert!(closest("zzz", names).is_empty());
        assert!(closest("vault.zzz", names).is_empty());
    }
}
