#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""fault_lock.py: POSIX locks, from the point of view of one process.

look FILE
    Prints "free" if a lock on FILE could be had at once, or else "locked".
take FILE TEXT
    Waits for a lock on FILE, and writes TEXT while it has it.
hold FILE TEXT READY GO THEN
    Locks FILE, writes TEXT, creates READY, waits until GO exists, and writes THEN
    under the same lock. Prints "written", or "lost" if the lock was lost meanwhile.
"""

import errno
import fcntl
import os
import sys
import time


def put(fd, text):
    """Has the server store a text."""
    os.pwrite(fd, text.encode(), 0)
    os.fsync(fd)


def look(path):
    """Says whether somebody else has a lock."""
    fd = os.open(path, os.O_RDWR)
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print('free')
    except OSError as e:
        if e.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        print('locked')


def take(path, text):
    """Waits for the lock."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.lockf(fd, fcntl.LOCK_EX)
    put(fd, text)


def hold(path, text, ready, go, then):
    """Keeps a lock over whatever happens meanwhile."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.lockf(fd, fcntl.LOCK_EX)
    put(fd, text)
    os.close(os.open(ready, os.O_WRONLY | os.O_CREAT, 0o644))
    while not os.path.exists(go):
        time.sleep(0.1)
    try:
        put(fd, then)
        print('written')
    except OSError as e:
        if e.errno != errno.EIO:
            raise
        print('lost')


{'look': look, 'take': take, 'hold': hold}[sys.argv[1]](*sys.argv[2:])
