#!/usr/bin/env bash
# Formats every C++ and CUDA file of the tree with the pinned clang-format, in place.
# Usage: tools/format.sh [--check]   (--check: change nothing, fail where a file would change; exit
# status 77, "skipped" to ctest, where the pinned version is not installed)
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=$(sed -n 's/^clang-format==//p' tools/requirements-build.txt)
tool=.venv/bin/clang-format
[ -x "$tool" ] || tool=$(command -v clang-format || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -qF "version $wanted"; then
  echo "format: clang-format $wanted is not installed (tools/setup.sh installs it): skipped" >&2
  exit 77
fi

mapfile -d '' -t files < <(
  git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' '*.cu' '*.cuh' |
    while IFS= read -r -d '' file; do [ -f "$file" ] && printf '%s\0' "$file"; done
)
[ "${#files[@]}" -gt 0 ] || exit 0
case "${1:-}" in
  "") "$tool" -i "${files[@]}" ;;
  --check)
    "$tool" --dry-run -Werror "${files[@]}" || {
      echo "format: run 'make format'" >&2
      exit 1
    }
    ;;
  *)
    echo "format: unknown argument '$1' (known: --check)" >&2
    exit 2
    ;;
esac
echo "format: ${#files[@]} files, clang-format $wanted"
