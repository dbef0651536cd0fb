#!/usr/bin/env python3
"""Makes the packages of `packages.toml`. Equal programs give equal bytes, with the same Python.

    make.py packages BUILT OUT    of the programs BUILT/TARGET/PROGRAM, or PROGRAM.exe for Windows
    make.py plugins FOLDER        writes FOLDER/.claude-plugin, which stands at the root of the repository

OUT then has a folder for each place that packages go to; OUT/release is what a release on GitHub has.
Needs Python 3.11, and cargo, which knows the crates of others.
"""

import argparse
import sys
from pathlib import Path

from archive import Packer
from clients import bundles, gemini, plugins
from registries import homebrew, npm, registry, wheels, windows
from systems import archives, container, debian
from table import TABLE, Program


class Refused(Exception):
    """A package that must not be made, and why."""


# The first makes the files that others name the sums of.
KINDS = (archives, npm, wheels, bundles, debian, container, homebrew, windows, registry, gemini)


def check_release(programs):
    """A release has every program for every target, none too large, and none that needs a newer glibc."""
    newest = tuple(int(part) for part in TABLE["glibc"].split("."))
    for program in programs:
        for target in TABLE["targets"]:
            if target not in program.built:
                raise Refused(f"{program.name} is not built for {target}")
            size = len(program.built[target]) / 1e6
            if size > program.row.get("megabytes", size):
                raise Refused(f"{program.name} for {target} has {size:.1f} MB")
            if "linux-gnu" in target and program.glibc(target) > newest:
                raise Refused(f"{program.name} for {target} needs glibc {program.glibc(target)}")


def packages(arguments):
    rows = TABLE["programs"].items()
    programs = [Program(name, row, arguments.built) for name, row in rows]
    if arguments.release:
        check_release(programs)
    built = [program for program in programs if program.built]
    if not built:
        raise Refused(f"{arguments.built} has no program of a target")
    pack = Packer(arguments.out, 1 if arguments.quick else 9)
    for program in built:
        for kind in KINDS:
            if not arguments.only or kind.__name__ in arguments.only:
                kind(program, pack)
    pack.write_sums("release")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("packages", help="make all packages of what was built")
    command.add_argument("built", type=Path, help="folder with TARGET/PROGRAM")
    command.add_argument("out", type=Path, help="folder for the packages")
    command.add_argument("--release", action="store_true", help="refuse if something is missing, too large or too new")
    command.add_argument("--quick", action="store_true", help="compress little, for tests")
    command.add_argument("--only", nargs="+", choices=[kind.__name__ for kind in KINDS], help="kinds of packages")
    command.set_defaults(run=packages)
    command = commands.add_parser("plugins", help="write the plugins of Claude Code")
    command.add_argument("folder", type=Path, help="root of the repository")
    command.set_defaults(run=lambda arguments: plugins(arguments.folder))
    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except (Refused, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
