#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The two roles of the conformance peer try each other, over TCP: what the cases
# of placement by Send and of continued messages ask of a server, the peer's own
# server does; and they fuzz each other. A case that fails here is wrong in itself.
# Skipped are those for a server without placement, and those that need a hand on
# the server.
#
# bed: host
# timeout: 3600
# skips: xmt_not_offered
# skips: xmt_cont_not_offered
# skips: xmt_no_plt
# skips: cont_overdue
# skips: cont_replies_beside_calls
# skips: cont_few_credits
# skips: cont_open_memory

exec make -s -C "$(dirname "$0")/peer" run
