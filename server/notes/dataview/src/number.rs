//! Numbers as text.

/// A number as JavaScript writes it.
pub(crate) fn format(number: f64) -> String {
    ryu_js::Buffer::new().format(number).to_owned()
}

/// A number with commas between thousands.
pub(crate) fn group_digits(number: f64) -> String {
    let text = format(number);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.extend([".", fraction]);
    }
    grouped
}

/// The length of the number at the start of a text: digits, with `-` before and a fraction after them.
pub(crate) fn prefix_length(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(&text[sign..]);
    if whole == 0 {
        return None;
    }
    let end = sign + whole;
    let fraction = text[end..].strip_prefix('.').map_or(0, digits);
    Some(if fraction > 0 { end + 1 + fraction } else { end })
}

pub(crate) fn find_first(text: &str) -> Option<f64> {
    let mut starts = text.char_indices().filter(|(_, c)| *c == '-' || c.is_ascii_digit());
    let number = |at: usize| Some(&text[at..][..prefix_length(&text[at..])?]);
    starts.find_map(|(at, _)| number(at)).and_then(|number| number.parse().ok())
}
