#!/usr/bin/env bash
# Runs clang-tidy-19 with the checks of .clang-tidy over the files of src/ (or those named), as the
# release preset compiles them. Fails on any finding.
# Usage: tools/clang_tidy.sh [JOBS [FILE...]]
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-2}
shift || true
database=build/release/compile_commands.json
if [ ! -f "$database" ]; then
  echo "clang-tidy: $database is missing (cmake --preset release writes it)" >&2
  exit 1
fi
files=("$@")
if [ "${#files[@]}" -eq 0 ]; then
  mapfile -t files < <(git ls-files -- 'src/*.cc')
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$jobs" clang-tidy-19 -p build/release --quiet \
    2> >(grep -v ' warnings\? generated' >&2) || {
  echo "clang-tidy: findings above" >&2
  exit 1
}
echo "clang-tidy: ${#files[@]} files, no finding"
