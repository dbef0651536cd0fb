//! What an operator sees of a provider, and can do about it.

/// What an operator can do about a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Finds out now whether it can be used.
    Test,
    /// Starts it again at once, also after failures.
    Restart,
    /// Switches it on again.
    Enable,
}

impl Control {
    /// Returns its name in addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Restart => "restart",
            Self::Enable => "enable",
        }
    }

    /// Whether it changes what runs.
    pub fn changes(self) -> bool {
        self != Self::Test
    }
}

/// What an operator sees of a provider, and can do about it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorView {
    /// The state of what runs behind it, such as `starting`; `None` if nothing does.
    pub state: Option<&'static str>,
    /// What can be done about it.
    pub controls: &'static [Control],
}

impl Default for OperatorView {
    /// Every provider can be tested.
    fn default() -> Self {
        Self { state: None, controls: &[Control::Test] }
    }
}
