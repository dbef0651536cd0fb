"""Starts the program `@PROGRAM@`, which the same wheel installs."""

import os
import subprocess
import sys
import sysconfig


def main():
    suffix = ".exe" if os.name == "nt" else ""
    program = os.path.join(sysconfig.get_path("scripts"), "@PROGRAM@" + suffix)
    arguments = [program, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(program, arguments)
