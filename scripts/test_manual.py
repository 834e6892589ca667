#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Are the pages well-formed, and do they say what they have to?"""

import re
import tempfile
import unittest
from pathlib import Path

from docutils.utils import SystemMessage

import manual

TOP = Path(__file__).resolve().parent.parent


class Manual(unittest.TestCase):
    """HTML is made of the pages."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.dir = Path(folder.name) / "first"
        cls.again = Path(folder.name) / "again"
        manual.main(cls.dir)

    def test_all_pages(self):
        pages = {p.stem for p in manual.PAGES.glob("*.rst")}
        self.assertEqual({p.stem for p in self.dir.glob("*.html")}, pages | {"index"})
        index = (self.dir / "index.html").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r'href="([\w-]+)\.html"', index)), pages)

    def test_links(self):
        for page in self.dir.glob("*.html"):
            for name in re.findall(r'(?:href|src|data)="([\w.-]+)"', page.read_text(encoding="utf-8")):
                self.assertTrue((self.dir / name).exists(), f"{page.name}: {name}")
        self.assertIn('href="security.html"', (self.dir / "admin.html").read_text(encoding="utf-8"))

    def test_the_same_each_time(self):
        manual.main(self.again)
        for page in self.dir.glob("*"):
            self.assertEqual(page.read_bytes(), (self.again / page.name).read_bytes(), page.name)

    def test_bad_page(self):
        for text in ("A long title\n=====\n", "See :nothing:`x`.\n", "====  ==\na     b\n====  ==\nlonger b\n====  ==\n", ".. raw:: html\n\n   <b>\n"):
            with self.assertRaises(SystemMessage, msg=repr(text)):
                manual.read("bad", text)


class Security(unittest.TestCase):
    """Documentation/security.rst goes through all repairs."""

    def test_each_repair_once(self):
        page = (TOP / "Documentation" / "security.rst").read_text(encoding="utf-8")
        listed = re.findall(r"^(\d{4})  ", page, re.MULTILINE)
        # one of a newer kernel may be of no use to the first one
        series = (TOP / "patches").glob("**/series")
        repairs = {line[:4] for path in series for line in path.read_text().splitlines() if line.startswith("00")}
        self.assertEqual(sorted(listed), sorted(repairs))

    def test_marked(self):
        page = (TOP / "Documentation" / "security.rst").read_text(encoding="utf-8")
        for number, who, words in re.findall(r"^(\d{4})   (.{8})  (?:yes|   )   (.*)$", page, re.MULTILINE):
            self.assertEqual(bool(who.strip()), words.startswith("**"), number)


if __name__ == "__main__":
    unittest.main()
