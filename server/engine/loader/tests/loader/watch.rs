//! Files that change are noticed, also in folders that did not exist.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::timeout;
use toolwrit_loader::FileWatch;

/// Ends a test that waits in vain.
const LONG: Duration = Duration::from_mins(1);

async fn wait(watch: &FileWatch) {
    timeout(LONG, watch.changed()).await.unwrap();
}

#[tokio::test]
async fn writing_replacing_and_removing_are_changes() {
    let folder = TempDir::new().unwrap();
    let (file, next) = (folder.path().join("root.yaml"), folder.path().join("next"));
    fs::write(&file, "1").unwrap();
    let mut watch = FileWatch::new().unwrap();
    watch.watch([file.as_path()]).unwrap();
    fs::write(&file, "2").unwrap();
    wait(&watch).await;
    fs::write(&next, "3").unwrap();
    fs::rename(&next, &file).unwrap();
    wait(&watch).await;
    fs::remove_file(&file).unwrap();
    wait(&watch).await;
}

#[tokio::test]
async fn a_file_in_a_folder_that_does_not_exist_is_waited_for() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("operations/deep/more.yaml");
    let mut watch = FileWatch::new().unwrap();
    watch.watch([file.as_path()]).unwrap();
    fs::create_dir(folder.path().join("operations")).unwrap();
    wait(&watch).await;
    watch.watch([file.as_path()]).unwrap();
    fs::create_dir(folder.path().join("operations/deep")).unwrap();
    wait(&watch).await;
    watch.watch([file.as_path()]).unwrap();
    fs::write(&file, "1").unwrap();
    wait(&watch).await;
}

#[tokio::test]
async fn a_path_without_a_folder_is_in_the_current_one() {
    let mut watch = FileWatch::new().unwrap();
    watch.watch([Path::new("authority.yaml")]).unwrap();
}
