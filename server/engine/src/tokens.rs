//! What text costs a model, in o200k tokens.

/// A quick estimate that errs on the high side: JSON of tool listings runs at 4 to 5 bytes a token.
pub(crate) fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The real count; none without the features `authoring` and `client`, which bring the vocabulary. Loading it takes
/// a noticeable moment, once.
#[cfg(any(feature = "authoring", feature = "client"))]
#[expect(clippy::unnecessary_wraps, reason = "there is none without the features")]
pub(crate) fn count(text: &str) -> Option<usize> {
    Some(tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len())
}

/// See above.
#[cfg(not(any(feature = "authoring", feature = "client")))]
pub(crate) fn count(_: &str) -> Option<usize> {
    None
}

#[cfg(feature = "authoring")]
pub(crate) use measured::{Face, face, faces};

/// The cost of each surface.
#[cfg(feature = "authoring")]
mod measured {
    use crate::policy::Policy;
    use crate::surface::{Kind, Profile, Split, Surface};

    /// The cost of one surface under one focus mode.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Face {
        pub(crate) kind: Kind,
        /// `None` where the surface does not split.
        pub(crate) split: Option<Split>,
        pub(crate) focus: &'static str,
        /// Tools in `tools/list`.
        pub(crate) tools: usize,
        /// Bytes of the array of tools, as compact JSON.
        pub(crate) bytes: usize,
        /// The same in o200k tokens.
        pub(crate) tokens: usize,
    }

    impl Face {
        /// `effect` or `none`; empty where the surface does not split.
        pub(crate) fn split_name(&self) -> &'static str {
            self.split.map_or("", Split::as_str)
        }
    }

    const KINDS: [(Kind, Option<Split>); 5] = [
        (Kind::Flat, None),
        (Kind::Dispatch, Some(Split::Effect)),
        (Kind::Dispatch, Some(Split::None)),
        (Kind::Meta, Some(Split::Effect)),
        (Kind::Meta, Some(Split::None)),
    ];

    /// Measures every surface under every focus mode, with the policy's role and other restrictions.
    pub(crate) fn faces(policy: &Policy) -> impl Iterator<Item = Face> {
        let modes = (0..policy.authority.focus.len()).map(|focus| policy.under_focus(focus));
        modes.flat_map(|policy| KINDS.map(|(kind, split)| face(&policy, kind, split)))
    }

    /// Measures one surface under the policy's own focus mode.
    pub(crate) fn face(policy: &Policy, kind: Kind, split: Option<Split>) -> Face {
        let surface = Surface::build(policy, kind, split.unwrap_or_default(), Profile::Portable);
        let listing = surface.listing(policy);
        Face {
            kind,
            split,
            focus: policy.focus(),
            tools: listing.cards().len(),
            bytes: listing.to_json().to_string().len(),
            tokens: listing.tokens().unwrap_or_default(),
        }
    }
}
