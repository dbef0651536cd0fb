"""Parses scripts of PowerShell and documents of YAML, and fails at the first that has a mistake."""

import sys
from pathlib import Path

import tree_sitter_powershell
import yaml
from tree_sitter import Language, Parser


def main():
    parser = Parser(Language(tree_sitter_powershell.language()))
    for path in map(Path, sys.argv[1:]):
        if path.suffix == ".yaml":
            assert yaml.safe_load(path.read_text())["PackageVersion"], path
        else:
            assert not parser.parse(path.read_bytes()).root_node.has_error, path


main()
