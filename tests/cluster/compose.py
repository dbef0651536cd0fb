"""Checks a file of Compose against the specification, and prints the names of its services."""

import sys

import compose_spec

options = compose_spec.PyOptions()
options.apply_merge = True
with open(sys.argv[1], encoding="utf-8") as file:
    compose = options.from_yaml(file.read())
compose.validate()
print(*sorted(compose.services))
