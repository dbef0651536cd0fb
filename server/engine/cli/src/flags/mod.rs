//! Flags that several commands share: policy, surface and limits.

pub(crate) mod engine_flags;
#[cfg(any(feature = "browser", feature = "chat", feature = "clients"))]
pub(crate) mod given;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;

use std::num::NonZeroU32;
use std::sync::Once;
use std::time::Duration;

use clap::{Args, Command};

use crate::config::Config;
use crate::exit::Exit;
use crate::output;
use crate::program::Program;
use toolwrit_core::authority::Authority;
use toolwrit_core::caller::session_calls::MostCalls;
use toolwrit_core::period::period;
use toolwrit_core::pipeline::{CallSettings, Timeouts};
use toolwrit_core::policy::{Choice, Policy, Selector, Unmatched};
use toolwrit_mcp::surface::{Profile, Split, SurfaceChoice};

/// The id of the flag that forbids changes.
const READ_ONLY: &str = "read_only";

/// Makes a command that runs operations read-only by default, if a variable must allow changes and does not.
pub(super) fn guarded(program: &Program, command: Command) -> Command {
    match program.enable_writes {
        Some(variable) if !is_true(variable) => {
            command.mut_arg(READ_ONLY, |arg| arg.default_value("true"))
        }
        _ => command,
    }
}

/// Whether an environment variable is set, and not to a word for `no`.
fn is_true(variable: &str) -> bool {
    let value = std::env::var(variable).unwrap_or_default().to_lowercase();
    !["", "0", "f", "false", "n", "no", "off"].contains(&value.as_str())
}

/// The policy to run a command under.
#[derive(Debug, Args)]
pub(super) struct PolicyFlags {
    /// Focus mode; by default, the first one declared.
    #[arg(
        long,
        env = "TOOLWRIT_FOCUS",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = "Policy"
    )]
    focus: Option<String>,
    /// Role; by default, the first one declared.
    #[arg(
        long,
        env = "TOOLWRIT_ROLE",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = "Policy"
    )]
    role: Option<String>,
    /// Forbid every operation that changes anything. Overrides all other settings.
    #[arg(
        long,
        env = "TOOLWRIT_READ_ONLY",
        hide_env_values = true,
        help_heading = "Policy",
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue
    )]
    read_only: bool,
    /// Allow only these operations: `vault`, `vault.read`, `effect:read`, `tag:bulk`.
    #[arg(
        long,
        env = "TOOLWRIT_TOOLS",
        hide_env_values = true,
        value_name = "SEL",
        value_delimiter = ',',
        help_heading = "Policy"
    )]
    tools: Vec<String>,
    /// Forbid these operations. Overrides --tools.
    #[arg(
        long,
        env = "TOOLWRIT_EXCLUDE",
        hide_env_values = true,
        value_name = "SEL",
        value_delimiter = ',',
        help_heading = "Policy"
    )]
    exclude: Vec<String>,
}

impl PolicyFlags {
    /// Whether the operator named a focus mode, instead of using the default.
    #[cfg(feature = "authoring")]
    pub(super) fn names_focus(&self) -> bool {
        self.focus.is_some()
    }

    /// Whether the operator named a role, instead of using the default.
    #[cfg(feature = "http")]
    pub(super) fn names_role(&self) -> bool {
        self.role.is_some()
    }

    /// Whether no flag restricts anything.
    #[cfg(feature = "docs")]
    pub(super) fn is_empty(&self) -> bool {
        let Self { focus, role, read_only, tools, exclude } = self;
        focus.is_none() && role.is_none() && !read_only && tools.is_empty() && exclude.is_empty()
    }

    /// The policy that these flags describe, on the program's own authority. The first one says which operations it names that
    /// nothing offers.
    ///
    /// # Errors
    /// If the flags contain names that the authority does not have.
    pub(super) fn policy(&self, program: &Program) -> Result<Policy, Exit> {
        static SAID: Once = Once::new();
        let policy = self.unannounced(program)?;
        SAID.call_once(|| {
            for unmatched in program.unmatched(&policy) {
                output::print_warning(&unmatched.to_string());
            }
        });
        Ok(policy)
    }

    /// The same, without saying which operations it names that nothing offers.
    pub(super) fn unannounced(&self, program: &Program) -> Result<Policy, Exit> {
        let choice = Choice { enable_writes: program.enable_writes, ..self.choice() };
        Policy::new(program.authority.clone(), &choice).map_err(Exit::configuration)
    }

    /// The same for another authority.
    #[cfg(feature = "manifest")]
    pub(super) fn policy_of(&self, authority: &Authority) -> Result<Policy, Exit> {
        Policy::new(authority.clone(), &self.choice()).map_err(Exit::configuration)
    }

    fn choice(&self) -> Choice {
        Choice {
            focus: self.focus.clone(),
            role: self.role.clone(),
            read_only: self.read_only,
            enable_writes: None,
            only: self.tools.clone(),
            exclude: self.exclude.clone(),
        }
    }
}

/// The surface that clients see.
#[derive(Debug, Args)]
#[command(next_help_heading = "Surface")]
pub(super) struct SurfaceFlags {
    /// Surface: a tool for each operation, a few dispatch tools, or search and execute.
    #[arg(long, env = "TOOLWRIT_SURFACE", value_name = "KIND", default_value = "auto")]
    pub(super) surface: SurfaceChoice,
    /// How to split tools that run several operations.
    #[arg(long, env = "TOOLWRIT_SPLIT", value_name = "HOW", default_value = "effect")]
    pub(super) split: Split,
    /// The client for which to simplify schemas.
    #[arg(long, env = "TOOLWRIT_PROFILE", value_name = "CLIENT", default_value = "portable")]
    pub(super) profile: Profile,
    /// List older names too, as deprecated tools of the flat surface, for clients that call only listed tools.
    #[arg(
        long,
        env = "TOOLWRIT_LEGACY",
        hide_env_values = true,
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue
    )]
    pub(super) legacy: bool,
    #[command(flatten)]
    pub(super) pins: PinFlags,
}

/// Operations that are tools of their own.
#[derive(Debug, Args)]
pub(super) struct PinFlags {
    /// List these operations as tools of their own, after the other tools of any surface.
    #[arg(
        long,
        env = "TOOLWRIT_PIN",
        hide_env_values = true,
        value_name = "OP",
        value_delimiter = ','
    )]
    pin: Vec<String>,
}

impl PinFlags {
    /// The operations, which are known for as long as the process runs.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub(super) fn named(&self, authority: &Authority) -> Result<&'static [String], Exit> {
        let tables = authority.tables();
        for pin in &self.pin {
            Selector::parse_operation(tables, pin).map_err(Exit::configuration)?;
        }
        Ok(Box::leak(self.pin.clone().into_boxed_slice()))
    }

    /// Those that nothing offers, although something may later.
    pub(super) fn unmatched(&self, authority: &Authority) -> Vec<Unmatched> {
        let tables = authority.tables();
        self.pin.iter().filter_map(|pin| Unmatched::find(tables, "pin", pin)).collect()
    }
}

/// Limits of calls.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitFlags {
    /// Maximum number of concurrent handlers; by default as in the manifest.
    #[arg(long, env = "TOOLWRIT_CONCURRENCY", hide_env_values = true, value_name = "N")]
    concurrency: Option<u32>,
    /// Maximum number of concurrent handlers of one caller; by default half, for callers with an account.
    #[arg(long, env = "TOOLWRIT_PER_CALLER", hide_env_values = true, value_name = "N")]
    per_caller: Option<u32>,
    /// Maximum number of calls waiting for a handler; further calls are refused.
    #[arg(
        long,
        env = "TOOLWRIT_QUEUE",
        hide_env_values = true,
        value_name = "N",
        default_value = "256"
    )]
    queue: usize,
    /// Maximum number of calls per second of one caller; unlimited by default.
    #[arg(long, env = "TOOLWRIT_RATE", hide_env_values = true, value_name = "N")]
    rate: Option<NonZeroU32>,
    /// Time limit of handlers whose operation declares none, such as 30s; by default as in the
    /// manifest.
    #[arg(
        long,
        env = "TOOLWRIT_TIMEOUT",
        hide_env_values = true,
        value_name = "TIME",
        value_parser = period
    )]
    timeout: Option<Duration>,
    /// Maximum number of calls per session, or per caller and hour without sessions; -1 for no limit. By
    /// default as in the manifest.
    #[arg(
        long,
        env = "TOOLWRIT_SESSION_CALLS",
        hide_env_values = true,
        value_name = "N",
        allow_negative_numbers = true
    )]
    session_calls: Option<MostCalls>,
}

impl LimitFlags {
    pub(super) fn settings(&self, config: &Config) -> CallSettings {
        CallSettings {
            concurrency: self.concurrency,
            per_principal: self.per_caller,
            queue: self.queue,
            rate: self.rate,
            session_calls: self.session_calls,
            timeouts: Timeouts { general: self.timeout, operations: config.timeouts() },
        }
    }
}
