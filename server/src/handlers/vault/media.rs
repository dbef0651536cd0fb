//! `vault.attachment`: files that are not notes, as blocks of content.

use std::ops::RangeInclusive;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use toolwrit::{Code, Content, ContentBlock, Fault, Result};
use toolwrit_media::{MediaError, MediaKind, read_pdf, show_picture};
use toolwrit_vault::{Attachment, Vault, VaultPath};

use super::super::sizes::to_size;
use crate::faults::fault;
use crate::operations::vault;

/// Most bytes of a picture or a recording. In base64 they fit into the results that clients take.
const MOST_MEDIA: usize = 700_000;
/// Most bytes of text, unless the call says otherwise.
const MOST_TEXT: usize = 100_000;
/// Largest files that are read.
const LARGEST_PICTURE: u64 = 64 * 1024 * 1024;
const LARGEST_PDF: u64 = 20 * 1024 * 1024;
const LARGEST_TEXT: u64 = 1024 * 1024;

const LINK: &str = "`as: link` names the file, so that the user can open it.";

/// The characters that a path in a URI may have.
const IN_URI: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Shows a file.
pub(super) fn attachment(vault: &Vault, p: &vault::Attachment) -> Result<Content> {
    let path = VaultPath::parse(&p.path).map_err(|error| fault(error.into()))?;
    let file = vault.attachment(&path).map_err(fault)?;
    let (kind, mime_type) = MediaKind::from_name(file.path.name());
    let header = Header { path: file.path.to_string(), mime_type, size: file.size };
    if p.pages.is_some() && kind != MediaKind::Pdf {
        let message = format!("`{}` is no PDF document, so it has no pages.", header.path);
        return Err(Fault::validation(message).with_path("/pages"));
    }
    let most_media = p.max_bytes.map_or(MOST_MEDIA, to_size).min(MOST_MEDIA);
    let most_text = p.max_bytes.map_or(MOST_TEXT, to_size);
    let only_text = matches!(p.r#as, vault::AttachmentAs::Text);
    match (&p.r#as, kind) {
        (vault::AttachmentAs::Link, _) => Ok(link(vault, &header, "")),
        (_, MediaKind::Image) => show_image(file, &header, most_media, only_text),
        (_, MediaKind::Svg) => show_svg(file, &header, most_text),
        (_, MediaKind::Pdf) => show_pdf(file, &header, p.pages.as_deref(), most_text),
        (_, MediaKind::Audio) if !only_text => show_audio(file, &header, most_media),
        (_, MediaKind::Text) => Ok(link(vault, &header, "vault.read reads its text.")),
        (_, MediaKind::Audio | MediaKind::Other) => Ok(link(vault, &header, "")),
    }
}

/// What is said about each file.
struct Header {
    path: String,
    mime_type: &'static str,
    size: u64,
}

impl Header {
    fn block(&self, mime_type: &str, more: &str) -> ContentBlock {
        let Self { path, size, .. } = self;
        ContentBlock::text(format!("path: {path}\ntype: {mime_type}\nbytes: {size}\n{more}"))
    }

    /// The fault for a file that cannot be shown.
    fn fault(&self, error: &MediaError) -> Fault {
        let message = format!("`{}` cannot be shown: {error}.", self.path);
        match error {
            MediaError::TooManyPixels { .. } | MediaError::TooLarge(_) => limit(message),
            MediaError::NoSuchPages(total) => Fault::validation(message)
                .with_path("/pages")
                .expecting(format!("pages from 1 to {total}")),
            MediaError::Encrypted | MediaError::Unreadable(_) => {
                Fault::validation(message).hinting(LINK)
            }
        }
    }

    /// Reads a file of at most this many bytes.
    fn read(&self, file: Attachment, most: u64) -> Result<Vec<u8>> {
        if self.size > most {
            let Self { path, mime_type, size } = self;
            let message =
                format!("`{path}` has {size} bytes; of {mime_type}, at most {most} are read.");
            return Err(limit(message));
        }
        file.read(most).map_err(fault)
    }
}

fn limit(message: String) -> Fault {
    Fault::new(Code::LimitExceeded, message).retryable(false).hinting(LINK)
}

/// A link to a file, which clients show to their users.
fn link(vault: &Vault, header: &Header, more: &str) -> Content {
    let (name, path) = (vault.name(), &header.path);
    let encode = |text| utf8_percent_encode(text, IN_URI).to_string();
    let uri = format!("vault://{}/{}", encode(&name), encode(path));
    [header.block(header.mime_type, more), ContentBlock::link(uri, path.as_str())].into()
}

fn show_image(file: Attachment, header: &Header, most: usize, only_text: bool) -> Result<Content> {
    let bytes = header.read(file, LARGEST_PICTURE)?;
    let picture = show_picture(bytes, most).map_err(|error| header.fault(&error))?;
    let ((width, height), (shown_width, shown_height)) = (picture.original_size, picture.size);
    let shown = if picture.original_size == picture.size {
        String::new()
    } else {
        format!("shown: {shown_width} x {shown_height}\n")
    };
    let said = header.block(picture.original_type, &format!("pixels: {width} x {height}\n{shown}"));
    if only_text {
        return Ok(said.into());
    }
    Ok([said, ContentBlock::image(picture.bytes, picture.mime_type)].into())
}

fn show_svg(file: Attachment, header: &Header, most: usize) -> Result<Content> {
    let bytes = header.read(file, LARGEST_TEXT)?;
    let text = String::from_utf8_lossy(&bytes);
    let kept = &text[..text.floor_char_boundary(most)];
    let more = if kept.len() < text.len() { "truncated: true\n" } else { "" };
    Ok([header.block(header.mime_type, more), ContentBlock::text(kept)].into())
}

fn show_audio(file: Attachment, header: &Header, most: usize) -> Result<Content> {
    let bytes = header.read(file, most as u64)?;
    let said = header.block(header.mime_type, "");
    Ok([said, ContentBlock::audio(bytes, header.mime_type)].into())
}

fn show_pdf(
    file: Attachment,
    header: &Header,
    pages: Option<&str>,
    most: usize,
) -> Result<Content> {
    let pages = parse_pages(pages.unwrap_or("1-"))?;
    let last_wanted = *pages.end();
    let bytes = header.read(file, LARGEST_PDF)?;
    let read = read_pdf(&bytes, pages).map_err(|error| header.fault(&error))?;
    let mut blocks = Vec::new();
    let mut left = most;
    let (mut first, mut last) = (None, 0);
    for (number, text) in read.pages {
        if left == 0 {
            break;
        }
        let kept = text.floor_char_boundary(left);
        let is_cut = kept < text.len();
        left = if is_cut { 0 } else { left - kept };
        (first, last) = (first.or(Some(number)), number);
        let end = if is_cut { "\n[truncated: true; `max_bytes` was reached]" } else { "" };
        let text = if text.is_empty() { "[no text; it may be a picture]" } else { &text[..kept] };
        blocks.push(ContentBlock::text(format!("page {number}:\n{text}{end}")));
    }
    let mut more = format!("pages: {}-{last} of {}\n", first.unwrap_or(last), read.total);
    if last < read.total.min(last_wanted) {
        more = format!("{more}next: {}-\n", last + 1);
    }
    blocks.insert(0, header.block(header.mime_type, &more));
    Ok(blocks.into_iter().collect())
}

/// Parses a range of pages: `3`, `3-9` or `3-`.
fn parse_pages(range: &str) -> Result<RangeInclusive<u32>> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let last = if last.is_empty() { Ok(u32::MAX) } else { last.parse() };
    match (first.parse(), last) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok(first..=last),
        _ => Err(Fault::validation(format!("`{range}` are no pages."))
            .with_path("/pages")
            .expecting("pages such as 3, 3-9 or 3-")),
    }
}
