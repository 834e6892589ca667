# SPDX-License-Identifier: GPL-2.0
"""What the kernel exports about RPC over RDMA: where it is, and how it is written.

Nothing else here knows a path or a format of the kernel. If these change, this file
changes.

    /sys/kernel/debug/rpcrdma2/{client,server}/N/state   for root: "name: value" lines
    /sys/kernel/debug/rpcrdma2/{client,server}_memory    memory for Receives, of all connections together
    /sys/kernel/sunrpc/xprt-switches/*/xprt-N-rdma       transports of the client
    /proc/self/mounts, /proc/self/mountstats             counters by mount
    /proc/sys/sunrpc/svc_rdma                            totals of the server
    /sys/module/rpcrdma                                  is it loaded, and which one
"""

import re
from collections import namedtuple
from pathlib import Path

DEBUGFS = "sys/kernel/debug"
RECORDS = DEBUGFS + "/rpcrdma2"
SWITCHES = "sys/kernel/sunrpc/xprt-switches"
TOTALS = "proc/sys/sunrpc/svc_rdma"
MODULE = "sys/module/rpcrdma"
PARAMETERS = ("client_max_version", "server_max_version")

# sunrpc counts a congestion window in 256ths of a request
CONGESTION_SHIFT = 8

# Counters that say what a connection does. These are not trouble, however large.
ORDINARY = frozenset("""
    calls_sent calls_received replies_sent replies_received reverse_calls reverse_replies
    control_sent control_received remote_invalidations reply_chunks_unused
    err_vers_sent err_vers_received trailing_bytes
    xmtreqs xmtresps placed_bytes_sent placed_bytes_received placed_bytes_copied bounced_bytes
    placement_fallbacks registrations_avoided placement_too_long placement_too_scattered
    placement_long_front placement_long_results items_inline
    groups_sent groups_received xmtconts_sent xmtconts_received groups_too_long groups_no_credits
    groups_no_receives groups_given_up
    reqxch_sent reqxch_received respxch_received updxch_sent updxch_received changes_done
    changes_pended changes_rejected wishes_fulfilled wishes_partly wishes_denied
    """.split())

# Counters that should not grow: somebody lost, refused, spoiled or gave up something
TROUBLE = frozenset("""
    reverse_refused reverse_overruns reverse_stale reverse_withheld reverse_late forward_late
    credits_stuck receives_missing
    bad_xdr_sent cant_reply_sent inval_proc_sent inval_option_sent
    bad_xdr_received cant_reply_received inval_proc_received inval_option_received
    errors_unsent too_short bad_version bad_headers bad_options rpcs_failed dropped unmatched
    zero_credits foreign_inv_handles placement_over_budget repterr_sent repterr_received
    xmtreqs_resent xmtconts_discarded groups_broken groups_overdue updxch_odd changes_given_up
    """.split())

# The same for the totals of the server
TOTALS_TROUBLE = ("rdma_stat_sq_starve", "rdma_stat_sq_stuck")

# One connection as debugfs has it: "client" or "server", a number, and its lines
Record = namedtuple("Record", "end number fields")
# A transport of the client as sysfs has it; used and granted are credits, None while
# there is no connection
Transport = namedtuple("Transport", "number address port used granted waiting")
# A mount: address and port of its server, and the counters of each of its transports
Mount = namedtuple("Mount", "address port transports")
# All of it; lacks says in words what could not be read
Look = namedtuple("Look", "loaded parameters records transports mounts totals memory lacks")


def parse_state(text):
    """Returns the lines of a file "state" as a dictionary.

    >>> parse_state("peer: 10.9.0.2\\nasking:\\ncalls_sent: 7\\n")
    {'peer': '10.9.0.2', 'asking': '', 'calls_sent': '7'}
    """
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def parse_transport(number, address, info):
    """Returns a transport of the client.

    >>> parse_transport(3, "10.9.0.1", "cur_cong=512\\ncong_win=16384\\nsending_q_len=5\\ndst_port=20049\\n")
    Transport(number=3, address='10.9.0.1', port='20049', used=2, granted=64, waiting=5)
    >>> parse_transport(3, "10.9.0.1", "<closed>\\n").granted is None
    True
    """
    values = dict(re.findall(r"^(\w+)=(\S*)$", info, re.MULTILINE))
    if "cong_win" not in values:
        return Transport(number, address, None, None, None, None)
    return Transport(number, address, values.get("dst_port"), int(values["cur_cong"]) >> CONGESTION_SHIFT,
                     int(values["cong_win"]) >> CONGESTION_SHIFT, int(values.get("sending_q_len", 0)))


def parse_mounts(mounts, mountstats):
    """Yields the mounts over RDMA; mounts has the addresses, mountstats the counters.

    Of a transport's counters the sixth says how many messages were sent."""
    options = {}
    for line in mounts.splitlines():
        words = line.split()
        if len(words) > 3 and words[2].startswith("nfs"):
            options[words[1]] = dict(o.partition("=")[::2] for o in words[3].split(","))
    for part in re.split(r"^device ", mountstats, flags=re.MULTILINE)[1:]:
        where = re.match(r"\S+ mounted on (\S+) with fstype nfs", part)
        found = re.findall(r"^\s*xprt:\s+rdma (.*)$", part, re.MULTILINE)
        if where and found and where[1] in options:
            here = options[where[1]]
            yield Mount(here.get("addr"), here.get("port"), [{"sends": int(x.split()[5])} for x in found])


class Files:
    """Reads what is below a folder, and keeps in mind what it was not allowed to read."""

    def __init__(self, root):
        self.root = Path(root)
        self.denied = set()

    def text(self, path):
        """Returns the text of a file, or None."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        except PermissionError:
            self.denied.add(str(path))
        except OSError:
            pass
        return None

    def names(self, path):
        """Returns the names in a folder, numbers in their order; [] if there is none."""
        try:
            return sorted((p.name for p in (self.root / path).iterdir()), key=lambda n: (len(n), n))
        except PermissionError:
            self.denied.add(str(path))
        except OSError:
            pass
        return []


def records(files):
    """Yields what debugfs has."""
    for end in ("client", "server"):
        for name in files.names(f"{RECORDS}/{end}"):
            text = files.text(f"{RECORDS}/{end}/{name}/state")
            if text and name.isdigit():
                yield Record(end, int(name), parse_state(text))


def transports(files):
    """Returns what sysfs has; several switches may have the same transport."""
    found = {}
    for switch in files.names(SWITCHES):
        for name in files.names(f"{SWITCHES}/{switch}"):
            number = re.fullmatch(r"xprt-(\d+)-rdma", name)
            folder = f"{SWITCHES}/{switch}/{name}"
            if number:
                address = files.text(f"{folder}/dstaddr") or ""
                found[int(number[1])] = parse_transport(int(number[1]), address.strip(),
                                                        files.text(f"{folder}/xprt_info") or "")
    return [found[n] for n in sorted(found)]


def totals(files):
    """Returns the server's counters, which are those of all connections together."""
    found = {n: files.text(f"{TOTALS}/{n}") for n in files.names(TOTALS) if n.startswith("rdma_stat_")}
    return {n: int(t) for n, t in found.items() if t and t.strip().isdigit()}


def memory(files):
    """Returns what each end says of its memory for Receives, unless that is hidden, or does
    not follow use."""
    found = {end: parse_state(files.text(f"{RECORDS}/{end}_memory") or "") for end in ("client", "server")}
    return {end: {n: int(v) for n, v in lines.items() if v.isdigit()} for end, lines in found.items() if lines}


def lacking(files, loaded, parameters):
    """Yields in words what is not to be seen, and why."""
    hidden = "versions, placement, groups, trouble and connections of the server are not shown"
    if loaded and not parameters:
        yield "the rpcrdma that is loaded is the kernel's own, which speaks version 1 only"
    elif any(p.startswith(DEBUGFS) for p in files.denied):
        yield f"/{RECORDS} is for root to read: {hidden}"
    elif loaded and not files.names(RECORDS):
        yield f"/{RECORDS} is not there, is debugfs mounted? {hidden}"
    if any(p.startswith("proc/") for p in files.denied):
        yield f"/{TOTALS} or /proc/self/mountstats cannot be read: some rates are not shown"


def look(root="/"):
    """Returns all that the kernel exports now."""
    files = Files(root)
    loaded = bool(files.names(MODULE))
    parameters = {n: int(t) for n in PARAMETERS if (t := files.text(f"{MODULE}/parameters/{n}"))}
    known = list(records(files))
    stats = files.text("proc/self/mountstats") or ""
    return Look(loaded, parameters, known, transports(files),
                list(parse_mounts(files.text("proc/self/mounts") or "", stats)), totals(files), memory(files),
                list(lacking(files, loaded, parameters)))
