//! The binding of arguments: any JSON object is bound, or gets an error with the place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use toolwrit::{Code, fuzzing};
use toolwrit_fuzz::{Nobody, Tools};

fuzz_target!(|text: &str| {
    let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(text) else { return };
    if let Err(fault) = fuzzing::bind::<Tools<Nobody>>("near.shapes", arguments) {
        assert_eq!(fault.code(), Code::ValidationError);
        assert!(!fault.message().is_empty());
    }
});
