//! Images and PDF documents.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use toolwrit_media::{LONGEST_SIDE, MOST_PAGES, MediaError, MediaKind, read_pdf, show_picture};

const MOST: usize = 700_000;

fn encode(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// An image that does not compress.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()])))
}

fn plain(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgba8(RgbaImage::from_pixel(width, height, Rgba([200, 30, 30, 128])))
}

const FORMATS: [(ImageFormat, &str); 4] = [
    (ImageFormat::Png, "image/png"),
    (ImageFormat::Jpeg, "image/jpeg"),
    (ImageFormat::WebP, "image/webp"),
    (ImageFormat::Gif, "image/gif"),
];

#[test]
fn an_image_that_is_small_enough_keeps_its_bytes() {
    for (format, mime_type) in FORMATS {
        let source = DynamicImage::ImageRgb8(plain(40, 30).to_rgb8());
        let bytes = encode(&source, format);
        let shown = show_picture(bytes.clone(), MOST).unwrap();
        assert_eq!((shown.bytes, shown.mime_type, shown.size), (bytes, mime_type, (40, 30)));
    }
}

#[test]
fn a_large_image_is_scaled_until_it_fits() {
    for (source, format) in [
        (plain(3_000, 1_500), ImageFormat::Png),
        (plain(3, 20_000), ImageFormat::Png),
        (noise(1_200, 1_200), ImageFormat::Png),
        (noise(2_400, 1_800), ImageFormat::Jpeg),
    ] {
        let source = if format == ImageFormat::Jpeg {
            DynamicImage::ImageRgb8(source.to_rgb8())
        } else {
            source
        };
        let shown = show_picture(encode(&source, format), MOST).unwrap();
        let decoded = image::load_from_memory(&shown.bytes).unwrap();
        assert_eq!((decoded.width(), decoded.height()), shown.size);
        assert!(shown.bytes.len() <= MOST && shown.size.0.max(shown.size.1) <= LONGEST_SIDE);
        assert_eq!(shown.original_size, (source.width(), source.height()));
        let guessed = image::guess_format(&shown.bytes).unwrap();
        assert!(FORMATS.contains(&(guessed, shown.mime_type)));
    }
}

#[test]
fn what_is_no_image_or_too_large_is_an_error() {
    let mut png = encode(&plain(2_000, 10), ImageFormat::Png);
    for bytes in [Vec::new(), b"<svg/>".to_vec(), b"BM123456789".to_vec(), png[..60].to_vec()] {
        let error = show_picture(bytes, MOST).unwrap_err();
        assert!(matches!(error, MediaError::Unreadable(_)), "{error}");
    }
    // The dimensions in the header of a PNG.
    png[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let crc = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&crc.to_be_bytes());
    let error = show_picture(png, MOST).unwrap_err();
    assert!(matches!(error, MediaError::TooManyPixels { width: 65_536, .. }), "{error}");
    let error = show_picture(encode(&noise(300, 300), ImageFormat::Png), 100).unwrap_err();
    assert_eq!(error, MediaError::TooLarge(100));
}

/// The checksum of a chunk of PNG.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 }
        })
    })
}

/// A document with a page for each text.
fn pdf(texts: &[&str]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let pages_id = document.new_object_id();
    let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" };
    let font = document.add_object(font);
    let fonts = dictionary! { "F1" => font };
    let resources = document.add_object(dictionary! { "Font" => fonts });
    let kids: Vec<Object> = texts
        .iter()
        .map(|text| {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Tj", vec![Object::string_literal(*text)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page =
                dictionary! { "Type" => "Page", "Parent" => pages_id, "Contents" => content };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(texts.len()).unwrap();
    let pages = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    };
    document.objects.insert(pages_id, Object::Dictionary(pages));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages_id });
    document.trailer.set("Root", catalog);
    document.compress();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn the_text_of_pages_is_read() {
    let bytes = pdf(&["Alpha", "Beta", "Gamma"]);
    let read = |pages| read_pdf(&bytes, pages).map(|text| text.pages);
    assert_eq!(read(2..=9).unwrap(), [(2, "Beta".to_owned()), (3, "Gamma".to_owned())]);
    assert_eq!(read_pdf(&bytes, 1..=1).unwrap().total, 3);
    assert_eq!(read(4..=9), Err(MediaError::NoSuchPages(3)));
    let texts = vec!["x"; 50];
    let read = read_pdf(&pdf(&texts), 1..=u32::MAX).unwrap();
    assert_eq!((read.pages.len(), read.total), (MOST_PAGES as usize, 50));
}

#[test]
fn a_damaged_document_is_an_error_or_less_text() {
    let bytes = pdf(&["Alpha", "Beta"]);
    for end in 0..bytes.len() {
        let _ = read_pdf(&bytes[..end], 1..=9);
        let mut damaged = bytes.clone();
        damaged[end] ^= 0x5A;
        let _ = read_pdf(&damaged, 1..=9);
    }
    assert!(matches!(read_pdf(b"no document", 1..=1), Err(MediaError::Unreadable(_))));
}

#[test]
fn the_end_of_a_name_says_what_a_file_is() {
    for (name, kind, mime_type) in [
        ("a.PNG", MediaKind::Image, "image/png"),
        ("a.b.jpeg", MediaKind::Image, "image/jpeg"),
        ("a.svg", MediaKind::Svg, "image/svg+xml"),
        ("a.m4a", MediaKind::Audio, "audio/mp4"),
        ("a.pdf", MediaKind::Pdf, "application/pdf"),
        ("a.csv", MediaKind::Text, "text/csv"),
        ("png", MediaKind::Other, "application/octet-stream"),
    ] {
        assert_eq!(MediaKind::from_name(name), (kind, mime_type), "{name}");
    }
}
