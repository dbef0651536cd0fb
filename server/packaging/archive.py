"""Archives of the kinds that packages are, with equal bytes for equal content: no time, no user, no order of a disk."""

import gzip
import hashlib
import io
import lzma
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

# The first moment that a ZIP archive can name, in seconds since 1970.
EPOCH = 315_532_800
EPOCH_DATE = (1980, 1, 1, 0, 0, 0)


def deb_time():
    """The fixed time, as a Debian changelog has it."""
    return "Tue, 01 Jan 1980 00:00:00 +0000"


def smallest(data):
    """A file that Debian wants compressed as far as it goes."""
    return gzip.compress(data, 9, mtime=0)


class Entry(NamedTuple):
    """A file in an archive."""

    path: str
    data: bytes
    mode: int = 0o644


class Packer:
    """Writes packages into a folder, and knows their sums."""

    def __init__(self, out, level):
        self.out = Path(out)
        self.level = level

    def write(self, path, data, mode=0o644):
        place = self.out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(mode)

    def folder(self, path):
        (self.out / path).mkdir(parents=True, exist_ok=True)

    def sum(self, path):
        return hashlib.sha256((self.out / path).read_bytes()).hexdigest()

    def write_sums(self, folder):
        """The sums of a folder's files, in the form of sha256sum."""
        if not (self.out / folder).is_dir():
            return
        names = sorted(path.name for path in (self.out / folder).iterdir())
        names = [name for name in names if name != "SHA256SUMS"]
        lines = [f"{self.sum(f'{folder}/{name}')}  {name}\n" for name in names]
        self.write(f"{folder}/SHA256SUMS", "".join(lines).encode())

    def gz(self, data):
        return gzip.compress(data, self.level, mtime=0)

    def tar_gz(self, entries):
        return self.gz(tar(entries))

    def zip(self, entries):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=self.level) as archive:
            for entry in entries:
                about = zipfile.ZipInfo(entry.path, EPOCH_DATE)
                about.compress_type = zipfile.ZIP_DEFLATED
                # As on Unix wherever it is made, so that modes are kept.
                about.create_system = 3
                about.external_attr = (stat.S_IFREG | entry.mode) << 16
                archive.writestr(about, entry.data)
        return file.getvalue()

    def deb(self, control, content):
        """A Debian package: an archive of ar with two of tar."""
        preset = 0 if self.level == 1 else 6
        members = {
            "debian-binary": b"2.0\n",
            "control.tar.gz": self.gz(tar(control, prefix="./")),
            "data.tar.xz": lzma.compress(tar(content, prefix="./", folders=True), preset=preset),
        }
        parts = [b"!<arch>\n"]
        for name, data in members.items():
            header = f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n"
            parts += [header.encode(), data, b"\n" * (len(data) % 2)]
        return b"".join(parts)


def tar(entries, prefix="", folders=False):
    """An archive of tar, owned by root; with `folders`, it also has those that the files are in."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        if folders:
            parents = {str(parent) for entry in entries for parent in Path(entry.path).parents}
            for path in sorted(parents):
                about = header(prefix if path == "." else f"{prefix}{path}/", 0o755)
                about.type = tarfile.DIRTYPE
                archive.addfile(about)
        for entry in entries:
            about = header(prefix + entry.path, entry.mode)
            about.size = len(entry.data)
            archive.addfile(about, io.BytesIO(entry.data))
    return file.getvalue()


def header(path, mode):
    about = tarfile.TarInfo(path)
    about.mode = mode
    about.mtime = EPOCH
    about.uname = about.gname = "root"
    return about
