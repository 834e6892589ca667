#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""module_text.py MODULE.ko FUNCTION: where that function of a loaded module begins and ends.

Prints two addresses. The file says where in its section the function is, and the kernel where it has
put the section. To read the whole of /proc/kallsyms for that takes minutes on a slow kernel.
"""

import mmap
import os
import struct
import sys


def sections(elf):
    """Yields name, type, offset, size and linked section of each section of a 64-bit file."""
    start, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    heads = [struct.unpack_from("<IIQQQQI", elf, start + n * size) for n in range(count)]
    for head in heads:
        yield text(elf, heads[names][4] + head[0]), head[1], head[4], head[5], head[6]


def text(elf, offset):
    """The string that begins there."""
    return elf[offset:elf.find(b"\0", offset)].decode()


def find(elf, function):
    """The function's section, its offset there, and its size."""
    all_of_them = list(sections(elf))
    for _, kind, offset, size, link in all_of_them:
        if kind != 2:  # SHT_SYMTAB
            continue
        for entry in range(offset, offset + size, 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", elf, entry)
            if info & 15 == 2 and text(elf, all_of_them[link][2] + name) == function:  # STT_FUNC
                return all_of_them[section][0], value, length
    sys.exit(f"{function}: no such function")


def main():
    """Prints the addresses."""
    path, function = sys.argv[1:]
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as elf:
        section, offset, size = find(elf, function)
    module = os.path.basename(path).removesuffix(".ko")
    with open(f"/sys/module/{module}/sections/{section}", encoding="ascii") as file:
        start = int(file.read(), 16) + offset
    print(hex(start), hex(start + size))


main()
