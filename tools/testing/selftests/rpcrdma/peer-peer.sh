#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The two roles of the conformance peer try each other, over TCP: what the cases
# of placement by Send and of continued messages ask of a server, the peer's own
# server does. A case that fails here is wrong in itself.
#
# bed: host
# timeout: 300

exec make -s -C "$(dirname "$0")/peer" run
