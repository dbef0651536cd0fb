//! The files of a manifest with absolute paths, so that cargo rebuilds if one changes or is removed.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{Source, Sources};

/// A YAML file, by the path that the compiler opens.
#[derive(Debug)]
pub(crate) struct Tracked {
    absolute: String,
}

impl Tracked {
    /// Lists the files of a manifest, the root first. Relative paths are joined to the directory.
    pub(crate) fn all(sources: &Sources, directory: &Path) -> Vec<Self> {
        let tracked = |(_, source): (&str, &Source)| Self {
            absolute: directory.join(&source.path).to_string_lossy().into_owned(),
        };
        sources.beside_root().map(tracked).collect()
    }

    /// Names the file, so that cargo tracks it. Its text is among the rows.
    pub(crate) fn mention(&self) -> TokenStream {
        let absolute = &self.absolute;
        quote!(
            const _: &[u8] = ::std::include_bytes!(#absolute);
        )
    }
}
