//! Reads the address to which the authorization server sends the browser at the end.

use oauth2::CsrfToken;
use reqwest::Url;
use toolwrit_text::shorten::visible_line;

/// Length limit of what a server says, in characters.
const MAX_SAID: usize = 300;

/// The answer that a login waits for.
pub(super) struct Expected {
    pub(super) redirect: Url,
    pub(super) state: CsrfToken,
    pub(super) issuer: String,
    /// Whether the answer must name the issuer (RFC 9207).
    pub(super) names_issuer: bool,
}

/// An address without a code for this login, as a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It is none of this login, which goes on.
    Other(String),
    /// It ends the login.
    Ended(String),
}

impl Expected {
    /// Reads an address that the user has pasted.
    pub(super) fn read_pasted(&self, text: &str) -> Result<String, Unusable> {
        let begin = self.redirect.as_str();
        let is_ours = |url: &Url| url.origin() == self.redirect.origin();
        match Url::parse(text.trim()).ok().filter(is_ours) {
            Some(url) if url.path() == self.redirect.path() => self.read(&url),
            _ => Err(Unusable::Other(format!(
                "That is not the address at which the login ended. It begins with {begin}?, and has `code` and `state`; \
                 paste all of it."
            ))),
        }
    }

    /// Returns the code in an address.
    pub(super) fn read(&self, url: &Url) -> Result<String, Unusable> {
        let value = |name: &str| {
            let found = url.query_pairs().find(|(known, _)| known == name);
            found.map(|(_, value)| value.into_owned())
        };
        if value("state").as_ref() != Some(self.state.secret()) {
            let why = "The answer has the `state` of another login, so it was not used.";
            return Err(Unusable::Other(why.to_owned()));
        }
        match value("iss") {
            Some(issuer) if issuer != self.issuer => {
                return Err(Unusable::Ended(format!(
                    "The answer comes from the authorization server {}, and not from {}. Nothing was sent to it.",
                    said(&issuer),
                    self.issuer
                )));
            }
            None if self.names_issuer => {
                return Err(Unusable::Ended(format!(
                    "The answer does not say that it comes from {}, as its metadata promise. Nothing was sent to it.",
                    self.issuer
                )));
            }
            _ => {}
        }
        match (value("error"), value("code")) {
            (Some(error), _) => Err(Unusable::Ended(refusal(&error, value("error_description")))),
            (None, Some(code)) if !code.is_empty() => Ok(code),
            _ => Err(Unusable::Ended("The answer has neither `code` nor `error`.".to_owned())),
        }
    }
}

fn refusal(error: &str, more: Option<String>) -> String {
    let more = more.map(|text| format!(" ({})", said(&text))).unwrap_or_default();
    let what = match error {
        "access_denied" => "The login was denied",
        _ => "The authorization server refuses the login",
    };
    format!("{what}: {}{more}.", said(error))
}

fn said(text: &str) -> String {
    visible_line(text.trim_end_matches('.'), MAX_SAID)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(names_issuer: bool) -> Expected {
        Expected {
            redirect: Url::parse("http://127.0.0.1:4000/callback").unwrap(),
            state: CsrfToken::new("s1".to_owned()),
            issuer: "https://login.example".to_owned(),
            names_issuer,
        }
    }

    fn read(names_issuer: bool, query: &str) -> Result<String, Unusable> {
        let expected = expected(names_issuer);
        expected.read_pasted(&format!(" {}?{query}\n", expected.redirect))
    }

    #[test]
    fn a_code_is_taken_from_the_answer_to_this_login_only() {
        assert_eq!(read(false, "code=a%2Bb&state=s1").unwrap(), "a+b");
        let issuer = "iss=https%3A%2F%2Flogin.example";
        assert_eq!(read(true, &format!("code=c&state=s1&{issuer}")).unwrap(), "c");
        for other in ["code=c", "code=c&state=", "code=c&state=s2", "error=access_denied"] {
            assert!(matches!(read(false, other), Err(Unusable::Other(_))), "{other}");
        }
        for bare in ["c0de", "", "https://evil.example/callback?code=c&state=s1", "code=c&state=s1"]
        {
            let pasted = expected(false).read_pasted(bare);
            assert!(
                matches!(&pasted, Err(Unusable::Other(why)) if why.contains("paste all of it"))
            );
        }
    }

    #[test]
    fn what_ends_a_login_is_told_in_words() {
        for (names_issuer, query, said) in [
            (
                false,
                "error=access_denied&error_description=by+Ada%07&state=s1",
                "The login was denied: access_denied (by Ada\\u{7}).",
            ),
            (false, "error=invalid_scope&state=s1", "refuses the login: invalid_scope."),
            (
                false,
                "code=c&state=s1&iss=https%3A%2F%2Fevil.example",
                "from the authorization server https://evil.example, and not from",
            ),
            (true, "code=c&state=s1", "does not say that it comes from https://login.example"),
            (false, "state=s1", "neither `code` nor `error`"),
        ] {
            let Err(Unusable::Ended(why)) = read(names_issuer, query) else { panic!("{query}") };
            assert!(why.contains(said), "{query}: {why}");
        }
    }
}
