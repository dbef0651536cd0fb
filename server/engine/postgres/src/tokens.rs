//! Confirmation tokens. The database has only their digests.

use sha2::{Digest as _, Sha256};
use tokio_postgres::types::Type;
use toolwrit_core::dialogue::confirmed::Confirmed;
use toolwrit_core::shared::{Binding, ConfirmationToken};

use crate::database::{Database, Failed, Value};

const ISSUE: &str = "INSERT INTO toolwrit.tokens (sha256, call, preview, until)
    VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second') ON CONFLICT DO NOTHING";
/// Of two at once, only one deletes the row.
const REDEEM: &str = "DELETE FROM toolwrit.tokens
    WHERE sha256 = $1 AND call = $2 AND until > clock_timestamp() RETURNING preview";

/// The digest of a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenDigest([u8; 32]);

impl TokenDigest {
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

/// Makes a token valid for one call.
///
/// # Errors
/// If the database fails.
pub(crate) async fn issue(
    database: &Database,
    TokenDigest(token): TokenDigest,
    call: Binding,
    confirmed: Confirmed,
) -> Result<(), Failed> {
    let preview = confirmed.digest();
    let lifetime = ConfirmationToken::LIFETIME.as_secs_f64();
    let values: [Value<'_>; 4] = [
        (&&token[..], Type::BYTEA),
        (&&call.as_bytes()[..], Type::BYTEA),
        (&preview.as_ref().map(|digest| &digest[..]), Type::BYTEA),
        (&lifetime, Type::FLOAT8),
    ];
    database.execute(ISSUE, &values).await.map(drop)
}

/// Invalidates a token, and returns what it confirms; `None` if it is not valid for this call.
///
/// # Errors
/// If the database fails.
pub(crate) async fn redeem(
    database: &Database,
    TokenDigest(token): TokenDigest,
    call: Binding,
) -> Result<Option<Confirmed>, Failed> {
    let values: [Value<'_>; 2] = [(&&token[..], Type::BYTEA), (&&call.as_bytes()[..], Type::BYTEA)];
    let Some(row) = database.row(REDEEM, &values).await? else { return Ok(None) };
    let preview: Option<&[u8]> = row.try_get(0)?;
    let digest = preview.map(<[u8; 32]>::try_from).transpose();
    // Only this program writes digests. Anything else confirms nothing.
    Ok(digest.ok().map(Confirmed::with_digest))
}
