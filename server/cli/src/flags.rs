//! Flags that several commands share: the policy of the caller, and the surface.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;

use super::config::Config;
use super::exit::Exit;
use super::period::period;
use super::program::Program;
use toolwrit_core::authority::Tables;
use toolwrit_core::pipeline::{Settings, Timeouts};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::session_calls::MostCalls;
use toolwrit_mcp::surface::{Profile, Split, SurfaceChoice};

/// Who asks, and under which restrictions.
#[derive(Debug, Args)]
pub(super) struct PolicyFlags {
    /// Focus mode; the first declared when absent.
    #[arg(
        long,
        env = "TOOLWRIT_FOCUS",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = "Policy"
    )]
    focus: Option<String>,
    /// Role; the first declared when absent.
    #[arg(
        long,
        env = "TOOLWRIT_ROLE",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = "Policy"
    )]
    role: Option<String>,
    /// Run nothing that changes anything. Beats every other setting.
    #[arg(
        long,
        env = "TOOLWRIT_READ_ONLY",
        hide_env_values = true,
        help_heading = "Policy",
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue
    )]
    read_only: bool,
    /// Only these operations: `vault`, `vault.read`, `effect:read`, `tag:bulk`.
    #[arg(
        long,
        env = "TOOLWRIT_TOOLS",
        hide_env_values = true,
        value_name = "SEL",
        value_delimiter = ',',
        help_heading = "Policy"
    )]
    tools: Vec<String>,
    /// All but these operations. Beats --tools.
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
    /// Whether the operator chose a focus mode, rather than leave it at the first.
    #[cfg(feature = "authoring")]
    pub(super) fn names_focus(&self) -> bool {
        self.focus.is_some()
    }

    /// Whether the operator chose a role, rather than leave it at the first.
    #[cfg(feature = "http")]
    pub(super) fn names_role(&self) -> bool {
        self.role.is_some()
    }

    /// # Errors
    /// Names that the authority does not have.
    pub(super) fn policy(&self, program: &Program) -> Result<Policy, Exit> {
        self.policy_of(program.authority)
    }

    /// The same for another authority than the program's own.
    pub(super) fn policy_of(&self, authority: &'static Tables<'static>) -> Result<Policy, Exit> {
        let choice = Choice {
            focus: self.focus.clone(),
            role: self.role.clone(),
            read_only: self.read_only,
            only: self.tools.clone(),
            exclude: self.exclude.clone(),
        };
        Policy::new(authority, &choice).map_err(Exit::configuration)
    }
}

/// Which surface a client sees.
#[derive(Debug, Args)]
pub(super) struct SurfaceFlags {
    /// The surface: every operation a tool, a few dispatchers, or search and execute.
    #[arg(long, env = "TOOLWRIT_SURFACE", value_name = "KIND", default_value = "auto")]
    pub(super) surface: SurfaceChoice,
    /// Whether tools that run operations are split by effect.
    #[arg(long, env = "TOOLWRIT_SPLIT", value_name = "HOW", default_value = "effect")]
    pub(super) split: Split,
    /// What to leave out of schemas for a client that cannot stand it.
    #[arg(long, env = "TOOLWRIT_PROFILE", value_name = "CLIENT", default_value = "portable")]
    pub(super) profile: Profile,
}

/// How much is served at once.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitFlags {
    /// Handlers at work at once; the manifest's number when absent.
    #[arg(long, env = "TOOLWRIT_CONCURRENCY", hide_env_values = true, value_name = "N")]
    concurrency: Option<u32>,
    /// Handlers at work at once for one caller; half of them when absent and the caller has an account.
    #[arg(long, env = "TOOLWRIT_PER_CALLER", hide_env_values = true, value_name = "N")]
    per_caller: Option<u32>,
    /// Calls that may wait for a handler; further ones are refused.
    #[arg(
        long,
        env = "TOOLWRIT_QUEUE",
        hide_env_values = true,
        value_name = "N",
        default_value = "256"
    )]
    queue: usize,
    /// Calls a second from one caller; unlimited when absent.
    #[arg(long, env = "TOOLWRIT_RATE", hide_env_values = true, value_name = "N")]
    rate: Option<NonZeroU32>,
    /// How long a handler may run where its operation does not say, such as 30s; the manifest's time
    /// when absent.
    #[arg(
        long,
        env = "TOOLWRIT_TIMEOUT",
        hide_env_values = true,
        value_name = "TIME",
        value_parser = period
    )]
    timeout: Option<Duration>,
    /// Calls of one session, or without sessions of one caller in an hour; -1 for any number, and the
    /// manifest's number when absent.
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
    pub(super) fn settings(&self, config: &Config) -> Settings {
        Settings {
            concurrency: self.concurrency,
            per_principal: self.per_caller,
            queue: self.queue,
            rate: self.rate,
            session_calls: self.session_calls,
            timeouts: Timeouts { general: self.timeout, operations: config.timeouts() },
        }
    }
}
