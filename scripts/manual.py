#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""manual.py DIR: writes the pages of Documentation as HTML into DIR, and an index of them.

A page that is not well-formed ends it. Names of other pages become links.
"""

import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import roles

PAGES = Path(__file__).resolve().parent.parent / "Documentation"
# Warnings are errors, and pages are the same each time
SETTINGS = {"halt_level": 2, "report_level": 2, "input_encoding": "utf-8", "raw_enabled": False, "file_insertion_enabled": False,
            "datestamp": None, "generator": None, "source_link": None, "doctitle_xform": True, "initial_header_level": 2,
            "smart_quotes": False, "toc_backlinks": False}


def link(text, page):
    """Returns a link to another page."""
    return nodes.reference("", text, refuri=f"{page}.html")


def doc(_name, _rawtext, text, _lineno, _inliner, _options=None, _content=None):
    """The role :doc:, which docutils leaves to others."""
    return [link(text, text)], []


def read(source, text):
    """Returns a page as a tree, with links where it has the names of others."""
    tree = publish_doctree(text, source_path=str(source), settings_overrides=SETTINGS)
    for literal in list(tree.findall(nodes.literal)):
        page = re.fullmatch(r"(?:Documentation/)?([\w-]+)\.rst", literal.astext())
        if page and (PAGES / f"{page[1]}.rst").exists():
            literal.replace_self(link(literal.astext(), page[1]))
    return tree


def write(tree, path):
    """Writes a page."""
    html = publish_from_doctree(tree, writer_name="html5", settings_overrides=dict(SETTINGS, output_encoding="unicode"))
    path.write_text(html, encoding="utf-8")


def index(titles):
    """Returns the text of the first page."""
    head = "RPC-over-RDMA version 2 for Linux"
    return "\n".join(["=" * len(head), head, "=" * len(head), ""] +
                     [f"* `{title} <{page}.html>`__" for page, title in sorted(titles.items())]) + "\n"


def main(folder):
    """Writes all of it."""
    roles.register_local_role("doc", doc)
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for source in sorted(PAGES.glob("*.rst")):
        tree = read(source, source.read_text(encoding="utf-8"))
        titles[source.stem] = tree["title"]
        write(tree, folder / f"{source.stem}.html")
    write(read("index", index(titles)), folder / "index.html")
    for picture in PAGES.glob("*.svg"):
        shutil.copy(picture, folder)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
