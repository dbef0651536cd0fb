//! Static embeddings of words and pieces of words. `model/README.md` describes their origin.

/// The number of dimensions of an embedding.
pub(crate) const DIMENSIONS: usize = 128;
/// The number of words and pieces.
pub(crate) const ROWS: usize = 27_623;

/// One word or piece (`##ing`) per line, sorted by bytes.
static WORDS: &str = include_str!("../model/words.txt");
/// A row of values for each word. Multiplied by the row's scale, it is the embedding.
static VALUES: &[u8; ROWS * DIMENSIONS] = include_bytes!("../model/values.i8");
/// A little-endian `f32` for each row.
static SCALES: &[u8; ROWS * 4] = include_bytes!("../model/scales.f32");
/// The length of the longest line of [`WORDS`], in bytes.
const LONGEST: usize = longest();
/// The offset of each line of [`WORDS`].
static STARTS: [u32; ROWS + 1] = starts();

#[expect(clippy::large_stack_arrays, reason = "it is on the compiler's stack")]
#[expect(clippy::cast_possible_truncation, reason = "the words fit a megabyte")]
const fn starts() -> [u32; ROWS + 1] {
    let bytes = WORDS.as_bytes();
    let mut starts = [0; ROWS + 1];
    let mut row = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            row += 1;
            starts[row] = at as u32 + 1;
        }
        at += 1;
    }
    assert!(row == ROWS, "a line for each row");
    starts
}

const fn longest() -> usize {
    let starts = starts();
    let mut longest = 0;
    let mut row = 0;
    while row < ROWS {
        let length = (starts[row + 1] - starts[row]) as usize - 1;
        if length > longest {
            longest = length;
        }
        row += 1;
    }
    longest
}

/// The position of a word or piece in the model.
pub(crate) type Row = u16;

/// An embedding, or a weighted sum of some.
pub(crate) type Vector = [f32; DIMENSIONS];

/// Splits a word into its longest known pieces, from left to right: greedy uncased `WordPiece`. Empty if the
/// model does not cover the word.
pub(crate) fn pieces(word: &str) -> Vec<Row> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        // No piece is longer than `LONGEST`, so limit the search: the time stays linear in the word's length.
        let front = &rest[..rest.floor_char_boundary(LONGEST)];
        let mut ends = front.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let continued = !pieces.is_empty();
        let longest = ends.find_map(|end| Some((end, row(&rest[..end], continued)?)));
        let Some((end, row)) = longest else { return Vec::new() };
        pieces.push(row);
        rest = &rest[end..];
    }
    pieces
}

fn row(word: &str, continued: bool) -> Option<Row> {
    let mut low = 0;
    let mut high = ROWS;
    while low < high {
        let middle = low.midpoint(high);
        let line = line(middle);
        let order = if continued {
            line.bytes().cmp("##".bytes().chain(word.bytes()))
        } else {
            line.cmp(word)
        };
        match order {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Row::try_from(middle).ok(),
        }
    }
    None
}

fn line(row: usize) -> &'static str {
    &WORDS[STARTS[row] as usize..STARTS[row + 1] as usize - 1]
}

/// Adds a row's embedding, multiplied by a weight.
pub(crate) fn add(row: Row, weight: f32, sum: &mut Vector) {
    let row = usize::from(row);
    let mut scale = [0; 4];
    scale.copy_from_slice(&SCALES[row * 4..row * 4 + 4]);
    let factor = f32::from_le_bytes(scale) * weight;
    let values = &VALUES[row * DIMENSIONS..(row + 1) * DIMENSIONS];
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += factor * f32::from(value.cast_signed());
    }
}

/// Whether the model has a word as a whole.
pub(crate) fn is_word(word: &str) -> bool {
    row(word, false).is_some()
}

/// The length of the sum of embeddings, which is great for rare words.
pub(crate) fn length(rows: &[Row]) -> f32 {
    let mut sum = [0.0; DIMENSIONS];
    for row in rows {
        add(*row, 1.0, &mut sum);
    }
    dot(&sum, &sum).sqrt()
}

/// Scales a vector to length one; a zero vector stays zero.
pub(crate) fn normalize(mut vector: Vector) -> Vector {
    let length = dot(&vector, &vector).sqrt();
    if length > 0.0 {
        for value in &mut vector {
            *value /= length;
        }
    }
    vector
}

/// The dot product. Eight partial sums let the compiler use SIMD instructions.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, add, dot, line, normalize, pieces};

    fn vector(word: &str) -> super::Vector {
        let mut sum = [0.0; DIMENSIONS];
        for row in pieces(word) {
            add(row, 1.0, &mut sum);
        }
        normalize(sum)
    }

    #[test]
    fn words_are_split_into_the_longest_pieces() {
        let texts = |word| pieces(word).into_iter().map(|row| line(row.into())).collect::<Vec<_>>();
        assert_eq!(texts("note"), ["note"]);
        assert_eq!(texts("kubernetes"), ["ku", "##ber", "##net", "##es"]);
        assert!(texts("日本語々").is_empty());
        assert!(texts("").is_empty());
    }

    #[test]
    fn words_of_similar_meaning_are_near() {
        let near = |a, b| dot(&vector(a), &vector(b));
        assert!(near("delete", "remove") > 0.4);
        assert!(near("delete", "remove") > 2.0 * near("delete", "weather"));
    }
}
