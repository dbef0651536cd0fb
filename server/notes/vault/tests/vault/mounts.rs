//! Other file systems, mounted for a test. That requires root and programs that not every machine
//! has. If they are missing, what needs them is skipped.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolwrit_requirement::skip;

/// A mounted file system, until dropped.
pub(crate) struct Mount {
    folder: TempDir,
    device: Option<String>,
}

impl Mount {
    /// exFAT through FUSE. It ignores case and has no hard links, no exchange of files and no
    /// rename that refuses to overwrite.
    pub(crate) fn exfat() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(32 << 20).unwrap();
        run(Command::new("mkfs.exfat").arg(&image))?;
        let device = run(Command::new("losetup").args(["--find", "--show"]).arg(image))?;
        let mount = Self { folder, device: Some(device.trim().to_owned()) };
        mount.filled(Command::new("mount.exfat-fuse").arg(device.trim()))
    }

    /// ext4 with a folder that ignores case, as APFS does: it has hard links, exchanges files, and refuses to overwrite. Few
    /// kernels can mount it.
    pub(crate) fn casefold() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(32 << 20).unwrap();
        let features = ["-q", "-O", "casefold", "-E", "encoding=utf8"];
        run(Command::new("mkfs.ext4").args(features).arg(&image))?;
        let device = run(Command::new("losetup").args(["--find", "--show"]).arg(image))?;
        let mount = Self { folder, device: Some(device.trim().to_owned()) };
        let mount = mount.filled(Command::new("mount").arg(device.trim()))?;
        // Only an empty folder can begin to ignore case.
        fs::create_dir(mount.path().join("vault")).unwrap();
        run(Command::new("chattr").arg("+F").arg(mount.path().join("vault")))?;
        Some(mount)
    }

    /// A view of another folder, in which changes are not reported.
    pub(crate) fn mirror(of: &Path) -> Option<Self> {
        let mount = Self { folder: TempDir::new().unwrap(), device: None };
        mount.filled(Command::new("bindfs").arg(of))
    }

    /// Its path.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    fn filled(self, command: &mut Command) -> Option<Self> {
        fs::create_dir(self.path()).unwrap();
        run(command.arg(self.path())).map(|_| self)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, because the system may still be using it. What was not mounted cannot be unmounted.
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).output();
        if let Some(device) = &self.device {
            let _ = Command::new("losetup").arg("--detach").arg(device).output();
        }
    }
}

/// The output of a program that must succeed.
fn run(command: &mut Command) -> Option<String> {
    let reason = match command.output() {
        Ok(output) if output.status.success() => return String::from_utf8(output.stdout).ok(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    skip(&format!("{command:?} failed: {reason}"));
    None
}
