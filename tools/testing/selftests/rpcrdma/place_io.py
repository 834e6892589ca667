#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads and writes of all lengths, at all offsets, from all places in memory.

place_io.py write|read direct|buffered|mmap FILE IMAGE [SIZE...]
    does one operation for each length and position; IMAGE is a local file that
    has, or gets, what FILE ought to hold. Prints operations and bytes.
place_io.py check FILE
    looks through what kill_writers has written: every block is one that was
    meant for its place. Prints how many blocks there are.
"""

import mmap
import os
import struct
import sys

SIZES = [1, 2, 3, 4, 5, 511, 512, 1023, 1500, 2047, 2048, 2049, 4092, 4095, 4096, 4097, 6000,
         8191, 8192, 8193, 12287, 16384, 20001, 32767, 32768, 40000, 61441, 65533, 65534, 65535, 65536]
PLACES = [(0, 0), (1, 0), (4095, 1), (4096, 512), (100003, 4095)]
BLOCK = 4096


def do_direct(fd, operation, offset, view):
    """One system call with O_DIRECT; the file system may not divide it."""
    call = os.pwritev if operation == 'write' else os.preadv
    done = call(fd, [view], offset)
    if done != len(view):
        raise OSError('%s of %d at %d: %d' % (operation, len(view), offset, done))


def do_buffered(fd, operation, offset, view):
    """One operation through the page cache, and on to the server at once."""
    do_direct(fd, operation, offset, view)
    if operation == 'write':
        os.fdatasync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def do_mmap(fd, operation, offset, view):
    """One operation through a mapping of the file."""
    end = offset + len(view)
    with mmap.mmap(fd, end, mmap.MAP_SHARED) as area:
        if operation == 'write':
            area[offset:end] = bytes(view)
            area.flush()
        else:
            view[:] = area[offset:end]
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def every(operation, how, path, image, sizes):
    """Does one operation for each length and place, and compares."""
    do = {'direct': do_direct, 'buffered': do_buffered, 'mmap': do_mmap}[how]
    flags = os.O_RDWR | os.O_CREAT | (os.O_DIRECT if how == 'direct' else 0)
    fd, local = os.open(path, flags, 0o644), os.open(image, os.O_RDWR | os.O_CREAT, 0o644)
    memory = memoryview(mmap.mmap(-1, max(sizes) + 65536 + 4096))
    count = total = 0
    if how == 'mmap':
        for f in (fd, local):
            os.ftruncate(f, 262144)
    for size in sizes:
        for offset, base in PLACES:
            view = memory[base:base + size]
            if operation == 'write':
                view[:] = os.urandom(size)
                os.pwrite(local, view, offset)
            do(fd, operation, offset, view)
            if operation == 'read' and bytes(view) != os.pread(local, size, offset):
                raise OSError('%s of %d at %d: other bytes' % (operation, size, offset))
            count += 1
            total += size
    os.close(fd)
    print(count, total)


def check(path):
    """Looks through all blocks of a file that was written by victims (kill_writers.c)."""
    blocks = holes = 0
    with open(path, 'rb') as f:
        while True:
            at, block = f.tell(), f.read(BLOCK)
            if not block:
                break
            blocks += 1
            if not block.strip(b'\0'):
                holes += 1
                continue
            magic, offset, seed = struct.unpack('>QQQ', block[:24])
            if magic != 0x706c616365642121 or offset != at or block[24:] != bytes([seed & 0xff]) * (BLOCK - 24):
                raise OSError('block at %d is foreign: %s' % (at, block[:40].hex()))
    print(blocks, 'blocks,', holes, 'holes')


def main():
    """Does what the command line says."""
    what = sys.argv[1]
    if what == 'check':
        check(sys.argv[2])
    else:
        every(what, sys.argv[2], sys.argv[3], sys.argv[4], [int(n) for n in sys.argv[5:]] or SIZES)


main()
