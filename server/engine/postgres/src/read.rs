//! What commands read and delete without being a replica.

use toolwrit_core::audit::listing_costs::AccountCosts;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};

use crate::audit::select::select;
use crate::database::{Database, Failed, LONGEST};
use crate::listed;
use crate::settings::Settings;

/// Returns the recorded calls that match the filter, oldest first.
///
/// # Errors
/// If the database cannot be read.
pub async fn calls(settings: &Settings, filter: &AuditFilter) -> Result<Vec<AuditRow>, Failed> {
    select(&database(settings)?, filter).await
}

/// Returns the costs of tool listings.
///
/// # Errors
/// If the database cannot be read.
pub async fn listing_costs(settings: &Settings) -> Result<AccountCosts, Failed> {
    listed::read(&database(settings)?).await
}

/// Deletes the costs of tool listings.
///
/// # Errors
/// If the database cannot be changed.
pub async fn reset_listing_costs(settings: &Settings) -> Result<(), Failed> {
    listed::forget(&database(settings)?).await
}

fn database(settings: &Settings) -> Result<Database, Failed> {
    Database::new(&settings.address, 1, LONGEST)
}
