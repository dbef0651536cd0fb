//! Secrets of the operator, which no text of another program may repeat.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// What a text has in place of a secret.
const MASK: &str = "***";
/// Bytes of the shortest secret that is masked. A shorter one is a part of ordinary words, which would tell it.
const SHORTEST: usize = 8;
/// Bytes of the shortest secret of letters alone, which may be an ordinary word: `postgres`.
const SHORTEST_OF_LETTERS: usize = 16;
/// Secrets that are known at a time. Tokens that are issued again and again replace the oldest ones.
const MOST: usize = 64;
/// The characters that percent encoding leaves as they are.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// How the last word of the name of a header, a variable or a parameter ends if its value is a secret.
const NAMES: [&str; 8] =
    ["apikey", "authorization", "cookie", "passphrase", "passwd", "password", "secret", "token"];

/// Secrets that are masked in texts of another program, also in the forms in which such a program repeats them: in Base64,
/// percent-encoded, and escaped as in JSON. All clones know the same secrets.
///
/// A secret of fewer than 8 bytes, or of fewer than 16 if it has letters only, is not masked.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    secrets: Vec<SecretString>,
    /// Finds all forms of all secrets; `None` without any.
    forms: Option<AhoCorasick>,
}

impl Secrets {
    /// Secrets that are masked from the beginning.
    pub fn from_secrets<'a>(secrets: impl IntoIterator<Item = &'a SecretString>) -> Self {
        let all = Self::default();
        secrets.into_iter().for_each(|secret| all.add(secret));
        all
    }

    /// Masks one more secret.
    pub fn add(&self, secret: &SecretString) {
        let text = secret.expose_secret();
        if !is_masked(text)
            || self.known().secrets.iter().any(|known| known.expose_secret() == text)
        {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.secrets.len() >= MOST {
            known.secrets.remove(0);
        }
        known.secrets.push(secret.clone());
        let all = known.secrets.iter().flat_map(|secret| forms(secret.expose_secret()));
        // Fails if the forms take gigabytes.
        known.forms = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(all).ok();
    }

    /// Masks the secrets of another one, too.
    pub fn add_all(&self, other: &Self) {
        let others = other.known().secrets.clone();
        for secret in &others {
            self.add(secret);
        }
    }

    /// Masks the value of a header. If it has a scheme, what follows is the secret: a token, or a user and a password.
    pub fn add_header(&self, value: &SecretString) {
        let pair = value.expose_secret().split_once(' ').filter(|(scheme, rest)| {
            scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) && !rest.contains(' ')
        });
        let Some((scheme, rest)) = pair else { return self.add(value) };
        self.add(&rest.into());
        let is_basic = scheme.eq_ignore_ascii_case("basic");
        let decoded = BASE64_STANDARD_NO_PAD.decode(rest.trim_end_matches('=')).ok();
        let pair = decoded.filter(|_| is_basic).and_then(|pair| String::from_utf8(pair).ok());
        if let Some((_, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) {
            self.add(&password.into());
        }
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.known().forms.is_none()
    }

    /// Whether a text contains one of them.
    pub fn are_in(&self, text: &[u8]) -> bool {
        self.known().forms.as_ref().is_some_and(|forms| forms.is_match(text))
    }

    /// Masks them in a text.
    pub fn mask(&self, text: &str) -> String {
        self.known().mask(text)
    }

    /// Masks them in all texts of a value, also in keys.
    pub fn mask_value(&self, value: Value) -> Value {
        let known = self.known();
        match known.forms {
            Some(_) => known.mask_value(value),
            None => value,
        }
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        // No code that can panic runs under the lock.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn mask(&self, text: &str) -> String {
        let mut masked = String::with_capacity(text.len());
        let mut end = 0;
        for found in self.forms.iter().flat_map(|forms| forms.find_iter(text)) {
            masked.push_str(&text[end..found.start()]);
            masked.push_str(MASK);
            end = found.end();
        }
        masked.push_str(&text[end..]);
        masked
    }

    fn mask_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match &self.forms {
                Some(forms) if forms.is_match(&text) => self.mask(&text).into(),
                _ => text.into(),
            },
            Value::Array(items) => items.into_iter().map(|item| self.mask_value(item)).collect(),
            Value::Object(fields) => {
                let masked = |(key, value): (String, _)| (self.mask(&key), self.mask_value(value));
                fields.into_iter().map(masked).collect()
            }
            other => other,
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.known().secrets.len())
    }
}

/// Whether the value of a header, a variable or a parameter of this name is a secret.
pub fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    last == "key" || NAMES.iter().any(|ending| last.ends_with(ending))
}

fn is_masked(secret: &str) -> bool {
    let has_letters_only = secret.bytes().all(|byte| byte.is_ascii_alphabetic());
    secret.len() >= if has_letters_only { SHORTEST_OF_LETTERS } else { SHORTEST }
}

/// The forms in which a program repeats a secret.
fn forms(secret: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(secret).to_string();
    let mut forms = vec![secret.to_owned(), quoted[1..quoted.len() - 1].to_owned()];
    for encoded in [UNRESERVED, NON_ALPHANUMERIC] {
        let percent = utf8_percent_encode(secret, encoded).to_string();
        forms.extend([lower_hex(&percent), percent.replace("%20", "+"), percent]);
    }
    for before in 0..3 {
        for engine in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
            let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
            let encoded = engine.encode(&bytes);
            // The characters at both ends also depend on what stands beside the secret.
            let start = [0, 2, 3][before];
            let end = encoded.len() - usize::from(bytes.len() % 3 != 0);
            forms.push(encoded[start..end].to_owned());
        }
    }
    forms.sort();
    forms.dedup();
    forms
}

/// A percent-encoded text with `%3a` in place of `%3A`.
fn lower_hex(percent: &str) -> String {
    let mut digits = 0;
    let lower = |c: char| match c {
        '%' => {
            digits = 2;
            c
        }
        c if digits > 0 => {
            digits -= 1;
            c.to_ascii_lowercase()
        }
        c => c,
    };
    percent.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
    use serde_json::json;

    use super::*;

    const SECRET: &str = "k/ey+\"Ü:1?~\u{3c}\u{3c}\u{3f}";

    fn secrets(secret: &str) -> Secrets {
        Secrets::from_secrets([&secret.into()])
    }

    #[test]
    fn all_forms_of_a_secret_are_masked() {
        let secrets = secrets(SECRET);
        for form in [
            SECRET.to_owned(),
            json!(SECRET).to_string(),
            utf8_percent_encode(SECRET, UNRESERVED).to_string(),
            lower_hex(&utf8_percent_encode(SECRET, UNRESERVED).to_string()),
        ] {
            let masked = secrets.mask(&format!("a{form}b {form}"));
            assert_eq!(masked.replace('"', ""), "a***b ***", "{form}");
        }
        for before in ["", "u", "us", "use", "user:"] {
            for after in ["", "x", "xy", "xyz"] {
                let pair = format!("{before}{SECRET}{after}");
                for encoded in [BASE64_STANDARD.encode(&pair), BASE64_URL_SAFE.encode(&pair)] {
                    let masked = secrets.mask(&encoded);
                    assert!(masked.contains(MASK), "{pair} {masked}");
                    // What is left of both ends has no whole byte of the secret.
                    let left = masked.len() - MASK.len();
                    assert!(left <= (before.len() + after.len()) * 4 / 3 + 8, "{pair} {masked}");
                }
            }
        }
    }

    #[test]
    fn keys_and_values_are_masked() {
        let masked = secrets("tok-SECRET-1")
            .mask_value(json!({"a tok-SECRET-1": ["tok-SECRET-1", 1, null]}));
        assert_eq!(masked, json!({"a ***": ["***", 1, null]}));
    }

    #[test]
    fn ordinary_words_are_not_masked() {
        for word in ["", "hunter2", "1234567", "postgres", "administrator"] {
            let secrets = secrets(word);
            assert!(secrets.is_empty());
            let text = format!("the {word} is here");
            assert_eq!(secrets.mask(&text), text);
        }
        assert!(!secrets("hunter22").is_empty());
        assert!(!secrets("averylongpassphrase").is_empty());
    }

    #[test]
    fn headers_have_a_scheme_before_their_secret() {
        let headers = Secrets::default();
        headers.add_header(&"Bearer tok-SECRET-1".into());
        headers.add_header(&format!("Basic {}", BASE64_STANDARD.encode("anna:pass-word-9")).into());
        headers.add_header(&"plain-key-7".into());
        let said = "Bearer of tok-SECRET-1, YW5uYTpwYXNzLXdvcmQtOQ==, pass-word-9, plain-key-7";
        assert_eq!(headers.mask(said), "Bearer of ***, ***, ***, ***");
    }

    #[test]
    fn names_tell_what_is_secret() {
        for name in
            ["Authorization", "X-Api-Key", "GITHUB_TOKEN", "Cookie", "PGPASSWORD", "API_KEY"]
        {
            assert!(names_secret(name), "{name}");
        }
        for name in ["Accept", "GIT_AUTHOR_NAME", "TOKEN_URL", "SSH_KEY_PATH", "X-Monkey"] {
            assert!(!names_secret(name), "{name}");
        }
    }

    #[test]
    fn old_secrets_make_room_for_new_ones() {
        let secrets = Secrets::default();
        for at in 0..200 {
            secrets.add(&format!("issued-token-{at:03}").into());
        }
        assert_eq!(secrets.known().secrets.len(), MOST);
        assert_eq!(secrets.mask("issued-token-199 issued-token-000"), "*** issued-token-000");
    }
}
