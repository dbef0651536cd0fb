//! The table of the costs of tool listings. Several servers may add to it.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use rusqlite::params;

use super::audit::to_sql_integer;
use super::database::{Database, UnusableDatabase};
use toolwrit_core::audit::listing_costs::{AccountCosts, Total};

/// Returns the costs in a state file. `None` if no server has created it yet.
///
/// # Errors
/// If the file cannot be used.
pub fn listing_costs(file: &Path) -> Result<Option<AccountCosts>, UnusableDatabase> {
    Database::open_read_only(file)?.map(|database| database.read_listed()).transpose()
}

/// Deletes the costs in a state file. Does nothing if no server has created it yet.
///
/// # Errors
/// If the file cannot be used.
pub fn reset_listing_costs(file: &Path) -> Result<(), UnusableDatabase> {
    match Database::open_read_only(file)? {
        Some(_) => Database::open(file)?.forget_listed(),
        None => Ok(()),
    }
}

impl Database {
    /// Adds the costs that were counted since the last save.
    pub(super) fn add_listed(&mut self, accounts: &AccountCosts) -> Result<(), UnusableDatabase> {
        let change = self.0.transaction()?;
        for (principal, total) in &accounts.totals {
            change.execute(
                "INSERT INTO listed VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (principal) DO UPDATE SET
                    requests = requests + excluded.requests,
                    full_tokens = full_tokens + excluded.full_tokens,
                    sent_tokens = sent_tokens + excluded.sent_tokens",
                params![
                    principal,
                    accounts.since.as_millisecond(),
                    to_sql_integer(total.requests),
                    to_sql_integer(total.full.unwrap_or_default()),
                    to_sql_integer(total.sent.unwrap_or_default()),
                ],
            )?;
        }
        Ok(change.commit()?)
    }

    /// Returns all costs added so far.
    pub(super) fn read_listed(&self) -> Result<AccountCosts, UnusableDatabase> {
        let mut accounts = AccountCosts { since: Timestamp::MAX, totals: BTreeMap::new() };
        let mut query = self
            .0
            .prepare("SELECT principal, since, requests, full_tokens, sent_tokens FROM listed")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let number = |column| row.get(column).map(|number: i64| number.unsigned_abs());
            let since = Timestamp::from_millisecond(row.get(1)?).unwrap_or(Timestamp::MAX);
            let total =
                Total { requests: number(2)?, full: Some(number(3)?), sent: Some(number(4)?) };
            accounts.since = accounts.since.min(since);
            accounts.totals.insert(row.get(0)?, total);
        }
        Ok(accounts)
    }

    /// Empties the table.
    pub(super) fn forget_listed(&mut self) -> Result<(), UnusableDatabase> {
        self.0.execute("DELETE FROM listed", [])?;
        Ok(())
    }
}
