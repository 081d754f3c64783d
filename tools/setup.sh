#!/usr/bin/env bash
# Prepares this machine and tree for building Invar: Debian packages, then CMake and clang-format
# from PyPI in the folder .venv of the tree, and packages for tests there too. Does nothing,
# quickly, where all is there already.
# Usage: tools/setup.sh [--check]    (--check: also what `make check` needs: clang-19 and its
# tools, a browser)
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(
  g++ git pkg-config ninja-build ccache mold binutils python3 python3-venv
  libfmt-dev libspdlog-dev nlohmann-json3-dev libsimdjson-dev libcli11-dev libpcre2-dev
  libutf8proc-dev libxxhash-dev libedit-dev libboost1.81-dev prometheus-cpp-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)
check_packages=(clang-19 clang-tidy-19 libclang-rt-19-dev chromium)

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# Names, of those given, that dpkg does not list as installed.
missing_packages() {
  local name
  for name in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
      echo "$name"
    fi
  done
}

install_packages() {
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  if [ "${#missing[@]}" -eq 0 ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    die "these Debian packages are missing: ${missing[*]}
setup: run this as root, then try again:
setup:   apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  say "installing Debian packages: ${missing[*]}"
  local -a apt=(apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  export DEBIAN_FRONTEND=noninteractive
  "${apt[@]}" update >&2 || die "'apt-get update' failed; is a Debian mirror reachable?"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 ||
    die "'apt-get install' failed for: ${missing[*]}"
}

# .venv/requirements.txt is a copy of what was installed, written last: a set-up that was
# interrupted is started again.
install_python_tools() {
  local wanted=tools/requirements-build.txt
  if cmp -s "$wanted" .venv/requirements.txt && .venv/bin/cmake --version >/dev/null 2>&1; then
    return
  fi
  say "installing CMake and clang-format from PyPI into .venv"
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  "$python" -m venv --clear .venv >&2 ||
    die "'$python -m venv .venv' failed (Debian's package for it: python3-venv)"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2 ||
    die "pip could not install $wanted; is PyPI reachable?"
  cp "$wanted" .venv/requirements.txt
}

# Packages that tests use. Building does without them, so a failure is told and nothing more.
install_test_packages() {
  local wanted=tools/requirements-test.txt
  if cmp -s "$wanted" .venv/requirements-test.txt; then
    return
  fi
  say "installing the packages of $wanted into .venv"
  if .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2; then
    cp "$wanted" .venv/requirements-test.txt
  else
    say "pip could not install $wanted: the tests that use them will be skipped"
  fi
}

packages=("${build_packages[@]}")
case "${1:-}" in
  "") ;;
  --check) packages+=("${check_packages[@]}") ;;
  *) die "unknown argument '$1' (known: --check)" ;;
esac

if command -v dpkg-query >/dev/null; then
  install_packages "${packages[@]}"
else
  say "this is not Debian: these packages, or their like, are taken to be there: ${packages[*]}"
fi
install_python_tools
install_test_packages
