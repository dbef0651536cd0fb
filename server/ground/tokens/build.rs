//! Writes the vocabulary of `tiktoken-rs` in a smaller form: the program has a third of the bytes of the text that the crate
//! embeds.

use std::error::Error;
use std::path::PathBuf;

/// The slowest level, which is the smallest.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let vocabulary = tiktoken_rs::o200k_base()?;
    let mut bytes = Vec::new();
    for rank in 0.. {
        // The ranks of ordinary tokens have no gap.
        let Ok(token) = vocabulary.decode_bytes(&[rank]) else { break };
        bytes.push(u8::try_from(token.len())?);
        bytes.extend(token);
    }
    let packed = miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL);
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    Ok(std::fs::write(folder.join("o200k_base"), packed)?)
}
