//! Configuration keys that exist only with a certain feature of the crate.

/// A feature and its keys.
struct Feature {
    name: &'static str,
    is_enabled: bool,
    keys: &'static [&'static str],
}

const ALL: [Feature; 5] = [
    Feature {
        name: "http",
        is_enabled: cfg!(feature = "http"),
        keys: &["http", "tokens", "allowed_host", "allowed_origin", "sessions", "drain_delay"],
    },
    Feature {
        name: "oauth",
        is_enabled: cfg!(feature = "oauth"),
        keys: &["oauth_issuer", "oauth_audience", "oauth_scope", "oauth_jwks", "oauth_client"],
    },
    Feature { name: "chat", is_enabled: cfg!(feature = "chat"), keys: &["models", "chat"] },
    Feature {
        name: "upstreams",
        is_enabled: cfg!(feature = "upstreams"),
        keys: &["upstreams", "roles"],
    },
    Feature {
        name: "postgres",
        is_enabled: cfg!(feature = "postgres"),
        keys: &["state", "replica", "keys"],
    },
];

/// Returns the feature that this program would need for a key. `None` if no feature adds the key.
pub(super) fn feature_of(key: &str) -> Option<&'static str> {
    let mut missing = ALL.iter().filter(|feature| !feature.is_enabled);
    missing.find(|feature| feature.keys.contains(&key)).map(|feature| feature.name)
}

#[cfg(test)]
#[cfg(feature = "oauth")]
mod tests {
    use clap::{Args, Command};

    use super::ALL;
    use crate::commands::serve::HttpFlags;
    use crate::config::key;
    use crate::flags::oauth::OauthFlags;

    #[test]
    fn every_flag_of_a_feature_is_a_key() {
        let flags = [
            ("http", HttpFlags::augment_args(Command::new("serve"))),
            ("oauth", OauthFlags::augment_args(Command::new("serve"))),
        ];
        for (feature, (name, command)) in ALL.iter().zip(flags) {
            let keys: Vec<String> = command.get_arguments().map(key).collect();
            assert_eq!((feature.name, feature.keys.join(" ")), (name, keys.join(" ")));
        }
    }
}

#[cfg(test)]
#[cfg(not(feature = "http"))]
mod tests {
    use super::feature_of;

    #[test]
    fn a_key_of_a_missing_feature_names_it() {
        assert_eq!(feature_of("allowed_host"), Some("http"));
        assert_eq!(feature_of("oauth_issuer"), Some("oauth"));
        assert_eq!(feature_of("focus"), None);
    }
}
