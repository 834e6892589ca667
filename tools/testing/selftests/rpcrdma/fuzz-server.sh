#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server bears 50,000 sequences of spoiled messages, requests in groups and answers to its
# reverse Calls among them: what it answers is in order, a second client reads the right
# data all the while, its memory stays as it was. So many go to the debug kernel, others get
# 5,000, and 1,000 in "make check". --fuzz N chooses another number, SEED= another seed
# than one drawn (in "make check" 4711); it is printed.
#
# bed: server
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# asked: 7.3
# timeout: 1500

. "$(dirname "$0")/callback_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/fuzz_lib.sh
. "$(dirname "$0")/fuzz_lib.sh"

# used: what the server's kernel has allocated, in KiB: slab, and all of it.
used()
{
	tb_server "$(declare -f flood_used); flood_used"
}

# fuzz ARGUMENTS...: sequences to the server.
fuzz()
{
	rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --on-server /run/tb/on-server "$@"
}

rpcrdma_peer_ready
rpcrdma_eager
cb_load || { echo "Bail out! rpcrdma_flood does not load"; exit 1; }
tb_server 'echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
cat > /run/tb/on-server << 'END'
#!/bin/bash
. /repo/testbed/lib.sh
tb_server "$1"
END
chmod +x /run/tb/on-server
[ "$TB_KERNEL" != debug ] || [ -z "${TB_EVERY_CASE:-}" ] || FUZZ_COUNT=50000
fuzz_run 25 "MSG version-1 XMTRESP INITXCH RESPXCH REPTERR VERS BAD_XDR INVAL_PROC INVAL_OPTION" "$@"
cb_unload
tb_server 'rm -f /export/conformance /export/fuzz /export/peer-*
	echo 2 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
rpcrdma_end
