#!/usr/bin/env bash
# Runs every fuzz target of the fuzz preset for some seconds, starting from its committed corpus.
# New inputs go to build/fuzz/corpus/, a crash's input to build/fuzz/crashes/.
# Usage: tools/fuzz.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
mkdir -p build/fuzz/crashes
found=0
for target in build/fuzz/bin/*_fuzz; do
  [ -x "$target" ] || continue
  found=$((found + 1))
  name=$(basename "$target" _fuzz)
  echo "fuzz: $name, $seconds s"
  mkdir -p "build/fuzz/corpus/$name"
  seeds=()
  [ -d "tests/fuzz/corpus/$name" ] && seeds+=("tests/fuzz/corpus/$name")
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 \
    -verbosity=0 -artifact_prefix="build/fuzz/crashes/$name-" "build/fuzz/corpus/$name" \
    "${seeds[@]}" || {
    echo "fuzz: $name failed; its input is build/fuzz/crashes/$name-*" >&2
    exit 1
  }
done
[ "$found" -gt 0 ] || {
  echo "fuzz: no target in build/fuzz/bin" >&2
  exit 1
}
echo "fuzz: $found targets, no finding"
