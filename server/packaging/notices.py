"""The licences of the crates that the programs are built from, whose texts must go with them."""

import json
import subprocess
from pathlib import Path

# How the files with the terms of a crate are named.
TERMS = ("license", "licence", "copying", "notice", "copyright", "unlicense")


def notices(root, packages):
    """One text for all programs: each crate with its terms. Terms that several crates share stand once."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(root / "Cargo.toml")]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    crates = {crate["id"]: crate for crate in found["packages"]}
    shipped = sorted(
        (crates[one] for one in reached(found, packages) if crates[one]["source"]),
        key=lambda crate: (crate["name"], crate["version"]),
    )
    texts = {}
    lines = ["The programs are built from these packages of others, each under its own terms.\n"]
    for crate in shipped:
        numbers = [texts.setdefault(text, len(texts) + 1) for text in terms(crate)]
        where = f", text {', '.join(map(str, numbers))}" if numbers else ""
        lines.append(f"{crate['name']} {crate['version']}: {crate['license'] or 'see its text'}{where}")
        lines += [f"    {place}" for place in [crate["repository"] or crate["homepage"]] if place]
    for text, number in texts.items():
        lines += ["", f"==== Text {number} ====", "", text]
    return ("\n".join(lines) + "\n").encode()


def reached(found, packages):
    """The ids of the crates that these packages need when they run or are built, on any system, without those for tests."""
    edges = {
        node["id"]: [
            dependency["pkg"]
            for dependency in node["deps"]
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
        ]
        for node in found["resolve"]["nodes"]
    }
    waiting = [crate["id"] for crate in found["packages"] if not crate["source"] and crate["name"] in packages]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += edges[one]
    return seen


def terms(crate):
    """The texts of a crate's terms, in the order of their names."""
    folder = Path(crate["manifest_path"]).parent
    named = [path for path in folder.iterdir() if path.name.lower().startswith(TERMS) and path.is_file()]
    texts = (path.read_text(errors="replace").replace("\r\n", "\n").strip() for path in sorted(named))
    return [text for text in texts if text]
