//! The files of a manifest with absolute paths, so that cargo rebuilds if one changes or is removed.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{Source, Sources};

/// A YAML file, with the path in the binary and the path that the compiler opens.
#[derive(Debug)]
pub(crate) struct Tracked {
    name: String,
    absolute: String,
}

impl Tracked {
    /// Lists the files of a manifest, the root first. Relative paths are joined to the directory.
    pub(crate) fn all(sources: &Sources, directory: &Path) -> Vec<Self> {
        let tracked = |(name, source): (&str, &Source)| Self {
            name: name.to_owned(),
            absolute: directory.join(&source.path).to_string_lossy().into_owned(),
        };
        sources.beside_root().map(tracked).collect()
    }

    /// A row of the table of sources. Naming the file makes cargo track it.
    pub(crate) fn source(&self) -> TokenStream {
        let Self { name, absolute } = self;
        quote! {
            Source { path: #name, text: ::std::include_str!(#absolute) }
        }
    }

    /// Tracks the file without using its text.
    pub(crate) fn mention(&self) -> TokenStream {
        let absolute = &self.absolute;
        quote!(
            const _: &[u8] = ::std::include_bytes!(#absolute);
        )
    }
}
