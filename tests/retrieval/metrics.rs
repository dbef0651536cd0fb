//! The quality of rankings: means over queries, in percent.

use crate::data::Gold;

/// How many tools of a ranking are scored.
const DEPTH: usize = 5;

/// Sums over queries.
#[derive(Default)]
pub(crate) struct Scores {
    queries: f64,
    hits: f64,
    recalls: f64,
    reciprocal_ranks: f64,
    gains: f64,
}

impl Scores {
    pub(crate) fn add(&mut self, ranking: &[&str], gold: &[Gold]) {
        let worth = |id: &str| gold.iter().find(|gold| gold.id == id).map(|gold| gold.rel);
        let right: Vec<bool> = ranking.iter().map(|id| worth(id).is_some()).collect();
        let found = right.iter().take(DEPTH).filter(|right| **right).count();
        self.queries += 1.0;
        self.hits += f64::from(u8::from(right.first() == Some(&true)));
        self.recalls += number(found) / number(gold.len());
        let first = right.iter().position(|right| *right);
        self.reciprocal_ranks += first.map_or(0.0, |at| 1.0 / number(at + 1));
        let mut ideal: Vec<f64> = gold.iter().map(|gold| gold.rel).collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let best = discounted(ideal.into_iter());
        let got = discounted(ranking.iter().map(|id| worth(id).unwrap_or_default()));
        self.gains += if best > 0.0 { got / best } else { 0.0 };
    }

    /// Queries with the right tool first.
    pub(crate) fn hit(&self) -> f64 {
        self.mean(self.hits)
    }

    /// Right tools among the first five.
    pub(crate) fn recall(&self) -> f64 {
        self.mean(self.recalls)
    }

    /// The reciprocal rank of the first right tool.
    pub(crate) fn reciprocal_rank(&self) -> f64 {
        self.mean(self.reciprocal_ranks)
    }

    /// Normalised discounted cumulative gain of the first five.
    pub(crate) fn gain(&self) -> f64 {
        self.mean(self.gains)
    }

    fn mean(&self, sum: f64) -> f64 {
        if self.queries > 0.0 { (sum / self.queries * 10_000.0).round() / 100.0 } else { 0.0 }
    }
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains.take(DEPTH).enumerate().map(|(at, gain)| gain / number(at + 2).log2()).sum()
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools")]
fn number(count: usize) -> f64 {
    count as f64
}
