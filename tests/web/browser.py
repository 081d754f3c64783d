"""Chromium for the tests of the chat page. A program that imports this ends with status 77,
skipped, where playwright or /usr/bin/chromium is missing."""

import os
import sys

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    print("skipped: playwright is not in .venv (tools/setup.sh installs it)")
    sys.exit(77)

CHROMIUM = "/usr/bin/chromium"
if not os.access(CHROMIUM, os.X_OK):
    print(f"skipped: {CHROMIUM} is missing (tools/setup.sh --check installs it)")
    sys.exit(77)

__all__ = ["CHROMIUM", "expect", "sync_playwright"]
