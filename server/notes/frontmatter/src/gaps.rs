//! Where two lists differ.

use std::ops::Range;

use serde_json::Value;

use crate::node::Node;

/// Most pairs of items that are compared; longer lists keep only their common start and end.
const MOST_PAIRS: usize = 1_000_000;

/// A stretch in which two lists differ: the positions in each.
pub(super) struct Gap {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The stretches between the items that two lists have in common, in order. As many items as possible are common.
pub(super) fn find_gaps(items: &[Node], new: &[Value]) -> Vec<Gap> {
    let old: Vec<Value> = items.iter().map(Node::to_value).collect();
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let common = find_common(&old[start..old_end], &new[start..new_end]);
    let common = common.into_iter().map(|(old, new)| (start + old, start + new));
    let mut gaps = Vec::new();
    let (mut old_at, mut new_at) = (start, start);
    for (old, new) in common.chain([(old_end, new_end)]) {
        if old > old_at || new > new_at {
            gaps.push(Gap { old: old_at..old, new: new_at..new });
        }
        (old_at, new_at) = (old + 1, new + 1);
    }
    gaps
}

/// The positions of a longest sequence of items that are in both lists.
fn find_common(old: &[Value], new: &[Value]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return Vec::new();
    }
    // How many items the rests of both lists have in common, by where they begin.
    let mut lengths = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for (row, item) in old.iter().enumerate().rev() {
        for (column, value) in new.iter().enumerate().rev() {
            lengths[row][column] = if item == value {
                lengths[row + 1][column + 1] + 1
            } else {
                lengths[row + 1][column].max(lengths[row][column + 1])
            };
        }
    }
    let mut common = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < old.len() && column < new.len() {
        if old[row] == new[column] {
            common.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[row + 1][column] >= lengths[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    common
}
