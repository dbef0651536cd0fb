//! A bar chart, drawn when the site is built. The table beside it has the same numbers for those who cannot see it.

use maud::{Markup, html};

use crate::document::Bar;
use crate::number::group_digits;

const ROW: usize = 30;
const BAR: usize = 18;
/// Where the bars begin, and how long the longest is.
const START: usize = 250;
const LONGEST: usize = 400;
const WIDTH: usize = START + LONGEST + 90;

pub(crate) fn draw(bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(1).max(1);
    let height = ROW * bars.len();
    html! {
        figure.chart {
            svg viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) aria-hidden="true" {
                @for (at, bar) in bars.iter().enumerate() {
                    @let y = at * ROW;
                    @let width = (bar.value * LONGEST / most).max(1);
                    text x=(START - 10) y=(y + 20) text-anchor="end" { (bar.name) }
                    rect x=(START) y=(y + 6) width=(width) height=(BAR) rx="3" {}
                    text.value x=(START + width + 8) y=(y + 20) { (group_digits(bar.value)) }
                }
            }
        }
    }
}
