#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A transfer that takes longer than a ticket lives.

krb5_stream.py run FILE SECONDS
    writes one block after the other past the page cache, reads back an older one
    after each and compares it, for so long. Prints how many blocks there are, the
    longest wait for one of them in seconds, and the error that ended it, or "none".
krb5_stream.py check FILE COUNT
    the first COUNT blocks of FILE are those that "run" writes.
"""

import errno
import mmap
import os
import sys
import time

BLOCK = 1 << 18


def block(number):
    """Returns the block with that number."""
    return (b'%015d\n' % number) * (BLOCK // 16)


def step(fd, memory, number):
    """Writes one block, and reads back an older one."""
    memory[:] = block(number)
    if os.pwritev(fd, [memory], number * BLOCK) != BLOCK:
        raise OSError(errno.EIO, 'a short write')
    old = number // 2
    if os.preadv(fd, [memory], old * BLOCK) != BLOCK or memory[:] != block(old):
        raise OSError(errno.EUCLEAN, 'block %d has other bytes' % old)


def run(path, seconds):
    """Writes and reads for so long, or until that fails."""
    end, number, longest, why = time.monotonic() + seconds, 0, 0, 'none'
    begin = time.monotonic()
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_DIRECT, 0o644)
        memory = mmap.mmap(-1, BLOCK)
        while time.monotonic() < end:
            begin = time.monotonic()
            step(fd, memory, number)
            number += 1
            longest = max(longest, time.monotonic() - begin)
        os.close(fd)
    except OSError as e:
        why = errno.errorcode.get(e.errno, str(e.errno))
        longest = max(longest, time.monotonic() - begin)
    print(number, round(longest), why)


def check(path, count):
    """Compares what the file has with what was written."""
    with open(path, 'rb') as f:
        for number in range(count):
            if f.read(BLOCK) != block(number):
                sys.exit('block %d has other bytes' % number)


def main():
    """Does what the command line says."""
    if sys.argv[1] == 'run':
        run(sys.argv[2], float(sys.argv[3]))
    else:
        check(sys.argv[2], int(sys.argv[3]))


main()
