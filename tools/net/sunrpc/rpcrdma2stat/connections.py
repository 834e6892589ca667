# SPDX-License-Identifier: GPL-2.0
"""What one look at the kernel says of each connection, and what two say of its rates."""

from exported import ORDINARY, TOTALS_TROUBLE, TROUBLE

COUNTERS = ORDINARY | TROUBLE


def number(text):
    """Returns the number that a line has, or None.

    >>> number("64"), number("true"), number(None)
    (64, None, None)
    """
    return int(text) if text and text.isdigit() else None


def address(peer):
    """Returns the address in the name of a peer.

    >>> address("10.9.0.1 port 20049"), address("10.9.0.2")
    ('10.9.0.1', '10.9.0.2')
    """
    return peer.partition(" ")[0]


def switch(text):
    """Returns whether something is on, in one word, and the reason if there is one.

    >>> switch("on"), switch("off: disabled"), switch("on: for replies only"), switch(None)
    (('on', None), ('off', 'disabled'), ('on', 'for replies only'), (None, None))
    >>> switch("not settled yet")
    ('off', 'not settled yet')
    """
    if not text:
        return None, None
    word, _, why = text.partition(": ")
    return (word, why or None) if word in ("on", "off") else ("off", text)


def of_record(record):
    """Returns what debugfs says of a connection."""
    f = record.fields
    placement, no_placement = switch(f.get("placement"))
    counters = {n: int(v) for n, v in f.items() if n in COUNTERS and number(v) is not None}
    groups, no_groups = switch(f.get("continuation"))
    if groups is None and (counters.get("groups_sent") or counters.get("groups_received")):
        groups = "on"
    return {
        "end": record.end, "id": record.number, "peer": f.get("peer", "?"),
        "version": number(f.get("version")), "why": f.get("why"), "peer_versions": f.get("peer_versions"),
        "credits": {"used": None, "granted": number(f.get("forward_credits")), "waiting": None},
        "reverse_credits": {"used": number(f.get("reverse_in_use")), "granted": number(f.get("reverse_credits"))},
        "given_up": number(f.get("given_up")),
        "placement": {"state": placement, "reason": no_placement, "kb": number(f.get("placement_kb"))},
        "groups": {"state": groups, "reason": no_groups,
                   "sent": counters.get("groups_sent"), "received": counters.get("groups_received")},
        "report": f.get("report"),
        "counters": counters,
        "trouble": {n: v for n, v in counters.items() if n in TROUBLE and v},
        "rates": None,
    }


def of_transport(transport):
    """Returns what can be said of a client's connection without debugfs."""
    return {
        "end": "client", "id": transport.number,
        "peer": transport.address + (f" port {transport.port}" if transport.port else ""),
        "version": None, "why": None, "peer_versions": None,
        "credits": {"used": None, "granted": None, "waiting": None},
        "reverse_credits": {"used": None, "granted": None}, "given_up": None,
        "placement": {"state": None, "reason": None, "kb": None},
        "groups": {"state": None, "reason": None, "sent": None, "received": None},
        "report": None, "counters": {}, "trouble": {}, "rates": None,
    }


def use_transport(connection, transport):
    """Adds what sysfs says of a client's connection: credits, and whether there is one."""
    connection["connected"] = transport.granted is not None
    connection["credits"] = {"used": transport.used, "granted": transport.granted, "waiting": transport.waiting}


def use_mount(connection, counters):
    """Adds what mountstats counted, where version 2 did not."""
    if connection["version"] != 2:
        connection["counters"]["calls_sent"] = counters["sends"]


def pair(connections, look):
    """Joins the client's connections with sysfs and mountstats.

    Several may go to one address: they are in the order in which they were made, here as
    there. Where their numbers differ, one has just come or gone, and nothing is joined."""
    for place in {address(c["peer"]) for c in connections}:
        mine = [c for c in connections if address(c["peer"]) == place]
        theirs = [t for t in look.transports if t.address == place]
        if len(mine) == len(theirs):
            for connection, transport in zip(mine, theirs):
                use_transport(connection, transport)
        for mount in look.mounts:
            if mount.address == place and len(mount.transports) == len(mine):
                for connection, counters in zip(mine, mount.transports):
                    use_mount(connection, counters)


def connections(look):
    """Returns all connections that a look shows, those of the client first."""
    found = [of_record(r) for r in look.records]
    ours = [c for c in found if c["end"] == "client"]
    if not ours:
        ours = [of_transport(t) for t in look.transports]
    pair(ours, look)
    return ours + [c for c in found if c["end"] == "server"]


def rates(before, after, seconds):
    """Returns what a connection did in each second between two looks; None if the
    counters began anew.

    >>> rates({"calls_sent": 10}, {"calls_sent": 30, "placed_bytes_sent": 4096}, 2.0)
    {'calls': 10.0, 'placed_out': 2048.0, 'placed_in': 0.0}
    >>> rates({"calls_sent": 10}, {"calls_sent": 3}, 2.0) is None
    True
    """
    def grown(*names):
        return sum(after.get(n, 0) - before.get(n, 0) for n in names)

    if seconds <= 0 or any(after.get(n, 0) < v for n, v in before.items()):
        return None
    return {"calls": grown("calls_sent", "calls_received") / seconds,
            "placed_out": grown("placed_bytes_sent") / seconds,
            "placed_in": grown("placed_bytes_received") / seconds}


def compare(before, after, seconds):
    """Adds rates, and how much trouble there is more, to connections of a second look."""
    old = {(c["end"], c["id"]): c for c in before}
    for connection in after:
        was = old.get((connection["end"], connection["id"]))
        counted = connection["counters"]
        if was and counted and was["peer"] == connection["peer"]:
            connection["rates"] = rates(was["counters"], counted, seconds)
            connection["more_trouble"] = {n: v - was["trouble"].get(n, 0)
                                          for n, v in connection["trouble"].items() if v > was["trouble"].get(n, 0)}


def server_trouble(totals):
    """Returns which of the server's totals should not grow, and did."""
    return {n: totals[n] for n in TOTALS_TROUBLE if totals.get(n)}
