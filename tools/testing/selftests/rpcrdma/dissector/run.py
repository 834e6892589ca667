#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""run.py DIR: tests rpcrdma2.lua with tshark and prints KTAP; captures go to DIR.

Over RoCE and over iWARP: each message of examples.txt is dissected as it says
there; so is each of them cut at every length, where nothing more is asked than
that what is missing is noticed; and thousands with bytes that are wrong, where all
that counts is that the dissector survives. The groups of groups.txt are judged as it says
there by what judges captures of the test bed, groups.py.
"""

import os
import random
import re
import subprocess
import sys
from types import SimpleNamespace

import groups
import judge
import wire

HERE = os.path.dirname(os.path.abspath(__file__))
LUA_ERROR = "_ws.lua.error"
GARBLED = 4000


class Ktap:
    """Prints results."""

    def __init__(self):
        self.count, self.failed = 0, 0
        print("TAP version 13")

    def result(self, name, faults):
        """One result: ok if there are no faults."""
        self.count += 1
        for fault in faults[:8]:
            print(f"# {fault}")
        print(f"{'not ok' if faults else 'ok'} {self.count} {name}")
        self.failed += bool(faults)

    def end(self):
        """The plan, and the exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def tshark(path, fields, *options):
    """Returns (what went wrong, a dictionary of fields for each frame)."""
    command = ["tshark", "-X", f"lua_script:{HERE}/rpcrdma2.lua", "-n", "-r", path, *options,
               "-T", "fields", "-E", "separator=/t"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    faults = [s for s in done.stderr.splitlines() if "Running as user" not in s]
    if done.returncode:
        faults.append(f"tshark: exit status {done.returncode}")
    rows = [dict(zip(fields, row.split("\t"))) for row in done.stdout.splitlines()]
    for n, row in enumerate(rows):
        if row.get(LUA_ERROR):
            faults.append(f"frame {n + 1}: Lua error")
    return faults, rows


def wanted(value, message, frames):
    """Returns what tshark is to print for a value of examples.txt."""
    if value == "-":
        return ""
    if value.startswith("@"):
        return str(frames[value[1:]])
    if value.startswith("#"):
        first, last = value[1:].split("..")
        return message.data[int(first):int(last)].hex()
    return value


def expectations(message, layer):
    """Yields (field, value) of a message on that layer."""
    for only, field, value in message.expect:
        if not only or layer.name in only:
            yield field, value


def test_examples(ktap, out, layer, messages):
    """Every message is dissected as examples.txt says."""
    fields = sorted({field for m in messages for _, field, _ in m.expect} | {LUA_ERROR})
    path = f"{out}/examples-{layer.name}.pcap"
    last = wire.write(path, layer, messages)
    frames = {}
    for message, n in zip(messages, last):
        frames.setdefault(message.name, n)
    for options in ([], ["-2"]):
        faults, rows = tshark(path, fields, *options)
        lane = " ".join([layer.name, *options])
        ktap.result(f"tshark reads the examples: {lane}", faults)
        for message, n in zip(messages, last):
            faults = []
            row = rows[n - 1] if n <= len(rows) else {}
            for field, value in expectations(message, layer):
                want, got = wanted(value, message, frames), row.get(field)
                if want != got:
                    faults.append(f"{field}: expected '{want}', got '{got}'")
            ktap.result(f"{lane}: {message.title}", faults)


def cuts(message):
    """Yields the message cut at every length that matters."""
    for length in range(min(len(message.data), message.sound + 16)):
        yield message.with_data(message.data[:length])


def test_cuts(ktap, out, layer, messages):
    """What is missing is noticed, and only that."""
    sound = [m for m in messages if m.sound is not None and not m.other]
    sent, owners = list(messages[:2]), [None, None]
    for message in sound:
        for cut in cuts(message):
            sent.append(cut)
            owners.append(message)
    path = f"{out}/cut-{layer.name}.pcap"
    last = wire.write(path, layer, sent)
    faults, rows = tshark(path, ["rpcrdma2.malformed", LUA_ERROR])
    ktap.result(f"tshark reads {len(sent) - 2} cut messages over {layer.name}", faults)
    found = {id(m): [] for m in sound}
    for message, owner, n in zip(sent, owners, last):
        if owner and n <= len(rows):
            bad = rows[n - 1]["rpcrdma2.malformed"] != ""
            if bad != (len(message.data) < owner.sound):
                found[id(owner)].append(f"cut to {len(message.data)}: malformed is {bad}")
    for message in sound:
        ktap.result(f"{layer.name}, cut: {message.title}", found[id(message)])


def garbled(messages, count):
    """Yields messages with a few wrong bytes; the same ones every time."""
    rng = random.Random(8166)
    for _ in range(count):
        message = rng.choice(messages)
        data = bytearray(message.data[:rng.choice((400, len(message.data)))])
        for _ in range(rng.randint(1, 6)):
            # the version stays, or the message is not ours
            at = rng.choice([i for i in range(min(len(data), 200)) if i // 4 != 1])
            data[at] = rng.choice((0, 1, 2, 5, 7, 0x7f, 0x80, 0xff, rng.randrange(256)))
        yield message.with_data(data)


def test_garbled(ktap, out, layer, messages):
    """Nothing on the wire makes the dissector fail."""
    ours = [m for m in messages if not m.other]
    sent = messages[:2] + list(garbled(ours, GARBLED))
    path = f"{out}/garbled-{layer.name}.pcap"
    last = wire.write(path, layer, sent)
    faults, rows = tshark(path, [LUA_ERROR, "rpcrdma2.xid"], "-2")
    if len(rows) != last[-1]:
        faults.append(f"{last[-1]} frames, {len(rows)} dissected")
    dissected = sum(row["rpcrdma2.xid"] != "" for row in rows)
    if dissected < GARBLED * 0.9:
        faults.append(f"only {dissected} of {GARBLED} messages were dissected")
    ktap.result(f"{GARBLED} garbled messages over {layer.name}", faults)


def group_cases(path):
    """Returns (name, fault, messages) of each case, all with the opening in front."""
    with open(path, encoding="ascii") as f:
        blocks = re.split(r"^= ", f.read(), flags=re.M)[1:]
    cases, opening = [], None
    for block in blocks:
        title, _, text = block.partition("\n")
        name, fault = title.split(":", 1)
        messages = wire.parse(text.splitlines())
        if opening is None:
            opening = messages
            continue
        first = list(opening)
        credit = re.search(r"credit (\w+)", name)
        if credit:
            first[1] = first[1].with_data(opening[1].data)
            first[1].data[8:12] = int(credit[1], 16).to_bytes(4, "big")
        cases.append((name, fault.strip(), first + messages))
    return cases


def judged(rows, sound):
    """Returns what is wrong with the groups in some frames; where nothing is, Calls and
    replies are paired, too, as far as there are replies."""
    frames = [judge.Frame("|".join(row.get(f, "") for f in judge.FIELDS)) for row in rows]
    messages = [judge.Message(frame, at) for frame in frames
                for at in range(len(frame.field("rpcrdma2.xid")))]
    pairs = judge.check_pairs(SimpleNamespace(messages=messages)) if sound else []
    return groups.watch(messages).found + [f for f in pairs if not f.endswith("no reply")]


def test_groups(ktap, out, layer, cases):
    """Groups are found sound, or what is wrong with them is."""
    path = f"{out}/groups-{layer.name}.pcap"
    last = wire.write(path, layer, [m for _, _, messages in cases for m in messages])
    faults, rows = tshark(path, list(judge.FIELDS))
    ktap.result(f"tshark reads {len(cases)} groups over {layer.name}", faults)
    begin, at = 0, 0
    for name, fault, messages in cases:
        at += len(messages)
        found = judged(rows[begin:last[at - 1]], not fault)
        begin = last[at - 1]
        wrong = len(found) != bool(fault) or (fault and fault not in found[0])
        ktap.result(f"{layer.name}, group: {name}",
                    [f"expected '{fault}'", *found] if wrong else [])


def main():
    """Runs all tests."""
    out = sys.argv[1]
    ktap = Ktap()
    messages = wire.read(f"{HERE}/examples.txt")
    for layer in wire.LAYERS:
        test_examples(ktap, out, layer, messages)
        test_cuts(ktap, out, layer, messages)
        test_garbled(ktap, out, layer, messages)
        test_groups(ktap, out, layer, group_cases(f"{HERE}/groups.txt"))
    sys.exit(ktap.end())


if __name__ == "__main__":
    main()
