//! The tokens of a format.

/// What a token of a format stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Month,
    MonthOrdinal,
    Month2,
    MonthShort,
    MonthLong,
    Quarter,
    QuarterOrdinal,
    Day,
    DayOrdinal,
    Day2,
    DayOfYear,
    DayOfYearOrdinal,
    DayOfYear3,
    /// 0 for Sunday.
    Weekday,
    WeekdayOrdinal,
    WeekdayMin,
    WeekdayShort,
    WeekdayLong,
    /// 1 for Monday.
    IsoWeekday,
    Week,
    WeekOrdinal,
    Week2,
    IsoWeek,
    IsoWeekOrdinal,
    IsoWeek2,
    Year,
    EraYear,
    Year2,
    Year4,
    Year5,
    Year6,
    WeekYear2,
    WeekYear,
    IsoWeekYear2,
    IsoWeekYear,
    Era,
    EraLong,
    MeridiemLower,
    MeridiemUpper,
    Hour,
    Hour2,
    /// 1 to 12.
    HalfHour,
    HalfHour2,
    /// 1 to 24.
    ClockHour,
    ClockHour2,
    Minute,
    Minute2,
    Second,
    Second2,
    /// A number of digits of the fraction of a second.
    Fraction(usize),
    /// Hours and minutes, or also seconds, without separators.
    HourMinute,
    HourMinuteSecond,
    HalfHourMinute,
    HalfHourMinuteSecond,
    Offset,
    OffsetCompact,
    /// Empty in local time, as in moment.js.
    ZoneName,
    Seconds,
    Milliseconds,
}

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Token(Token),
    Literal(String),
}

/// The spellings of tokens; of those that fit, the longest counts.
const SPELLINGS: [(&str, Token); 74] = [
    ("Hmmss", Token::HourMinuteSecond),
    ("hmmss", Token::HalfHourMinuteSecond),
    ("Hmm", Token::HourMinute),
    ("hmm", Token::HalfHourMinute),
    ("MMMM", Token::MonthLong),
    ("MMM", Token::MonthShort),
    ("MM", Token::Month2),
    ("Mo", Token::MonthOrdinal),
    ("M", Token::Month),
    ("Qo", Token::QuarterOrdinal),
    ("Q", Token::Quarter),
    ("DDDD", Token::DayOfYear3),
    ("DDDo", Token::DayOfYearOrdinal),
    ("DDD", Token::DayOfYear),
    ("DD", Token::Day2),
    ("Do", Token::DayOrdinal),
    ("D", Token::Day),
    ("dddd", Token::WeekdayLong),
    ("ddd", Token::WeekdayShort),
    ("dd", Token::WeekdayMin),
    ("do", Token::WeekdayOrdinal),
    ("d", Token::Weekday),
    ("e", Token::Weekday),
    ("E", Token::IsoWeekday),
    ("ww", Token::Week2),
    ("wo", Token::WeekOrdinal),
    ("w", Token::Week),
    ("WW", Token::IsoWeek2),
    ("Wo", Token::IsoWeekOrdinal),
    ("W", Token::IsoWeek),
    ("YYYYYY", Token::Year6),
    ("YYYYY", Token::Year5),
    ("YYYY", Token::Year4),
    ("YY", Token::Year2),
    ("Y", Token::Year),
    ("yyyy", Token::EraYear),
    ("yyy", Token::EraYear),
    ("yy", Token::EraYear),
    ("y", Token::EraYear),
    ("gggg", Token::WeekYear),
    ("gg", Token::WeekYear2),
    ("GGGG", Token::IsoWeekYear),
    ("GG", Token::IsoWeekYear2),
    ("NNNNN", Token::Era),
    ("NNNN", Token::EraLong),
    ("NNN", Token::Era),
    ("NN", Token::Era),
    ("N", Token::Era),
    ("a", Token::MeridiemLower),
    ("A", Token::MeridiemUpper),
    ("HH", Token::Hour2),
    ("H", Token::Hour),
    ("hh", Token::HalfHour2),
    ("h", Token::HalfHour),
    ("kk", Token::ClockHour2),
    ("k", Token::ClockHour),
    ("mm", Token::Minute2),
    ("m", Token::Minute),
    ("ss", Token::Second2),
    ("s", Token::Second),
    ("SSSSSSSSS", Token::Fraction(9)),
    ("SSSSSSSS", Token::Fraction(8)),
    ("SSSSSSS", Token::Fraction(7)),
    ("SSSSSS", Token::Fraction(6)),
    ("SSSSS", Token::Fraction(5)),
    ("SSSS", Token::Fraction(4)),
    ("SSS", Token::Fraction(3)),
    ("SS", Token::Fraction(2)),
    ("S", Token::Fraction(1)),
    ("ZZ", Token::OffsetCompact),
    ("Z", Token::Offset),
    ("z", Token::ZoneName),
    ("X", Token::Seconds),
    ("x", Token::Milliseconds),
];

/// Formats of the English locale.
const LOCAL: [(&str, &str); 10] = [
    ("LTS", "h:mm:ss A"),
    ("LT", "h:mm A"),
    ("LLLL", "dddd, MMMM D, YYYY h:mm A"),
    ("LLL", "MMMM D, YYYY h:mm A"),
    ("LL", "MMMM D, YYYY"),
    ("L", "MM/DD/YYYY"),
    ("llll", "ddd, MMM D, YYYY h:mm A"),
    ("lll", "MMM D, YYYY h:mm A"),
    ("ll", "MMM D, YYYY"),
    ("l", "M/D/YYYY"),
];

/// Splits a format. Text in brackets and characters after a backslash are literal.
pub(super) fn split_format(format: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if let Some((literal, after)) = split_bracketed(rest) {
            push_literal(&mut parts, literal);
            rest = after;
        } else if let Some(escaped) = rest.strip_prefix('\\').filter(|escaped| !escaped.is_empty())
        {
            let end = find_longest(escaped, &SPELLINGS).map_or_else(
                || escaped.chars().next().map_or(0, char::len_utf8),
                |(spelling, _)| spelling.len(),
            );
            push_literal(&mut parts, &escaped[..end]);
            rest = &escaped[end..];
        } else if let Some((spelling, long)) = find_longest(rest, &LOCAL) {
            parts.extend(split_format(long));
            rest = &rest[spelling.len()..];
        } else if let Some((spelling, token)) = find_longest(rest, &SPELLINGS) {
            parts.push(Part::Token(*token));
            rest = &rest[spelling.len()..];
        } else {
            push_literal(&mut parts, &rest[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
        }
    }
    parts
}

/// The first of the spellings that the text starts with. Longer spellings come first in the lists.
fn find_longest<'a, T>(text: &str, spellings: &'a [(&'a str, T)]) -> Option<&'a (&'a str, T)> {
    spellings.iter().find(|(spelling, _)| text.starts_with(spelling))
}

/// The text in brackets at the start, which contains no other opening bracket.
fn split_bracketed(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?;
    let end = inside.find(['[', ']']).filter(|&end| inside[end..].starts_with(']'))?;
    // The longest text without an opening bracket ends at the last closing one.
    let reach = inside.find('[').unwrap_or(inside.len());
    let end = inside[..reach].rfind(']').unwrap_or(end);
    Some((&inside[..end], &inside[end + 1..]))
}

fn push_literal(parts: &mut Vec<Part>, literal: &str) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push_str(literal),
        _ => parts.push(Part::Literal(literal.to_owned())),
    }
}
