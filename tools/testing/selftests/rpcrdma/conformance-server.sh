#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our server answers everything the conformance peer sends it, good and bad, as
# the specification says; peer/ has the cases.
#
# bed: pair
# kernels: stock debug kcsan 7.3
# devices: rxe siw
# module: test
# also: rxe+ledger siw+copy
# smp: 1 2
# except: debug-siw debug-rxe-1 stock-rxe-1 stock-siw stock-siw-2
# timeout: 1800

. "$(dirname "$0")/callback_lib.sh"

rpcrdma_peer_ready
rpcrdma_eager
# more reverse Calls at a time than the 2 of the default, or none could be a group
tb_server '/out/bin/peer file /export/conformance 262144; echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
cb_load || { echo "Bail out! rpcrdma_flood does not load"; exit 1; }
cat > /run/tb/on-server << 'END'
#!/bin/bash
. /repo/testbed/lib.sh
tb_server "$1"
END
chmod +x /run/tb/on-server
# shellcheck disable=SC2046 # an option or none
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --on-server /run/tb/on-server $(rpcrdma_few)
rc=$?
cb_unload
tb_server 'rm -f /export/conformance /export/peer-*'
rpcrdma_server_set max_bc_requests 2
rpcrdma_cleanup
exit "$rc"
