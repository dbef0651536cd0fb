"""The table `packages.toml`, and a program of it."""

import json
import re
import tomllib
from pathlib import Path

from archive import Entry
from notices import notices

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
TABLE = tomllib.loads((HERE / "packages.toml").read_text())
NOTICES = Entry("THIRD-PARTY-NOTICES", notices(ROOT, [row["crate"] for row in TABLE["programs"].values()]))
LICENSES = [Entry(name, (ROOT / name).read_bytes()) for name in ("LICENSE-APACHE", "LICENSE-MIT")] + [NOTICES]
VERSION = WORKSPACE["version"]
LICENSE = WORKSPACE["license"]
REPOSITORY = WORKSPACE["repository"]
DOWNLOADS = f"{REPOSITORY}/releases/download/v{VERSION}"


class Program:
    """A row of the table, and what was built of it: the bytes for each target."""

    def __init__(self, name, row, built):
        self.name = name
        self.row = row
        self.mcp_name = f"{TABLE['namespace']}/{row['npm']}"
        self.settings = row["settings"]
        self.built = {}
        for target in TABLE["targets"]:
            path = built / target / self.file(target)
            if path.is_file():
                self.built[target] = path.read_bytes()

    def file(self, target):
        return f"{self.name}.exe" if "windows" in target else self.name

    def entry(self, target, folder):
        return Entry(f"{folder}{self.file(target)}", self.built[target], 0o755)

    def of(self, column):
        """The targets that were built and have this column, with its value."""
        for target, row in TABLE["targets"].items():
            if target in self.built and column in row:
                yield target, row[column]

    def glibc(self, target):
        """The newest version of glibc that the program's symbols need."""
        found = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", self.built[target])
        return max(((int(major), int(minor)) for major, minor in found), default=(2, 0))

    def archive(self, target):
        return f"{self.name}-{VERSION}-{target}" + (".zip" if "windows" in target else ".tar.gz")

    def flags(self, value):
        """The arguments of `serve` for the settings that have a flag."""
        with_flag = [setting for setting in self.settings if "flag" in setting]
        return ["serve"] + [part for one in with_flag for part in (one["flag"], value(one))]

    def fill(self, template, **more):
        """A template of which each `@NAME@` is replaced."""
        words = {
            "PROGRAM": self.name,
            "VERSION": VERSION,
            "LICENSE": LICENSE,
            "REPOSITORY": REPOSITORY,
            "DOWNLOADS": DOWNLOADS,
            "HOMEPAGE": TABLE["homepage"],
            "SUMMARY": self.row["summary"],
            "MCP_NAME": self.mcp_name,
            "PLATFORMS": self.row["platforms"],
            "GLIBC": TABLE["glibc"],
            **more,
        }
        text = (HERE / "templates" / template).read_text()
        return re.sub(r"@([A-Z_]+)@", lambda found: words[found[1]], text).encode()

    def readme(self):
        words = self.row["description"]
        return (
            f"# {self.row['title']}\n\n{words}, from any MCP client.\n\n"
            f"- [Documentation]({TABLE['homepage']})\n- [Source]({REPOSITORY})\n\n"
            f"<!-- mcp-name: {self.mcp_name} -->\n"
        ).encode()


def text_of(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def question(setting):
    """A setting as a client asks for it. A value that is left out without a default would arrive as its placeholder."""
    asked = {key: setting[key] for key in ("type", "title", "description")}
    return asked | ({"default": False, "required": False} if setting["type"] == "boolean" else {"required": True})
