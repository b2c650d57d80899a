#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

"""The live view's page in Chromium with the real program behind it: the quick part of `make page-test`.

Needs node, what the page is made of (the build fetches it) and Chromium (./setup.sh page); says what is missing
otherwise. TACTUS_BINARY names the command, CHROMIUM the browser.
"""

import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("TACTUS_SOURCE", pathlib.Path(__file__).resolve().parent.parent))


def missing():
    """Why this cannot be run here; None: it can."""
    if os.environ.get("TACTUS_SANITIZE"):
        return "the page is tested with the plain build"
    if not shutil.which("node"):
        return "there is no node (./setup.sh build installs it)"
    if not (SOURCE / "web" / "node_modules" / "playwright-core").is_dir():
        return "web/node_modules has no playwright-core (npm ci in web/ fetches it)"
    browser = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if not os.access(browser, os.X_OK):
        return f"there is no Chromium at {browser} (./setup.sh page installs it; CHROMIUM names another one)"
    return None


def main():
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        return 0
    return subprocess.run(["node", "test/run.mjs", "parts", "smoke"], cwd=SOURCE / "web", timeout=240).returncode


if __name__ == "__main__":
    sys.exit(main())
