//! The trace that a call belongs to, as in [W3C Trace Context], so that the logs of server and caller can be
//! correlated.
//!
//! [W3C Trace Context]: https://www.w3.org/TR/trace-context/#traceparent-header

use std::fmt;

/// The span that made the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The id of the trace; not zero.
    pub trace: u128,
    /// The id of the span; not zero.
    pub span: u64,
    /// Trace flags.
    pub flags: u8,
}

impl TraceParent {
    /// The name of the key in `_meta`, and of the HTTP header.
    pub const KEY: &str = "traceparent";

    /// Parses `00-TRACE-SPAN-FLAGS`; `None` for anything else. As the specification demands, the known part
    /// of a later version is parsed, and the rest ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace) = (hex(parts.next()?, 2)?, hex(parts.next()?, 32)?);
        let (span, flags) = (hex(parts.next()?, 16)?, hex(parts.next()?, 2)?);
        let may_have_more = version != 0;
        if version == 0xff || trace == 0 || span == 0 || (parts.next().is_some() && !may_have_more)
        {
            return None;
        }
        Some(Self { trace, span: u64::try_from(span).ok()?, flags: u8::try_from(flags).ok()? })
    }

    /// Returns the id of the trace, as logs and backends show it.
    pub(crate) fn trace_id(self) -> String {
        format!("{:032x}", self.trace)
    }

    /// Returns the id of the span that made the call.
    pub(crate) fn span_id(self) -> String {
        format!("{:016x}", self.span)
    }
}

impl fmt::Display for TraceParent {
    /// Writes the form of the header.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// Parses exactly this number of lower-case hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let fits = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let fits = text.len() == digits && text.as_bytes().iter().all(fits);
    fits.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::TraceParent;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_parsed_parent_is_displayed_in_the_known_version() {
        assert_eq!(TraceParent::parse(GOOD).unwrap().to_string(), GOOD);
        // A later version with more parts is displayed as version 00.
        let later = format!("cc{}-what-the-future-holds", &GOOD[2..]);
        assert_eq!(TraceParent::parse(&later).unwrap().to_string(), GOOD);
    }

    #[test]
    fn invalid_text_is_refused() {
        let zero_trace = GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32));
        let zero_span = GOOD.replace("00f067aa0ba902b7", &"0".repeat(16));
        let more = format!("{GOOD}-x");
        for bad in
            ["", "00", &GOOD[1..], &GOOD.to_uppercase(), &GOOD.replace("00-", "ff-"), &GOOD[..50]]
        {
            assert_eq!(TraceParent::parse(bad), None, "{bad}");
        }
        for bad in [zero_trace, zero_span, more, GOOD.replace("4bf9", "+bf9")] {
            assert_eq!(TraceParent::parse(&bad), None, "{bad}");
        }
    }
}
