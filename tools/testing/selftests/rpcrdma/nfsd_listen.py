#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Has nfsd listen at one address, as "nfsdctl listener" of newer nfs-utils does.

nfsd_listen.py TRANSPORT ADDRESS PORT
    replaces what nfsd listens on; it has no threads then. IPv4 only.
"""

import socket
import struct
import sys

GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
NFSD_CMD_LISTENER_SET, NFSD_A_SERVER_SOCK_ADDR = 6, 1
NFSD_A_SOCK_ADDR, NFSD_A_SOCK_TRANSPORT_NAME = 1, 2
NLM_F_REQUEST, NLM_F_ACK, NLA_F_NESTED, NLMSG_ERROR = 1, 4, 0x8000, 2


def attr(kind, data):
    """Returns an attribute with its padding."""
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def attrs(data):
    """Returns the attributes in there by number."""
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3fff] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


def ask(sock, family, command, payload, flags):
    """Sends a message, and returns the attributes of the answer. Ends the program on an error."""
    body = struct.pack("=BBH", command, 1, 0) + payload
    sock.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST | flags, 1, 0) + body)
    answer = sock.recv(65536)
    if struct.unpack_from("=IH", answer)[1] == NLMSG_ERROR:
        error = struct.unpack_from("=i", answer, 16)[0]
        if error:
            sys.exit(f"nfsd_listen.py: error {error}")
        return {}
    return attrs(answer[20:])


def main():
    transport, address, port = sys.argv[1:]
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
    family = ask(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, attr(CTRL_ATTR_FAMILY_NAME, b"nfsd\0"), 0)[CTRL_ATTR_FAMILY_ID]
    where = struct.pack("=H", socket.AF_INET) + struct.pack("!H", int(port)) + socket.inet_aton(address)
    one = attr(NFSD_A_SOCK_ADDR, where.ljust(128, b"\0")) + attr(NFSD_A_SOCK_TRANSPORT_NAME, transport.encode() + b"\0")
    ask(sock, struct.unpack("=H", family)[0], NFSD_CMD_LISTENER_SET, attr(NFSD_A_SERVER_SOCK_ADDR | NLA_F_NESTED, one), NLM_F_ACK)


if __name__ == "__main__":
    main()
