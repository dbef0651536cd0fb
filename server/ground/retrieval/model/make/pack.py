#!/usr/bin/env python3
"""Packs a distilled model into the files that the crate reads. Standard library only.

    pack.py DIR

DIR holds what distil.py writes: vocab.txt (a word or ##piece a line), values.i8 (int8, 128 a row) and
scales.f32 (a little-endian float32 a row), rows in the order of vocab.txt. Rows are sorted by the bytes of
their word, so that a program finds them without building a table; special tokens are left out, and
words that are not ASCII: the teacher knows English."""

import pathlib
import re
import sys

DIMENSIONS = 128


def main(source: pathlib.Path, target: pathlib.Path) -> None:
    words = (source / "vocab.txt").read_text(encoding="utf-8").splitlines()
    values = (source / "values.i8").read_bytes()
    scales = (source / "scales.f32").read_bytes()
    assert len(values) == len(words) * DIMENSIONS and len(scales) == len(words) * 4
    special = re.compile(r"\[[A-Za-z0-9]+\]")
    rows = [row for row, word in enumerate(words) if word.isascii() and not special.fullmatch(word)]
    rows.sort(key=lambda row: words[row])
    (target / "words.txt").write_text("".join(words[row] + "\n" for row in rows))
    (target / "values.i8").write_bytes(
        b"".join(values[row * DIMENSIONS : (row + 1) * DIMENSIONS] for row in rows)
    )
    (target / "scales.f32").write_bytes(b"".join(scales[row * 4 : row * 4 + 4] for row in rows))
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parent.parent)
