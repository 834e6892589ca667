#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""dissected.py FILE DIR: does the dissector find in each message of FILE what the
drafts' XDR has put there? The program messages writes FILE; a capture goes to DIR.
Prints KTAP, one result for each kind of message.
"""

import sys
from collections import defaultdict
from pathlib import Path

DISSECTOR = Path(__file__).resolve().parent.parent / "dissector"
sys.path.insert(0, str(DISSECTOR))

# pylint: disable=wrong-import-position
import run
import wire


def faults_of(message, row):
    """Yields the fields that are not what they should be."""
    want = {field: value for _, field, value in message.expect}
    for field, got in row.items():
        if got != want.get(field, ""):
            yield f"{message.title}: {field} is '{got}' instead of '{want.get(field, '')}'"


def main():
    """Tries every message."""
    path, out = sys.argv[1:]
    opening = wire.read(DISSECTOR / "examples.txt")[:2]     # so that it knows the version
    messages = wire.read(path)
    fields = sorted({field for m in messages for _, field, _ in m.expect})
    last = wire.write(f"{out}/messages.pcap", wire.Roce, opening + messages)[len(opening):]
    ktap = run.Ktap()
    faults, rows = run.tshark(f"{out}/messages.pcap", [*fields, run.LUA_ERROR])
    ktap.result("tshark reads random messages", faults)
    found = defaultdict(list)
    for message, n in zip(messages, last):
        row = {f: v for f, v in rows[n - 1].items() if f != run.LUA_ERROR}
        found[message.title.split(" number")[0]] += faults_of(message, row)
    print(f"# {len(messages)} messages, {len(fields)} fields, {Path(path).read_text('ascii').split(None, 2)[1]}")
    for kind, wrong in found.items():
        ktap.result(f"dissector decodes {kind}", wrong)
    sys.exit(ktap.end())


main()
