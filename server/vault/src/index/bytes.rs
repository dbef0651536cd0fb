//! Lists of bytes for serde, which takes them for lists of anything, and goes through them one by one.

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    <&[u8]>::deserialize(deserializer).map(<[u8]>::to_vec)
}
