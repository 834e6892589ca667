#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is measured: operations that an application does on a mount.

    write, read         so many bytes of one file, with O_DIRECT
    readdir             all entries of a large directory, not cached
    getacl, getxattr    an ACL, an extended attribute, not cached
    getattr             the attributes of a file, asked of the server
    openclose           a file that exists is opened, and closed
    readdir100          all entries of a directory of 100, asked of the server

operations.py furnish FOLDER [short]
    makes the files that these work on, at the server; or all but those of long replies.
operations.py time TRANSPORT FOLDER MILLISECONDS OUT OP:TIMES...
    appends to OUT how long each of those operations took with that delay, as
    lines of transport, operation, bytes, milliseconds of delay, seconds.
operations.py rate TRANSPORT FOLDER ROUND MILLISECONDS OUT OP:DEPTH...
    appends to OUT how many of those operations so many processes did in about that time,
    as lines of transport, operation, bytes, depth, round, operations, seconds.
"""

import ctypes
import mmap
import os
import stat
import struct
import sys
import time

FILE_SIZE = 32 << 20
ENTRIES = 50000
ENTRY = "entry-of-a-directory-{:05d}"
NAME_LENGTH = len(ENTRY.format(0))
# struct linux_dirent64: a fixed part, the name, a zero, and up to 8 bytes
DIRENT = (19 + NAME_LENGTH + 1 + 7) // 8 * 8
DOTS = 2 * 24

# The largest of an attribute is 64 KiB, of all file systems
VALUE_LENGTH = 60 << 10
VALUES = 5
# An ACE is 12 bytes and a name, here a number of five digits; besides the users
# there are OWNER@, GROUP@ and EVERYONE@, and in front a count
USERS = 2557
FIRST_USER = 10001
ACL_LENGTH = 4 + (USERS + 2) * 24 + 28

SHORT = 100
SHORT_ENTRY = "name-{:03d}"
SHORT_DIRENT = (19 + len(SHORT_ENTRY.format(0)) + 1 + 7) // 8 * 8
# Each process that opens and closes has a file of its own, and each that lists a directory:
# nobody asks the server for a file that is open already, or for names that somebody else has
# just asked for
PROCESSES = 32

# What a process is told, and what it says: the end; operations, and when the last was done
UNTIL, RECORD = struct.Struct("<d"), struct.Struct("<id")

AT_EMPTY_PATH, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS = 0x1000, 0x2000, 0x7ff

LIBC = ctypes.CDLL(None, use_errno=True)


def drop_caches(what):
    """Forgets what the server can be asked for again: pages (1), or all (3), which also has
    each shrinker of the kernel called."""
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write(str(what))


def checked(done, what):
    """Returns what a function of the C library returned, unless it failed."""
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return done


class Operation:
    """Something that is done to files below a folder, one at a time."""

    warmup = 2

    def __init__(self):
        self.bytes, self.fds = 0, []

    def open(self, flags, *paths):
        """Has these files open, and no others."""
        self.close()
        self.fds = [os.open(path, flags) for path in paths]

    def close(self):
        """Ends it."""
        while self.fds:
            os.close(self.fds.pop())

    def prepare(self):
        """Makes ready for work, with RPCs of its own; returns whether there were
        any."""
        return False

    def once(self, n):
        """Does it for the Nth time."""
        raise NotImplementedError

    def again(self):
        """Makes ready to do it once more."""

    def work(self, times):
        """Does it that often, and returns how many seconds it took each time."""
        took = []
        for n in range(times):
            if n:
                self.again()
            begin = time.monotonic()
            self.once(n)
            took.append(time.monotonic() - begin)
        return took


class Data(Operation):
    """WRITE or READ, at one place after the other. Nothing else is asked of the
    file: that would cost an RPC of its own."""

    def __init__(self, op, folder, size):
        super().__init__()
        self.op, self.bytes, self.buf = op, size, mmap.mmap(-1, size)
        self.open(os.O_RDWR | os.O_DIRECT, f"{folder}/file")

    def once(self, n):
        """Writes or reads."""
        at = n * self.bytes % FILE_SIZE
        done = (os.pwritev if self.op == "write" else os.preadv)(self.fds[0], [self.buf], at)
        if done != self.bytes:
            raise OSError(f"{self.op} of {self.bytes} bytes: {done}")


class Listing(Operation):
    """All entries of a large directory. Its bytes are those of the names."""

    warmup = 1

    def __init__(self, folder):
        super().__init__()
        self.bytes, self.path = ENTRIES * NAME_LENGTH, f"{folder}/many"
        self.buf = ctypes.create_string_buffer(1 << 20)

    def prepare(self):
        """Forgets the entries."""
        self.close()
        drop_caches(1)
        self.open(os.O_RDONLY | os.O_DIRECTORY, self.path)
        return True

    def again(self):
        """Likewise."""
        self.prepare()

    def once(self, n):
        """Lists them."""
        total = 0
        while found := checked(LIBC.getdents64(self.fds[0], self.buf, len(self.buf)), self.path):
            total += found
        if total != ENTRIES * DIRENT + DOTS:
            raise OSError(f"{self.path}: {total} bytes of entries")


class Value(Operation):
    """A long attribute. Each time of another file, if there are more: some are
    cached."""

    warmup = 1

    def __init__(self, name, size, paths):
        super().__init__()
        self.name, self.bytes, self.paths = name.encode(), size, paths
        self.buf = ctypes.create_string_buffer(1 << 16)

    def prepare(self):
        """Forgets the attributes."""
        self.close()
        drop_caches(3)
        self.open(os.O_RDONLY, *self.paths)
        return True

    def once(self, n):
        """Gets one. The length is not asked for first."""
        fd = self.fds[n % len(self.fds)]
        size = checked(LIBC.fgetxattr(fd, self.name, self.buf, len(self.buf)), self.name.decode())
        if size != self.bytes:
            raise OSError(f"{self.name.decode()}: {size} bytes, {self.bytes} expected")


class Attributes(Operation):
    """The attributes of a file, one GETATTR each time."""

    def __init__(self, folder):
        super().__init__()
        self.buf = ctypes.create_string_buffer(256)
        self.open(os.O_PATH, f"{folder}/file")

    def once(self, n):
        """Asks the server for them."""
        checked(LIBC.statx(self.fds[0], b"", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, self.buf), "statx")


class OpenClose(Operation):
    """OPEN and CLOSE of a file that exists. Nothing may be delegated."""

    def __init__(self, folder, process):
        super().__init__()
        self.path = f"{folder}/opened-{process % PROCESSES}"

    def once(self, n):
        """Opens and closes it."""
        os.close(os.open(self.path, os.O_RDWR))


class ShortListing(Operation):
    """All entries of a directory of 100."""

    def __init__(self, folder, process):
        super().__init__()
        self.buf = ctypes.create_string_buffer(1 << 16)
        self.open(os.O_RDONLY | os.O_DIRECTORY, f"{folder}/hundred-{process % PROCESSES}")

    def once(self, n):
        """Forgets the entries, and only these, and lists them."""
        fd, total = self.fds[0], 0
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.lseek(fd, 0, os.SEEK_SET)
        while found := checked(LIBC.getdents64(fd, self.buf, len(self.buf)), "getdents64"):
            total += found
        if total != SHORT * SHORT_DIRENT + DOTS:
            raise OSError(f"{total} bytes of entries")


def operation(op, folder, size=0, process=0):
    """Returns an operation; data has a size that can be chosen, and each process may have a
    file of its own."""
    if op == "getattr":
        return Attributes(folder)
    if op == "openclose":
        return OpenClose(folder, process)
    if op == "readdir100":
        return ShortListing(folder, process)
    if op == "readdir":
        return Listing(folder)
    if op == "getacl":
        return Value("system.nfs4_acl", ACL_LENGTH, [f"{folder}/acl"])
    if op == "getxattr":
        return Value("user.long", VALUE_LENGTH, [f"{folder}/value-{n}" for n in range(VALUES)])
    return Data(op, folder, size)


def posix_acl():
    """Returns a POSIX ACL of as many users, as setxattr() takes it, that nfsd
    makes an ACL of NFSv4 with one ACE for each of them."""
    entries = [(0x01, 6, -1), *((0x02, 6, FIRST_USER + n) for n in range(USERS)),
               (0x04, 4, -1), (0x10, 6, -1), (0x20, 4, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def furnish(folder, what="all"):
    """Makes what all of them work on, or all but what has long replies."""
    with open(f"{folder}/file", "wb") as f:
        f.write(bytes(FILE_SIZE))
    for process in range(PROCESSES):
        os.mknod(f"{folder}/opened-{process}", stat.S_IFREG | 0o644)
        os.mkdir(f"{folder}/hundred-{process}")
        for n in range(SHORT):
            os.mknod(f"{folder}/hundred-{process}/{SHORT_ENTRY.format(n)}", stat.S_IFREG | 0o644)
    if what == "short":
        return
    os.mkdir(f"{folder}/many")
    for n in range(ENTRIES):
        os.mknod(f"{folder}/many/{ENTRY.format(n)}", stat.S_IFREG | 0o644)
    os.mknod(f"{folder}/acl", stat.S_IFREG | 0o664)
    os.setxattr(f"{folder}/acl", "system.posix_acl_access", posix_acl())
    for n in range(VALUES):
        os.mknod(f"{folder}/value-{n}", stat.S_IFREG | 0o644)
        os.setxattr(f"{folder}/value-{n}", "user.long", bytes([65 + n]) * VALUE_LENGTH)


def take_time(transport, folder, delay, out, *cells):
    """Writes down how long operations take."""
    for cell in cells:
        op, times = cell.split(":")
        found = operation(op, folder)
        found.prepare()
        with open(out, "a", encoding="ascii") as f:
            for seconds in found.work(int(times)):
                print(transport, op, found.bytes, delay, f"{seconds:.6f}", sep="\t", file=f)
        found.close()


def child(found, start, said, over):
    """Does an operation over and over from when it is told to until it is told, and says how
    often it did and when it was done. It ends when the others are done, too."""
    os.write(said, RECORD.pack(0, 0))
    (until,) = UNTIL.unpack(os.read(start, UNTIL.size))
    n = 0
    while (now := time.monotonic()) < until:
        found.once(n)
        n += 1
    os.write(said, RECORD.pack(n, now))
    os.read(over, 1)


def fork_child(op, folder, process, pipes):
    """Has a process ready to do an operation, and returns its number. The pipes say what to
    begin with, what came of it, and that all is over."""
    start, said, over = pipes
    found = operation(op, folder, process=process)
    found.work(found.warmup)
    pid = os.fork()
    if not pid:
        try:
            os.close(over[1])
            child(found, start[0], said[1], over[0])
        except Exception as error:  # pylint: disable=broad-exception-caught # it has to say so
            print(f"{op}: {error!r}", file=sys.stderr, flush=True)
            os.write(said[1], RECORD.pack(-1, 0))
        finally:
            os._exit(0)
    found.close()
    return pid


def rate(op, folder, depth, seconds):
    """Returns how many operations so many processes did, and in how many seconds."""
    start, said, over = pipes = os.pipe(), os.pipe(), os.pipe()

    def records():
        return [RECORD.unpack(os.read(said[0], RECORD.size)) for _ in range(depth)]

    pids = [fork_child(op, folder, process, pipes) for process in range(depth)]
    records()
    begin = time.monotonic()
    os.write(start[1], UNTIL.pack(begin + seconds) * depth)
    done = records()
    os.close(over[1])
    for pid in pids:
        os.waitpid(pid, 0)
    for fd in (*start, *said, over[0]):
        os.close(fd)
    if failed := [n for n, _ in done if n < 0]:
        raise OSError(f"{op}: {len(failed)} of {depth} processes failed")
    return sum(n for n, _ in done), max(end for _, end in done) - begin


def take_rate(transport, folder, which, milliseconds, out, *cells):
    """Writes down how many operations there are in a time."""
    for cell in cells:
        op, depth = cell.split(":")
        times, seconds = rate(op, folder, int(depth), int(milliseconds) / 1000)
        with open(out, "a", encoding="ascii") as f:
            print(transport, op, 0, depth, which, times, f"{seconds:.6f}", sep="\t", file=f)


def main():
    """Furnishes, or takes the time."""
    what, *rest = sys.argv[1:]
    {"furnish": furnish, "time": take_time, "rate": take_rate}[what](*rest)


if __name__ == "__main__":
    main()
