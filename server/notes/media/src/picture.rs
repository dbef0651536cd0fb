//! Images that are small enough.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use crate::error::{MediaError, decode};

/// Longest side of a picture, in pixels: larger ones are scaled down before a model sees them.
pub const LONGEST_SIDE: u32 = 1_568;
/// Most pixels that are decoded.
const MOST_PIXELS: u64 = 50_000_000;
/// Longest side that is decoded. Scaling needs memory for whole rows.
const MOST_SIDE: u32 = 30_000;
/// Most memory for the decoded pixels, whose channels may have 16 bits.
const MOST_MEMORY: u64 = 8 * MOST_PIXELS + 64 * 1024 * 1024;
/// Qualities of JPEG, tried in this order.
const QUALITIES: [u8; 3] = [85, 70, 50];
/// Shortest longest side that is tried.
const SHORTEST: u32 = 64;

/// An image that is small enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The bytes as they were, or a smaller version.
    pub bytes: Vec<u8>,
    pub mime_type: &'static str,
    /// The MIME type of the file, by its content.
    pub original_type: &'static str,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Width and height of the image in the file.
    pub original_size: (u32, u32),
}

/// An image of at most `most_bytes` bytes, and [`LONGEST_SIDE`] pixels. One that is small enough keeps its bytes.
///
/// # Errors
/// [`MediaError`] if it is no PNG, JPEG, WebP or GIF, or cannot be decoded or made small enough.
pub fn show_picture(bytes: Vec<u8>, most_bytes: usize) -> Result<Picture, MediaError> {
    decode(|| {
        let format = image::guess_format(&bytes).map_err(|error| unreadable(&error))?;
        let original_type = mime_type(format)
            .ok_or_else(|| MediaError::Unreadable("it is no PNG, JPEG, WebP or GIF".to_owned()))?;
        let reader = ImageReader::with_format(Cursor::new(&bytes), format);
        let (width, height) = reader.into_dimensions().map_err(|error| unreadable(&error))?;
        if u64::from(width) * u64::from(height) > MOST_PIXELS || width.max(height) > MOST_SIDE {
            return Err(MediaError::TooManyPixels { width, height, most: MOST_PIXELS });
        }
        let original_size = (width, height);
        if width.max(height) <= LONGEST_SIDE && bytes.len() <= most_bytes {
            let mime_type = original_type;
            return Ok(Picture {
                bytes,
                mime_type,
                original_type,
                size: original_size,
                original_size,
            });
        }
        let pixels = decode_pixels(&bytes, format).map_err(|error| unreadable(&error))?;
        drop(bytes);
        let Shrunk { bytes, format, size } = shrink(&pixels, format, most_bytes)?;
        let mime_type = mime_type(format).unwrap_or(original_type);
        Ok(Picture { bytes, mime_type, original_type, size, original_size })
    })
}

fn mime_type(format: ImageFormat) -> Option<&'static str> {
    Some(match format {
        ImageFormat::Png => "image/png",
        ImageFormat::Jpeg => "image/jpeg",
        ImageFormat::WebP => "image/webp",
        ImageFormat::Gif => "image/gif",
        _ => return None,
    })
}

fn unreadable(error: &ImageError) -> MediaError {
    MediaError::Unreadable(error.to_string())
}

fn decode_pixels(bytes: &[u8], format: ImageFormat) -> Result<DynamicImage, ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut pixels = DynamicImage::from_decoder(decoder)?;
    pixels.apply_orientation(orientation);
    Ok(pixels)
}

/// An image that was made smaller.
struct Shrunk {
    bytes: Vec<u8>,
    format: ImageFormat,
    size: (u32, u32),
}

/// An image with at most this many bytes: as PNG if it was none of JPEG and still fits, otherwise as JPEG, of less quality
/// before fewer pixels.
fn shrink(
    pixels: &DynamicImage,
    format: ImageFormat,
    most_bytes: usize,
) -> Result<Shrunk, MediaError> {
    let mut longest = LONGEST_SIDE.min(pixels.width().max(pixels.height()));
    loop {
        let scaled = pixels.resize(longest, longest, FilterType::Triangle);
        let size = (scaled.width(), scaled.height());
        if format != ImageFormat::Jpeg {
            let mut png = Cursor::new(Vec::new());
            let scaled = DynamicImage::ImageRgba8(scaled.to_rgba8());
            scaled.write_to(&mut png, ImageFormat::Png).map_err(|error| unreadable(&error))?;
            if png.get_ref().len() <= most_bytes {
                return Ok(Shrunk { bytes: png.into_inner(), format: ImageFormat::Png, size });
            }
        }
        let opaque = on_white(&scaled);
        for quality in QUALITIES {
            let mut jpeg = Vec::new();
            let encoder = JpegEncoder::new_with_quality(&mut jpeg, quality);
            opaque.write_with_encoder(encoder).map_err(|error| unreadable(&error))?;
            if jpeg.len() <= most_bytes {
                return Ok(Shrunk { bytes: jpeg, format: ImageFormat::Jpeg, size });
            }
        }
        longest = longest / 4 * 3;
        if longest < SHORTEST {
            return Err(MediaError::TooLarge(most_bytes));
        }
    }
}

/// An image without transparency, which JPEG cannot have.
fn on_white(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return DynamicImage::ImageRgb8(image.to_rgb8());
    }
    let mut pixels = image.to_rgba8();
    for pixel in pixels.pixels_mut() {
        let [.., alpha] = pixel.0;
        let alpha = u16::from(alpha);
        for channel in &mut pixel.0[..3] {
            let mixed = (u16::from(*channel) * alpha + 255 * (255 - alpha)) / 255;
            *channel = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
    }
    DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).to_rgb8())
}
