#!/usr/bin/env python3
"""Lists the places in src/ that raise an error which no test provoked.

The project's rule is that every fail(...) has a test. This reads what a run of the tests left in a
build with the preset `coverage`, by gcov, and fails if a call below src/ of fail() or of another
[[noreturn]] function never ran. tests/tidy/unprovoked.txt lists those that no test can reach.
Usage: tools/untested_errors.py [BUILD_FOLDER]     (default: build/coverage)
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NORETURN = re.compile(r"\[\[noreturn\]\][^(;{}]*?\b(\w+)\(")
EXCEPTIONS = ROOT / "tests/tidy/unprovoked.txt"


def line_counts(build):
    """(path below the root, line) -> how often it ran, over all objects of src/."""
    counts = {}
    notes = sorted((build / "src").rglob("*.gcda"))
    for start in range(0, len(notes), 50):
        command = ["gcov", "--json-format", "--stdout", *map(str, notes[start:start + 50])]
        output = subprocess.run(command, cwd=build, check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL).stdout
        for text in output.splitlines():
            if not text.startswith(b"{"):
                continue
            report = json.loads(text)
            folder = pathlib.Path(report["current_working_directory"])
            for entry in report["files"]:
                path = (folder / entry["file"]).resolve()
                if not path.is_relative_to(ROOT / "src"):
                    continue
                for line in entry["lines"]:
                    key = (path.relative_to(ROOT), line["line_number"])
                    counts[key] = max(counts.get(key, 0), line["count"])
    return counts


def error_sites():
    """(path, first line, last line, text) of each statement in src/ that raises an error."""
    paths = [p for p in sorted((ROOT / "src").rglob("*")) if p.suffix in (".h", ".cc")]
    texts = {path: path.read_text() for path in paths}
    names = {"fail"}
    for text in texts.values():
        names.update(NORETURN.findall(text))
    names -= {"check_failed"}  # bugs, not errors
    call = re.compile(r"(?<![\w.:>])(?:" + "|".join(sorted(names)) + r")\(")
    for path, text in texts.items():
        lines = text.splitlines()
        for index, line in enumerate(lines):
            code = line.split("//")[0]
            if not call.search(code) or "[[noreturn]]" in code or re.match(r"\s*void\b", code):
                continue
            last = index
            while last + 1 < len(lines) and ";" not in lines[last]:
                last += 1
            statement = " ".join(part.strip() for part in lines[index:last + 1])
            yield path.relative_to(ROOT), index + 1, last + 1, statement


def exceptions():
    """(path, part of the statement) a line of the list: "PATH | part of the statement | reason"."""
    found = []
    for line in EXCEPTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            path, part, _ = (field.strip() for field in line.split("|", 2))
            found.append((path, part))
    return found


def main():
    build = (ROOT / (sys.argv[1] if len(sys.argv) > 1 else "build/coverage")).resolve()
    counts = line_counts(build)
    if not counts:
        sys.exit(f"untested_errors: no coverage below {build}: build and run the tests first")
    sites = list(error_sites())
    untested = [site for site in sites
                if not any(counts.get((site[0], line), 0) for line in range(site[1], site[2] + 1))]
    allowed = exceptions()
    used = set()
    failures = 0
    for path, line, _, text in untested:
        match = [e for e in allowed if e[0] == str(path) and e[1] in text]
        used.update(match)
        if not match:
            failures += 1
            print(f"{path}:{line}: no test provokes: {text[:160]}")
    for path, part in allowed:
        if (path, part) not in used:
            failures += 1
            print(f"{EXCEPTIONS.relative_to(ROOT)}: not needed: {path} | {part}")
    print(f"untested_errors: {len(sites)} places raise an error, {len(untested)} untested, "
          f"{len(used)} entries say why")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
