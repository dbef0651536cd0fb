#!/bin/sh
# A client may unpack this bundle without the permission to run its files.
set -eu
program="$(dirname "$0")/@PROGRAM@"
[ -x "$program" ] || chmod u+x "$program"
exec "$program" "$@"
