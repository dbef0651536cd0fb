#!/bin/sh
# Installs @PROGRAM@ @VERSION@ for one user: downloads the archive for this system, compares its sum, unpacks the program.
#
#   sh @PROGRAM@-installer.sh [--to FOLDER] [--from ADDRESS]
set -eu

to=${HOME:?}/.local/bin
from=@DOWNLOADS@

fail() {
    echo "@PROGRAM@ is not installed: $1" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        --to) to=${2:?"--to needs a folder"} ;;
        --from) from=${2:?"--from needs an address"} ;;
        *) fail "unknown argument $1; expected --to FOLDER or --from ADDRESS" ;;
    esac
    shift 2
done

# A glibc that is too old, or another C library, gets the static program.
linux() {
    version=$(getconf GNU_LIBC_VERSION 2>/dev/null) || version="none 0.0"
    version=${version#* }
    needed=@GLIBC@
    if [ "${version%%.*}" -gt "${needed%%.*}" ] ||
        { [ "${version%%.*}" -eq "${needed%%.*}" ] && [ "${version#*.}" -ge "${needed#*.}" ]; }; then
        echo unknown-linux-gnu
    else
        echo unknown-linux-musl
    fi
}

case $(uname -s) in
    Linux) system=$(linux) ;;
    Darwin) system=apple-darwin ;;
    *) fail "no archive for $(uname -s); see @REPOSITORY@/releases" ;;
esac
case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "no archive for $(uname -m); see @REPOSITORY@/releases" ;;
esac

download() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document "$2" "$1"
    else
        fail "neither curl nor wget is here"
    fi || fail "$1 cannot be downloaded"
}

sum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    else
        shasum --algorithm 256 "$1"
    fi | cut -d ' ' -f 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
name=@PROGRAM@-@VERSION@-$machine-$system
archive=$name.tar.gz
download "$from/SHA256SUMS" "$folder/SHA256SUMS"
download "$from/$archive" "$folder/$archive"
expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/SHA256SUMS")
[ -n "$expected" ] || fail "$from/SHA256SUMS has no line for $archive"
found=$(sum "$folder/$archive")
[ "$found" = "$expected" ] || fail "$archive has the sum $found, and SHA256SUMS says $expected"

tar -xzf "$folder/$archive" -C "$folder"
mkdir -p "$to"
# A program that runs cannot be written to, but another may take its name.
cp "$folder/$name/@PROGRAM@" "$to/.@PROGRAM@.new"
chmod 755 "$to/.@PROGRAM@.new"
mv -f "$to/.@PROGRAM@.new" "$to/@PROGRAM@"
echo "installed $to/@PROGRAM@"
case :$PATH: in
    *":$to:"*) ;;
    *) echo "$to is not in PATH; add it, or give clients the whole path" ;;
esac
