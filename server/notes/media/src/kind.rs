//! What a file is.

/// What a file is, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// PNG, JPEG, WebP or GIF.
    Image,
    /// SVG, which is text.
    Svg,
    Audio,
    Pdf,
    /// A format of text that is no note: a canvas, CSV, source code.
    Text,
    Other,
}

/// Kinds and MIME types by the end of a name.
const TYPES: [(&[&str], MediaKind, &str); 30] = [
    (&["png"], MediaKind::Image, "image/png"),
    (&["jpg", "jpeg"], MediaKind::Image, "image/jpeg"),
    (&["webp"], MediaKind::Image, "image/webp"),
    (&["gif"], MediaKind::Image, "image/gif"),
    (&["svg"], MediaKind::Svg, "image/svg+xml"),
    (&["mp3"], MediaKind::Audio, "audio/mpeg"),
    (&["wav"], MediaKind::Audio, "audio/wav"),
    (&["m4a"], MediaKind::Audio, "audio/mp4"),
    (&["ogg", "oga", "opus"], MediaKind::Audio, "audio/ogg"),
    (&["flac"], MediaKind::Audio, "audio/flac"),
    (&["aac"], MediaKind::Audio, "audio/aac"),
    (&["pdf"], MediaKind::Pdf, "application/pdf"),
    (&["md"], MediaKind::Text, "text/markdown"),
    (&["txt", "log", "base", "org", "rst"], MediaKind::Text, "text/plain"),
    (&["canvas", "json"], MediaKind::Text, "application/json"),
    (&["csv"], MediaKind::Text, "text/csv"),
    (&["tsv"], MediaKind::Text, "text/tab-separated-values"),
    (&["html", "htm"], MediaKind::Text, "text/html"),
    (&["css"], MediaKind::Text, "text/css"),
    (&["js", "mjs", "ts"], MediaKind::Text, "text/javascript"),
    (&["xml"], MediaKind::Text, "application/xml"),
    (&["yaml", "yml", "toml", "bib", "tex", "py", "sh", "ics"], MediaKind::Text, "text/plain"),
    (&["bmp"], MediaKind::Other, "image/bmp"),
    (&["avif"], MediaKind::Other, "image/avif"),
    (&["heic", "heif"], MediaKind::Other, "image/heic"),
    (&["tif", "tiff"], MediaKind::Other, "image/tiff"),
    (&["mp4", "m4v"], MediaKind::Other, "video/mp4"),
    (&["webm"], MediaKind::Other, "video/webm"),
    (&["mov"], MediaKind::Other, "video/quicktime"),
    (&["zip"], MediaKind::Other, "application/zip"),
];

impl MediaKind {
    /// The kind and the MIME type of a file with this name.
    pub fn from_name(name: &str) -> (Self, &'static str) {
        let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
        let known = TYPES.iter().find(|(ends, ..)| ends.contains(&end.as_str()));
        known.map_or((Self::Other, "application/octet-stream"), |(_, kind, mime)| (*kind, mime))
    }
}
