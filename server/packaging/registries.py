"""Packages for npm and PyPI, and the descriptions by which Homebrew, Scoop, winget and the MCP registry find packages."""

import base64
import hashlib

from archive import Entry
from table import DOWNLOADS, LICENSE, LICENSES, REPOSITORY, TABLE, VERSION, text_of


def npm(program, pack):
    """A launcher, and a package with the program for each system."""
    common = {
        "version": VERSION,
        "license": LICENSE,
        "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"},
        "files": ["bin"],
    }
    for target, node in program.of("node"):
        system, processor = node.split("-")
        package = {
            "name": program.row["platforms"] + node,
            "description": f"The program {program.name} for {node}",
            **common,
            "os": [system],
            "cpu": [processor],
            # It must be a file on disk.
            "preferUnplugged": True,
        }
        npm_package(package, [program.entry(target, "bin/")], program, pack)
    platforms = [row["node"] for row in TABLE["targets"].values() if "node" in row]
    launcher = {
        "name": program.row["npm"],
        "description": program.row["description"],
        **common,
        "mcpName": program.mcp_name,
        "keywords": ["mcp", *program.row["keywords"]],
        "bin": {program.name: "bin/launcher.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {program.row["platforms"] + one: VERSION for one in platforms},
    }
    entries = [Entry("bin/launcher.js", program.fill("launcher.js"), 0o755)]
    npm_package(launcher, entries, program, pack)


def npm_package(package, entries, program, pack):
    entries = [Entry("package.json", text_of(package)), *entries, *LICENSES]
    entries.append(Entry("README.md", program.readme()))
    name = package["name"].lstrip("@").replace("/", "-")
    inside = [Entry(f"package/{one.path}", one.data, one.mode) for one in entries]
    pack.write(f"npm/{name}-{VERSION}.tgz", pack.tar_gz(inside))


def wheels(program, pack):
    """A wheel for each target, of the program and of an entry point with the package's own name, so that `uvx` finds it."""
    name = program.row["pypi"]
    module = name.replace("-", "_")
    info = f"{module}-{VERSION}.dist-info"
    for target in program.built:
        tag = f"py3-none-{wheel_platform(program, target)}"
        metadata = (
            f"Metadata-Version: 2.4\nName: {name}\nVersion: {VERSION}\nSummary: {program.row['summary']}\n"
            f"License-Expression: {LICENSE}\n{''.join(f'License-File: {one.path}' + chr(10) for one in LICENSES)}"
            f"Project-URL: Documentation, {TABLE['homepage']}\nProject-URL: Source, {REPOSITORY}\n"
            f"Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
        ).encode() + program.readme()
        wheel = f"Wheel-Version: 1.0\nGenerator: toolwrit\nRoot-Is-Purelib: false\nTag: {tag}\n"
        entries = [program.entry(target, f"{module}-{VERSION}.data/scripts/")]
        if name != program.name:
            script = f"[console_scripts]\n{name} = {module}:main\n"
            entries.append(Entry(f"{module}.py", program.fill("entry.py")))
            entries.append(Entry(f"{info}/entry_points.txt", script.encode()))
        entries += [Entry(f"{info}/METADATA", metadata), Entry(f"{info}/WHEEL", wheel.encode())]
        entries += [Entry(f"{info}/licenses/{one.path}", one.data) for one in LICENSES]
        rows = [f"{one.path},sha256={urlsafe_sum(one.data)},{len(one.data)}\n" for one in entries]
        record = "".join(rows) + f"{info}/RECORD,,\n"
        entries.append(Entry(f"{info}/RECORD", record.encode()))
        pack.write(f"pypi/{module}-{VERSION}-{tag}.whl", pack.zip(entries))


def wheel_platform(program, target):
    if "linux-gnu" in target:
        major, minor = program.glibc(target)
        return f"manylinux_{major}_{minor}_{target.split('-')[0]}"
    return TABLE["targets"][target]["wheel"]


def urlsafe_sum(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def homebrew(program, pack):
    blocks = []
    for system, target_end in (("macos", "apple-darwin"), ("linux", "unknown-linux-gnu")):
        lines = []
        for branch, machine in (("arm", "aarch64"), ("intel", "x86_64")):
            target = f"{machine}-{target_end}"
            if target in program.built:
                archive = program.archive(target)
                lines += [f"    on_{branch} do", f'      url "{DOWNLOADS}/{archive}"']
                lines += [f'      sha256 "{pack.sum(f"release/{archive}")}"', "    end"]
        if lines:
            blocks.append("\n".join([f"  on_{system} do", *lines, "  end"]))
    name = "".join(part.capitalize() for part in program.name.split("-"))
    formula = program.fill("formula.rb", CLASS=name, SOURCES="\n\n".join(blocks))
    pack.write(f"homebrew/Formula/{program.name}.rb", formula)


WINDOWS = "x86_64-pc-windows-msvc"


def windows(program, pack):
    """Manifests of Scoop and winget."""
    if WINDOWS not in program.built:
        return
    archive = program.archive(WINDOWS)
    found = pack.sum(f"release/{archive}")
    folder = archive.removesuffix(".zip")
    places = f"{REPOSITORY}/releases/download/v$version/{program.name}-$version-{WINDOWS}"
    manifest = {
        "version": VERSION,
        "description": program.row["summary"],
        "homepage": REPOSITORY,
        "license": LICENSE.replace(" OR ", "|"),
        "architecture": {"64bit": {"url": f"{DOWNLOADS}/{archive}", "hash": found, "extract_dir": folder}},
        "bin": program.file(WINDOWS),
        "checkver": "github",
        "autoupdate": {
            "architecture": {"64bit": {"url": f"{places}.zip", "extract_dir": f"{program.name}-$version-{WINDOWS}"}},
            "hash": {"url": "$baseurl/SHA256SUMS"},
        },
    }
    pack.write(f"scoop/bucket/{program.name}.json", text_of(manifest))
    identifier = f"{TABLE['winget']}.{program.name}"
    start = f"{TABLE['winget'][0].lower()}/{TABLE['winget']}/{program.name}/{VERSION}/{identifier}"
    more = {"IDENTIFIER": identifier, "ARCHIVE": archive, "FOLDER": folder, "SUM": found.upper()}
    for template, suffix in (("version", ""), ("installer", ".installer"), ("locale", ".locale.en-US")):
        text = program.fill(f"winget/{template}.yaml", **more)
        pack.write(f"winget/manifests/{start}{suffix}.yaml", text)


def registry(program, pack):
    """The entry in the MCP registry."""
    arguments = [{"type": "positional", "value": "serve"}]
    inside = list(arguments)
    mounts = []
    for one in (one for one in program.settings if "flag" in one):
        asked = {"description": one["description"], "format": "filepath", "isRequired": True}
        arguments.append({"type": "named", "name": one["flag"], **asked})
        inside.append({"type": "named", "name": one["flag"], "value": one["mount"]})
        place = f"type=bind,src={{{one['key']}}},dst={one['mount']}"
        mounts.append({"type": "named", "name": "--mount", "value": place, "variables": {one["key"]: asked}})
    stdio = {"transport": {"type": "stdio"}}
    packages = []
    for _, node in program.of("node"):
        bundle = f"{program.name}-{VERSION}-{node}.mcpb"
        found = pack.sum(f"release/{bundle}")
        packages.append({"registryType": "mcpb", "identifier": f"{DOWNLOADS}/{bundle}", "fileSha256": found, **stdio})
    for kind, hint in (("npm", "npx"), ("pypi", "uvx")):
        package = {"registryType": kind, "identifier": program.row[kind], "version": VERSION, "runtimeHint": hint}
        packages.append(package | stdio | {"packageArguments": arguments})
    image = f"{TABLE['image']}/{program.name}:{VERSION}"
    packages.append(
        {"registryType": "oci", "identifier": image, "runtimeHint": "docker", **stdio}
        | {"runtimeArguments": mounts, "packageArguments": inside}
    )
    entry = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": program.mcp_name,
        "title": program.row["title"],
        "description": program.row["description"],
        "version": VERSION,
        "repository": {"url": REPOSITORY, "source": "github"},
        "packages": packages,
    }
    pack.write(f"registry/{program.name}/server.json", text_of(entry))
