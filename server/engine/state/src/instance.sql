-- The name of what a call was about, such as a vault.
ALTER TABLE audit ADD COLUMN instance TEXT;
