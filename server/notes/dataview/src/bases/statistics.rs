//! Statistics of numbers, for functions of lists and for summaries.

use crate::value::Value;

/// The numbers in a list. Other values do not count.
pub(super) fn numbers_in(values: &[Value]) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        _ => None,
    };
    values.iter().filter_map(number).collect()
}

/// The average of at least one number.
#[expect(clippy::cast_precision_loss, reason = "lists are shorter than 2^53")]
pub(super) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The middle of at least one number, or the average of both in the middle.
pub(super) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let is_odd = !sorted.len().is_multiple_of(2);
    if is_odd { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// The standard deviation of at least one number, which are all that there are.
pub(super) fn standard_deviation(numbers: &[f64]) -> f64 {
    let average = mean(numbers);
    let squares: Vec<f64> = numbers.iter().map(|number| (number - average).powi(2)).collect();
    mean(&squares).sqrt()
}
