//! The files of a manifest with absolute paths, so that cargo rebuilds if one changes or is removed.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::Sources;

/// A YAML file, with the path in the binary and the path that the compiler opens.
#[derive(Debug)]
pub(crate) struct Tracked {
    name: String,
    absolute: String,
}

impl Tracked {
    /// Lists the files of a manifest, the root first. Relative paths are joined to the directory.
    pub(crate) fn all(sources: &Sources, directory: &Path) -> Vec<Self> {
        let paths: Vec<_> = sources.iter().map(|source| Path::new(&source.path)).collect();
        let home = paths.first().and_then(|root| root.parent()).unwrap_or(Path::new(""));
        let tracked = |path: &&Path| Self {
            name: text(path.strip_prefix(home).unwrap_or(path)),
            absolute: text(&directory.join(path)),
        };
        paths.iter().map(tracked).collect()
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

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
