//! What commands read and delete without being a replica.

use toolwrit_core::audit::listing_costs::AccountCosts;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};

use crate::audit::select::select;
use crate::database::{Database, LONGEST};
use crate::listed;
use crate::migrate::{self, Unusable};
use crate::settings::Settings;

/// Returns the recorded calls that match the filter, oldest first.
///
/// # Errors
/// If the database cannot be read.
pub async fn calls(settings: &Settings, filter: &AuditFilter) -> Result<Vec<AuditRow>, Unusable> {
    Ok(select(&fitting(settings).await?, filter).await?)
}

/// Returns the costs of tool listings.
///
/// # Errors
/// If the database cannot be read.
pub async fn listing_costs(settings: &Settings) -> Result<AccountCosts, Unusable> {
    Ok(listed::read(&fitting(settings).await?).await?)
}

/// Deletes the costs of tool listings.
///
/// # Errors
/// If the database cannot be changed.
pub async fn reset_listing_costs(settings: &Settings) -> Result<(), Unusable> {
    Ok(listed::forget(&fitting(settings).await?).await?)
}

/// Connects to a database whose schema fits.
async fn fitting(settings: &Settings) -> Result<Database, Unusable> {
    let database = Database::new(&settings.address, 1, LONGEST)?;
    match migrate::find(&database).await? {
        Some(version) => version.serves(&settings.schemas)?,
        None => return Err(Unusable::Missing),
    };
    Ok(database)
}
