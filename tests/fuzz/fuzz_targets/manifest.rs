//! The loader of manifests: any text is an authority or a list of problems with places. An authority can be
//! written as YAML and loaded again unchanged.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use toolwrit_manifest::emit::to_yaml;
use toolwrit_manifest::{Authority, Problems, load_sources};

fn load(text: &str) -> Result<Authority, Problems> {
    load_sources("authority.yaml", |path| match path {
        "authority.yaml" => Ok(text.to_owned()),
        // Included files include no further files.
        "part.yaml" => Ok("toolwrit: 1\noperations: {}\n".to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    })
}

fuzz_target!(|text: &str| {
    match load(text) {
        Ok(authority) => {
            let yaml = to_yaml(&authority);
            let again = load(&yaml).unwrap_or_else(|problems| panic!("{problems}\n{yaml}"));
            assert_eq!(to_yaml(&again), yaml);
        }
        Err(problems) => {
            assert!(problems.iter().next().is_some());
            assert!(!problems.to_string().is_empty());
        }
    }
});
