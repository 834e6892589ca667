#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ledger notices callers that break the rules of DMA, one for each of its
# complaints, and the look at the kernel's log sees what it says; an ordinary
# rpcrdma.ko knows nothing of it.
#
# bed: vm
# kernels: stock debug
# devices: -+ledger
# except: debug--+ledger
# timeout: 120

[ -f /run/tb/bed ] || { echo '1..0 # SKIP needs the test bed: see Documentation/developer.rst'; exit 4; }
# shellcheck source=/dev/null
. /repo/testbed/lib.sh

bad=0
nr=0
modprobe -q -a ib_core rdma_cm

# t NAME COMMAND...: one result.
t()
{
	local name=$1 rc='ok'

	shift
	nr=$((nr + 1))
	"$@" > /run/tb/t 2>&1 || { rc='not ok'; bad=1; }
	sed 's/^/# /' /run/tb/t
	echo "$rc $nr $name"
}

# callers COPY: all callers do what is expected of them.
callers()
{
	local n

	n=$(dmesg | wc -l)
	insmod /out/bin/rpcrdma_ledger.ko copy="$1" || return 1
	# it does not stay: all it has to say is in the log
	insmod /out/bin/rpcrdma_ledger_test.ko 2> /dev/null
	rmmod rpcrdma_ledger
	dmesg | tail -n "+$((n + 1))" | sed -n 's/^.*rpcrdma_ledger_test: //p' > /run/tb/callers
	cat /run/tb/callers
	! grep -q '^not ok' /run/tb/callers &&
		[ "$(sed -n 's/^1\.\.//p' /run/tb/callers)" = "$(grep -c '^ok' /run/tb/callers)" ]
}

# seen: a complaint gets from the kernel's log to who looks there.
seen()
{
	insmod /out/bin/rpcrdma_ledger.ko || return 1
	insmod /out/bin/rpcrdma_ledger_test.ko loud=1 2> /dev/null
	rmmod rpcrdma_ledger
	tb_splats > /run/tb/seen
	grep 'unmaps what is not mapped' /run/tb/seen
}

# needs_ledger FILE: that module calls the ledger.
needs_ledger()
{
	modinfo -F depends "$1" | grep -qw rpcrdma_ledger
}

# ordinary: the module that is built for users does without the ledger.
ordinary()
{
	needs_ledger /out/bin/rpcrdma.ko && ! needs_ledger "/build/$TB_KERNEL/net/sunrpc/xprtrdma/rpcrdma.ko"
}

echo 1..4
t "callers are judged" callers 0
t "callers are judged, with copies" callers 1
t "the look at the log sees it" seen
t "the ordinary module does without" ordinary
exit "$bad"
