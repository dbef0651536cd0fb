//! Vaults generated from a seed, with the same notes each time.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// `SplitMix64`: small, seeded, good enough to choose.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    /// A word's rank in a language of 32,767 words with frequencies by Zipf's law: every octave of
    /// ranks is equally likely.
    fn rank(&mut self) -> usize {
        let octave = self.below(15);
        (1 << octave) - 1 + self.below(1 << octave)
    }

    pub(crate) fn choose<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// How many notes are in one folder.
const FOLDER: usize = 100;
const STATUS: [&str; 4] = ["todo", "in progress", "done", "blocked"];
const SYLLABLES: [&str; 24] = [
    "ka", "lo", "mi", "ren", "ta", "su", "vel", "on", "dar", "i", "pe", "gral", "un", "sto", "be",
    "fi", "nor", "a", "cle", "ti", "mor", "ed", "ing", "qua",
];

/// A word by its number.
fn word(number: usize) -> String {
    let mut rest = number + SYLLABLES.len();
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

/// The path of a note by its number, `.md` left out.
pub(crate) fn note_path(number: usize) -> String {
    format!("Area {}/Folder {}/Note {number}", number / (FOLDER * 20), number / FOLDER)
}

/// A note of about 2.4 KB in a vault of `count`: frontmatter, headings, prose, tags, tasks, links.
pub(crate) fn note(number: usize, count: usize) -> String {
    let mut random = Random(number as u64);
    let mut text = format!(
        "---\ntitle: Note {number}\nstatus: {}\npriority: {}\ndue: 2026-{:02}-{:02}\ntags: [project, area{}]\n---\n\n# Note {number}\n\n",
        random.choose(&STATUS),
        random.below(5),
        1 + random.below(12),
        1 + random.below(28),
        random.below(40),
    );
    for section in 0..4 {
        let heading = [word(random.rank()), word(random.rank())].join(" ");
        writeln!(text, "## {heading}\n").unwrap();
        for _ in 0..80 {
            text.push_str(&word(random.rank()));
            text.push(if random.below(12) == 0 { '\n' } else { ' ' });
        }
        let linked = random.below(count);
        let link = match section {
            0 => format!("[[Note {linked}]]"),
            1 => format!("[[{}|another]]", note_path(linked)),
            2 => format!("[text](<{}.md>)", note_path(linked)),
            _ => format!("[[Note {}#{heading}]]", random.below(10)),
        };
        writeln!(text, "\n\n- [ ] See {link} #task/{}\n", random.below(10)).unwrap();
    }
    text
}

/// Writes a vault of `count` notes into an empty folder.
pub(crate) fn write(folder: &Path, count: usize) {
    for number in 0..count {
        let file = folder.join(note_path(number) + ".md");
        if number % FOLDER == 0 {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        fs::write(file, note(number, count)).unwrap();
    }
}
