#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A transfer that takes longer than a ticket lives.

krb5_stream.py run FILE SECONDS STOP
    writes one block after the other past the page cache, reads back some of an older
    one after each and compares it, for so long or until there is a file STOP. Prints
    how many blocks there are, the longest wait for one of them in seconds, how often
    one was done again because of EIO or EKEYEXPIRED, when it ended, in seconds since
    the epoch, and the error that ended it, or "none".
krb5_stream.py check FILE COUNT
    the first COUNT blocks of FILE are those that "run" writes.
"""

import errno
import mmap
import os
import sys
import time

BLOCK = 1 << 18
READ = 1 << 16
# What the end of a context can do to one block
PASSING = (errno.EIO, errno.EKEYEXPIRED)
# So many seconds after a block was done again, another such error is for good.
AGAIN = 2
# After each block it rests for so many times as long as that took. A context ends with a
# second, and the next one begins right after it: without rests a reply is under way
# nearly each time that one ends, and is done again.
RESTS = 2


def block(number):
    """Returns the block with that number."""
    return (b'%015d\n' % number) * (BLOCK // 16)


def step(fd, memory, number):
    """Writes one block, and reads back some of an older one."""
    memory[:] = block(number)
    if os.pwritev(fd, [memory], number * BLOCK) != BLOCK:
        raise OSError(errno.EIO, 'a short write')
    old = number // 2
    piece = memoryview(memory)[:READ]
    if os.preadv(fd, [piece], old * BLOCK) != READ or piece != block(old)[:READ]:
        raise OSError(errno.EUCLEAN, 'block %d has other bytes' % old)


class Transfer:
    """A transfer, and what became of it."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_DIRECT, 0o644)
        self.memory = mmap.mmap(-1, BLOCK)
        self.number = self.longest = self.again = 0
        self.last_again = float('-inf')

    def once(self):
        """Transfers the next block. Returns the error that ends all, or None."""
        begin = time.monotonic()
        error = None
        try:
            step(self.fd, self.memory, self.number)
            self.number += 1
        except OSError as e:
            error = e.errno
        now = time.monotonic()
        took = now - begin
        self.longest = max(self.longest, took)
        if error in PASSING and now - self.last_again > AGAIN:
            self.again += 1
            self.last_again = now
            error = None
        if not error:
            time.sleep(min(RESTS * took, 1))
        return error


def run(path, seconds, stop):
    """Writes and reads for so long, or until told to stop, or until that fails."""
    end, error = time.monotonic() + seconds, None
    transfer = Transfer(path)
    while not error and time.monotonic() < end and not os.path.exists(stop):
        error = transfer.once()
    ended = time.time()
    if not error:
        os.close(transfer.fd)
    print(transfer.number, round(transfer.longest), transfer.again, int(ended),
          errno.errorcode.get(error, error) if error else 'none')


def check(path, count):
    """Compares what the file has with what was written."""
    with open(path, 'rb') as f:
        for number in range(count):
            if f.read(BLOCK) != block(number):
                sys.exit('block %d has other bytes' % number)


def main():
    """Does what the command line says."""
    if sys.argv[1] == 'run':
        run(sys.argv[2], float(sys.argv[3]), sys.argv[4])
    else:
        check(sys.argv[2], int(sys.argv[3]))


main()
