//! Counts the tokens that a text has for a language model, with the vocabulary o200k of [tiktoken].
//!
//! [tiktoken]: https://github.com/openai/tiktoken
#![warn(missing_docs)]

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR, Rank};

/// Each token as its length and its bytes, in the order of their ranks, compressed.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base"));

/// The vocabulary, unpacked at the first count. It has no special tokens, because nobody may write them.
static VOCABULARY: LazyLock<CoreBPE> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the build script has packed it, and a test counts with it"
    )]
    let bytes = miniz_oxide::inflate::decompress_to_vec(PACKED).expect("the vocabulary is whole");
    #[expect(clippy::expect_used, reason = "the pattern is that of the crate")]
    CoreBPE::new(ranks(&bytes), FxHashMap::default(), O200K_BASE_PAT_STR)
        .expect("the pattern is valid")
});

/// Returns the number of tokens. The first call unpacks the vocabulary, which takes a noticeable moment.
pub fn count(text: &str) -> usize {
    VOCABULARY.encode_ordinary(text).len()
}

fn ranks(mut bytes: &[u8]) -> FxHashMap<Vec<u8>, Rank> {
    let mut ranks = FxHashMap::default();
    let mut rank = 0;
    while let Some((length, rest)) = bytes.split_first() {
        let Some((token, rest)) = rest.split_at_checked(usize::from(*length)) else { break };
        ranks.insert(token.to_vec(), rank);
        (bytes, rank) = (rest, rank + 1);
    }
    ranks
}
