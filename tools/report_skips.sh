#!/usr/bin/env bash
# Prints, after a ctest run, each GoogleTest case that skipped itself and its reason, from ctest's
# log: a skipped test must not pass for one that ran.
# Usage: tools/report_skips.sh BUILD_FOLDER
set -euo pipefail
log=$1/Testing/Temporary/LastTest.log
[ -f "$log" ] || exit 0
awk '
  /: Skipped$/ { getline reason; pending = reason }
  /^\[  SKIPPED \] .* \([0-9]+ ms\)$/ {
    sub(/^\[  SKIPPED \] /, ""); print "skipped: " $1 ": " pending; count++; pending = ""
  }
  END { if (count) print count " test cases were skipped" }
' "$log"
