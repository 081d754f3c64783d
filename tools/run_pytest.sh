#!/usr/bin/env bash
# Runs a Python test of this tree with the packages of tools/requirements-test.txt in .venv, for
# ctest. Where they are not installed, says so and ends with status 77, "skipped" to ctest.
# Usage: tools/run_pytest.sh FILE [PYTEST ARGUMENT]...
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv/bin/python
if ! [ -x "$python" ] || ! "$python" -c 'import pytest, openai' 2>/dev/null; then
  echo "pytest: the packages of tools/requirements-test.txt are not in .venv" \
    "(tools/setup.sh installs them): skipped" >&2
  exit 77
fi
exec "$python" -m pytest -q -p no:cacheprovider "$@"
