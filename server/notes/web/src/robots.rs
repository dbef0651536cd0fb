//! What a site allows programs to fetch: robots.txt, RFC 9309.

use std::borrow::Cow;
use std::fmt::Write as _;

use toolwrit_text::wildcard;

/// The name by which a site addresses us in its robots.txt.
pub(crate) const PRODUCT: &str = "toolwrit";
/// Size limit of a robots.txt, in bytes. RFC 9309 requires at least 500 KiB; the rest is ignored.
pub(crate) const MAX_BYTES: u64 = 512 * 1024;

/// The rules of a site for us. Without rules everything is allowed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Robots(Vec<Rule>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    /// With `*` for any text, and `$` at the end for the end of the path.
    pattern: String,
}

impl Robots {
    /// Reads the groups that name us, otherwise the groups for everyone.
    pub(crate) fn parse(text: &str) -> Self {
        let (mut for_us, mut for_all) = (None, Vec::new());
        let (mut names_us, mut names_all) = (false, false);
        let mut in_rules = false;
        for line in text.split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if std::mem::take(&mut in_rules) {
                        (names_us, names_all) = (false, false);
                    }
                    names_all |= value == "*";
                    if product_token(value).eq_ignore_ascii_case(PRODUCT) {
                        names_us = true;
                        for_us.get_or_insert_with(Vec::new);
                    }
                }
                "allow" | "disallow" => {
                    in_rules = true;
                    let rule =
                        Rule { allows: key == "allow", pattern: normalize(value).into_owned() };
                    if rule.pattern.is_empty() {
                        continue;
                    }
                    if names_all {
                        for_all.push(rule.clone());
                    }
                    if names_us && let Some(rules) = &mut for_us {
                        rules.push(rule);
                    }
                }
                _ => {}
            }
        }
        Self(for_us.unwrap_or(for_all))
    }

    /// Whether we may fetch a path with its query. The longest rule decides; of equally long ones, the one
    /// that allows.
    pub(crate) fn allows(&self, path: &str) -> bool {
        let path = normalize(path);
        let matching = self.0.iter().filter(|rule| matches_pattern(&rule.pattern, &path));
        let longest = matching.max_by_key(|rule| (rule.pattern.len(), rule.allows));
        longest.is_none_or(|rule| rule.allows)
    }
}

/// The product token at the start of a user agent.
fn product_token(agent: &str) -> &str {
    let end = agent.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')));
    &agent[..end.unwrap_or(agent.len())]
}

/// Whether a path starts with what a pattern describes.
fn matches_pattern(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('$') {
        Some(whole) => wildcard::matches(whole, path),
        None => wildcard::matches(&format!("{pattern}*"), path),
    }
}

/// One spelling of each path: characters outside ASCII are encoded, unreserved ones are decoded.
fn normalize(path: &str) -> Cow<'_, str> {
    if path.is_ascii() && !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut normal = String::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let encoded = (byte == b'%').then(|| parse_hex(bytes.clone())).flatten();
        if encoded.is_some() {
            bytes.nth(1);
        }
        match encoded {
            Some(byte) if is_unreserved(byte) => normal.push(char::from(byte)),
            None if byte.is_ascii() => normal.push(char::from(byte)),
            _ => {
                // Writing to a string never fails.
                let _ = write!(normal, "%{:02X}", encoded.unwrap_or(byte));
            }
        }
    }
    Cow::Owned(normal)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// The value of the two hexadecimal digits that come next.
fn parse_hex(bytes: impl Iterator<Item = u8>) -> Option<u8> {
    let mut digits = bytes.map_while(|byte| u8::try_from(char::from(byte).to_digit(16)?).ok());
    Some(digits.next()? << 4 | digits.next()?)
}

#[cfg(test)]
mod tests {
    use super::Robots;

    fn is_allowed(robots: &str, path: &str) -> bool {
        Robots::parse(robots).allows(path)
    }

    #[test]
    fn the_longest_rule_decides_and_allows_in_doubt() {
        let robots = "User-agent: *\nDisallow: /\nAllow: /public\nDisallow: /public/not\n";
        assert!(!is_allowed(robots, "/x"));
        assert!(is_allowed(robots, "/public/x?y"));
        assert!(!is_allowed(robots, "/public/not/x"));
        assert!(is_allowed("user-agent:*\nallow: /a\ndisallow: /a", "/a"));
        assert!(is_allowed("User-agent: *\nDisallow:\n", "/x"));
        assert!(is_allowed("", "/x"));
        assert!(is_allowed("\u{0}garbage\n\nDisallow: /\n", "/x"));
    }

    #[test]
    fn a_group_for_us_replaces_those_for_everyone() {
        let robots = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /all\n\n\
                      User-Agent: Toolwrit/1.0\nUser-agent: another\nDisallow: /own # why\n\
                      user-agent: toolwrit\ndisallow: /more\n";
        assert!(!is_allowed(robots, "/own"));
        assert!(!is_allowed(robots, "/more"));
        assert!(is_allowed(robots, "/all"));
        assert!(is_allowed("User-agent: *\nDisallow: /\n\nUser-agent: toolwrit\nDisallow:\n", "/"));
        assert!(!is_allowed("User-agent: toolwritten\nAllow: /\nUser-agent: *\nDisallow: /", "/"));
    }

    #[test]
    fn wildcards_and_the_end_are_matched() {
        let disallowed = |pattern: &str, path: &str| {
            !is_allowed(&format!("User-agent: *\nDisallow: {pattern}"), path)
        };
        assert!(disallowed("/*.pdf$", "/a/b.pdf"));
        assert!(!disallowed("/*.pdf$", "/a/b.pdf?x"));
        assert!(disallowed("/a*b*c", "/a--b--cd"));
        assert!(!disallowed("/a*b*c", "/a--c--b"));
        assert!(disallowed("/a$", "/a"));
        assert!(!disallowed("/a$", "/ab"));
        assert!(disallowed("*", "/"));
        assert!(disallowed("/caf\u{e9}", "/caf%c3%a9"));
        assert!(disallowed("/%7euser", "/~user"));
        assert!(!disallowed("/a%2fb", "/a/b"));
        assert!(disallowed("/*aa$", "/aaa"));
    }

    #[test]
    fn hostile_patterns_end_soon() {
        let pattern = "*a".repeat(200_000);
        let path = format!("/{}", "a".repeat(2000));
        assert!(is_allowed(&format!("User-agent: *\nDisallow: {pattern}b"), &path));
    }
}
