//! Which trace a call belongs to, after [W3C Trace Context], so that what a server logs can be found
//! from where the call was made.
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
    /// Under this name a request carries it: in `_meta`, or as a header.
    pub const KEY: &str = "traceparent";

    /// Reads `00-TRACE-SPAN-FLAGS`. As the specification asks, later versions are read as far as they
    /// are alike, and anything else is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace) = (hex(parts.next()?, 2)?, hex(parts.next()?, 32)?);
        let (span, flags) = (hex(parts.next()?, 16)?, hex(parts.next()?, 2)?);
        let may_go_on = version != 0;
        if version == 0xff || trace == 0 || span == 0 || (parts.next().is_some() && !may_go_on) {
            return None;
        }
        Some(Self { trace, span: u64::try_from(span).ok()?, flags: u8::try_from(flags).ok()? })
    }

    /// The trace's id, as logs and backends show it.
    pub(crate) fn trace_id(self) -> String {
        format!("{:032x}", self.trace)
    }

    /// The id of the span that made the call.
    pub(crate) fn span_id(self) -> String {
        format!("{:016x}", self.span)
    }
}

impl fmt::Display for TraceParent {
    /// The form in which it is passed on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// So many lower-case hexadecimal digits.
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
    fn what_is_read_is_passed_on() {
        assert_eq!(TraceParent::parse(GOOD).unwrap().to_string(), GOOD);
        // A later version, with more behind it, is passed on in ours.
        let later = format!("cc{}-what-the-future-holds", &GOOD[2..]);
        assert_eq!(TraceParent::parse(&later).unwrap().to_string(), GOOD);
    }

    #[test]
    fn anything_else_is_none() {
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
