#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does scripts/suite.sh make the right sources of packages out of this machine's?

And do the names in scripts/kernels choose what they should, and are their series complete?
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"

DEB822 = """\
Types: deb
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/key.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
"""
ONE_LINE = """\
deb http://mirror.example/debian bookworm main
deb http://mirror.example/debian-security bookworm-security main
"""
OTHER = "deb http://mirror.example/other stable main\n"


def shell(script, **env):
    """Returns what a script prints that has the library."""
    return subprocess.run(["bash", "-c", f". {SCRIPTS}/suite.sh; {script}"], env={**os.environ, **env},
                          capture_output=True, text=True)


class Sources(unittest.TestCase):
    """Debian's sources as they are here become those of the suite."""

    def sources(self, **files):
        with tempfile.TemporaryDirectory() as etc:
            Path(etc, "sources.list.d").mkdir()
            for name, text in files.items():
                Path(etc, "sources.list.d", name.replace("_", ".")).write_text(text)
            return shell("suite_sources bookworm", ETC_APT=etc)

    def test_deb822(self):
        out = self.sources(debian_sources=DEB822).stdout
        self.assertEqual([line for line in out.splitlines() if line.startswith("Suites:")],
                         ["Suites: trixie trixie-backports trixie-updates", "Suites: trixie-security"])
        self.assertEqual(out.count("Types: deb deb-src"), 2)
        self.assertIn("Signed-By: /usr/share/keyrings/key.gpg", out)

    def test_one_line(self):
        out = self.sources(debian_list=ONE_LINE, other_list=OTHER).stdout
        self.assertEqual(sorted(out.splitlines()),
                         [f"{kind} http://mirror.example/{where} main" for kind in ("deb", "deb-src")
                          for where in ("debian trixie", "debian trixie-backports", "debian-security trixie-security")])

    def test_none(self):
        got = self.sources(other_list=OTHER)
        self.assertNotEqual(got.returncode, 0)
        self.assertIn("no sources of Debian's bookworm", got.stderr)


class Fetch(unittest.TestCase):
    """What is current is the newest release, and the source that its headers are of."""

    APT = """#!/bin/bash
case "${0##*/} $*" in
*search*) printf 'linux-headers-6.12.%s+deb13-amd64 - text\\n' 94 117 107 ;;
*policy*linux-headers-6.12.117+deb13-amd64) echo "  Candidate: 6.12.117-1" ;;
*policy*) echo "  Candidate: 6.12.107-1" ;;
esac
"""

    def test_known(self):
        with tempfile.TemporaryDirectory() as top:
            for name in ("apt-get", "apt-cache"):
                Path(top, name).write_text(self.APT)
                Path(top, name).chmod(0o755)
            env = {**os.environ, "PATH": f"{top}:{os.environ['PATH']}", "RPCRDMA2_CACHE": f"{top}/cache"}
            out = subprocess.run([SCRIPTS / "fetch.sh", "6.12-deb13", "release"], env=env, capture_output=True, text=True)
            self.assertEqual(out.stdout, "6.12.117+deb13-amd64\n", out.stderr)
            self.assertEqual(Path(top, "cache/6.12-deb13-known").read_text().split(),
                             ["release", "6.12.117+deb13-amd64", "source", "6.12.117-1", "upstream", "6.12.117"])


class Kernels(unittest.TestCase):
    """K= chooses a kernel, its series and its folder."""

    def chosen(self, name):
        return shell('echo "$KERNEL_NAME $KERNEL_SUITE ${PATCHES#$TOP/} ${BUILD#$TOP/}"', K=name, BUILD="").stdout.split()

    def test_first(self):
        self.assertEqual(self.chosen(""), ["6.12", "-", "patches", "build"])
        self.assertEqual(self.chosen("6.12.117+deb12-amd64"), self.chosen(""))

    def test_others(self):
        self.assertEqual(self.chosen("7.3"), ["7.3", "trixie-backports", "patches/7.3", "build/7.3"])
        self.assertEqual(self.chosen("6.12-deb13"), ["6.12-deb13", "trixie", "patches", "build/6.12-deb13"])

    def test_refused(self):
        for name, why in (("6.1", "there are 6.12 6.12-deb13 7.3"), ("6.12", "'make deps' installs")):
            got = subprocess.run([SCRIPTS / "fetch.sh", name, "source"], capture_output=True, text=True)
            self.assertNotEqual(got.returncode, 0)
            self.assertIn(why, got.stderr)


class Series(unittest.TestCase):
    """The folder of each kernel has a series, all patches of it and no others."""

    def folders(self):
        rows = [line.split() for line in (SCRIPTS / "kernels").read_text().splitlines() if line[0] != "#"]
        return [SCRIPTS.parent / row[3] for row in rows]

    def test_complete(self):
        for folder in self.folders():
            names = (folder / "series").read_text().split()
            self.assertEqual(names, sorted(path.name for path in folder.glob("*.patch")), folder)
            self.assertTrue((folder / "BASE").read_text().startswith("linux-source-"), folder)

    def test_numbers(self):
        # a repair, 00xx, may be of a newer kernel's code; all else is the same change in each series
        first, *others = self.folders()
        numbers = {path.name[:4] for path in first.glob("*.patch")}
        for folder in others:
            for path in folder.glob("*.patch"):
                if not path.name.startswith("00"):
                    self.assertIn(path.name[:4], numbers, path)

    def test_descriptions(self):
        for folder in self.folders():
            for path in folder.glob("*.patch"):
                subject, *text = path.read_text().split("\n---\n")[0].splitlines()
                self.assertTrue(subject.startswith("Subject: [PATCH] "), path)
                # git and the stable tree's tools want a Fixes: line in one piece
                self.assertLessEqual(max(len(line) for line in text if not line.startswith("Fixes: ")), 75, path)


if __name__ == "__main__":
    unittest.main()
