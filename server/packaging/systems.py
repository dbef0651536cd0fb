"""Packages that a person installs: archives with installers, Debian packages, containers."""

import hashlib

from archive import Entry, deb_time, smallest
from table import LICENSES, NOTICES, REPOSITORY, ROOT, TABLE, VERSION


def archives(program, pack):
    """An archive for each target, and installers for shell and PowerShell."""
    for target in program.built:
        folder = f"{program.name}-{VERSION}-{target}/"
        entries = [program.entry(target, folder)]
        entries += [Entry(folder + one.path, one.data) for one in LICENSES]
        entries.append(Entry(f"{folder}README.md", program.readme()))
        content = pack.zip(entries) if "windows" in target else pack.tar_gz(entries)
        pack.write(f"release/{program.archive(target)}", content)
    for suffix in ("sh", "ps1"):
        installer = program.fill(f"install.{suffix}")
        pack.write(f"release/{program.name}-installer.{suffix}", installer)


def debian(program, pack):
    """A package with a systemd unit that nothing enables."""
    for target, processor in program.of("debian"):
        doc = f"usr/share/doc/{program.name}/"
        changes = (
            f"{program.name} ({VERSION}-1) unstable; urgency=medium\n\n  * {REPOSITORY}/blob/v{VERSION}/CHANGELOG.md\n\n"
            f" -- {TABLE['maintainer']}  {deb_time()}\n"
        )
        terms = (ROOT / "LICENSE-MIT").read_text().splitlines()
        mit = "\n".join(f" {line or '.'}" for line in terms)
        entries = [
            program.entry(target, "usr/bin/"),
            Entry(f"usr/lib/systemd/system/{program.name}.service", program.fill("service")),
            Entry(f"{doc}changelog.Debian.gz", smallest(changes.encode())),
            Entry(f"usr/share/lintian/overrides/{program.name}", program.fill("overrides")),
            Entry(f"{doc}copyright", program.fill("copyright", MIT=mit)),
            Entry(f"{doc}{NOTICES.path}.gz", smallest(NOTICES.data)),
        ]
        major, minor = program.glibc(target)
        control = (
            f"Package: {program.name}\nVersion: {VERSION}-1\nSection: utils\nPriority: optional\n"
            f"Architecture: {processor}\nMaintainer: {TABLE['maintainer']}\n"
            f"Installed-Size: {sum(len(one.data) for one in entries) // 1024 + 1}\n"
            f"Depends: libc6 (>= {major}.{minor}), libgcc-s1 (>= 4.2)\nRecommends: ca-certificates\n"
            f"Homepage: {REPOSITORY}\nDescription: {program.row['summary']}\n {program.row['description']},\n"
            " from any client of the Model Context Protocol.\n"
        )
        sums = "".join(f"{hashlib.md5(one.data).hexdigest()}  {one.path}\n" for one in entries)
        scripts = [Entry(name, program.fill(name), 0o755) for name in ("postinst", "prerm", "postrm")]
        about = [Entry("control", control.encode()), Entry("md5sums", sums.encode()), *scripts]
        content = pack.deb(about, entries)
        pack.write(f"release/{program.name}_{VERSION}-1_{processor}.deb", content)


def container(program, pack):
    """What an image is built from: its Dockerfile, and the static program for each processor."""
    folder = f"container/{program.name}/"
    mounted = [one for one in program.settings if "mount" in one and "variable" in one]
    places = {"HOME": "/state", **{one["variable"]: one["mount"] for one in mounted}}
    environment = " ".join(f"{name}={value}" for name, value in places.items())
    for target, processor in program.of("container"):
        entry = program.entry(target, f"{folder}{processor}/")
        pack.write(entry.path, entry.data, entry.mode)
    for one in LICENSES:
        pack.write(f"{folder}licenses/{one.path}", one.data)
    pack.write(f"{folder}Dockerfile", program.fill("Dockerfile", ENVIRONMENT=environment))
    for place in ["/state"] + [one["mount"] for one in mounted]:
        pack.folder(f"{folder}folders{place}")
