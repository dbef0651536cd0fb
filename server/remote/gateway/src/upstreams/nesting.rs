//! Gateways among the upstreams of a gateway. One that has itself among them would start an endless chain of programs.

use std::path::Path;

use toolwrit_upstreams::model::Command;

/// The variable that names the configuration files of the gateways around a program, each on a line.
const AROUND: &str = "TOOLWRIT_GATEWAYS";
/// The largest number of gateways around another one.
const MOST: usize = 3;

/// Returns the program of an upstream, which learns the gateways around it.
///
/// # Errors
/// A sentence, if the gateway of this configuration must not start upstreams where this process runs.
pub(crate) fn within(configuration: &Path, command: Command) -> Result<Command, String> {
    let configuration = configuration.canonicalize().unwrap_or_else(|_| configuration.to_owned());
    let around =
        around(&configuration.display().to_string(), std::env::var(AROUND).ok().as_deref())?;
    Ok(command.with_variable(AROUND, around))
}

/// The gateways around the upstreams of a gateway.
fn around(configuration: &str, outer: Option<&str>) -> Result<String, String> {
    let outer: Vec<&str> = outer.unwrap_or_default().lines().collect();
    if outer.contains(&configuration) {
        return Err(format!(
            "This server is an upstream of another one with the same configuration, {configuration}, so it does not start upstreams."
        ));
    }
    if outer.len() >= MOST {
        return Err(format!(
            "This server is an upstream within {} others, so it does not start upstreams.",
            outer.len()
        ));
    }
    Ok([outer, vec![configuration]].concat().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_is_within_itself_never_and_within_few_others() {
        assert_eq!(around("/a", None).unwrap(), "/a");
        assert_eq!(around("/b", Some("/a")).unwrap(), "/a\n/b");
        assert!(around("/a", Some("/a\n/b")).unwrap_err().contains("the same configuration, /a"));
        assert!(around("/d", Some("/a\n/b\n/c")).unwrap_err().contains("within 3 others"));
    }
}
