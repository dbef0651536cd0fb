//! Access tokens of upstreams, from the authorization servers that the operator names.

use futures::future::BoxFuture;
use secrecy::SecretString;
use toolwrit_bindings::ClientTokens;
use toolwrit_bindings::model::Code;
use toolwrit_upstreams::model::{NoToken, TokenSource};

/// Tokens that are issued for client credentials.
#[derive(Debug)]
pub(crate) struct IssuedTokens(pub(crate) ClientTokens);

impl TokenSource for IssuedTokens {
    fn token(&self) -> BoxFuture<'_, Result<SecretString, NoToken>> {
        Box::pin(async {
            self.0.token().await.map_err(|failure| NoToken {
                refused: failure.code == Code::ProviderUnavailable,
                reason: failure.message,
            })
        })
    }

    fn forget<'a>(&'a self, refused: &'a SecretString) -> BoxFuture<'a, ()> {
        Box::pin(self.0.forget(refused))
    }
}
