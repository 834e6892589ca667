#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The highest version of each end can be read and written as a sysctl and as a
# module parameter, both show the same number, and nonsense is refused. So it is
# for lengths of Receives, which are sysctls only.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# except: debug-rxe
# timeout: 180

. "$(dirname "$0")/rpcrdma_lib.sh"

# accepts FILE OTHER: FILE takes 1 and 2, and OTHER shows the same.
accepts()
{
	local v

	for v in 1 2; do
		echo "$v" > "$1" || return 1
		if [ "$(cat "$1") $(cat "$2")" != "$v $v" ]; then
			echo "$v was written: $1 is $(cat "$1"), $2 is $(cat "$2")"
			return 1
		fi
	done
}

# refuses FILE: FILE takes nothing else and keeps its number.
refuses()
{
	local v rc=0

	for v in 0 3 -1 4294967297 two; do
		! (echo "$v" > "$1") 2> /dev/null || { echo "$1 took '$v'"; rc=1; }
		[ "$(cat "$1")" = 2 ] || { echo "$1 is $(cat "$1") after '$v'"; echo 2 > "$1"; rc=1; }
	done
	return "$rc"
}

# bad_parameter NAME: the module refuses to be loaded with NAME=3.
bad_parameter()
{
	! insmod "$TB_OURS" "$1=3" 2> /dev/null || { rmmod rpcrdma; return 1; }
}

# parameter NAME: the module takes NAME=1 and shows it.
parameter()
{
	insmod "$TB_OURS" "$1=1" && [ "$(cat "/sys/module/rpcrdma/parameters/$1")" = 1 ] && rmmod rpcrdma
}

# bounds NAME DEFAULT LEAST MOST: the sysctl is DEFAULT, takes LEAST and MOST, and
# nothing beyond.
bounds()
{
	local f=/proc/sys/sunrpc/$1 v rc=0

	[ "$(cat "$f")" = "$2" ] || { echo "the default is $(cat "$f")"; rc=1; }
	for v in "$3" "$4"; do
		echo "$v" > "$f" || rc=1
		[ "$(cat "$f")" = "$v" ] || { echo "$v was written: it is $(cat "$f")"; rc=1; }
	done
	for v in 0 $(($3 - 1)) $(($4 + 1)) -1 $((4294967296 + $3)) long; do
		! (echo "$v" > "$f") 2> /dev/null || { echo "it took '$v'"; rc=1; }
		[ "$(cat "$f")" = "$4" ] || { echo "it is $(cat "$f") after '$v'"; rc=1; }
	done
	echo "$2" > "$f"
	return "$rc"
}

rpcrdma_begin 19
for end in client server; do
	f=/proc/sys/sunrpc/rdma_max_version
	[ $end = client ] || f=/proc/sys/sunrpc/svc_rdma/max_version
	p=/sys/module/rpcrdma/parameters/${end}_max_version
	rpcrdma_t "$end: 2 is the default" test "$(cat $f)" = 2
	rpcrdma_t "$end: the sysctl takes 1 and 2" accepts $f $p
	rpcrdma_t "$end: the parameter takes 1 and 2" accepts $p $f
	rpcrdma_t "$end: the sysctl refuses nonsense" refuses $f
	rpcrdma_t "$end: the parameter refuses nonsense" refuses $p
done
for f in svc_rdma/recv_size:4096 svc_rdma/max_recv_size:16384 \
	rdma_recv_size:4096 rdma_max_recv_size:16384 rdma_ask_recv_size:16384; do
	rpcrdma_t "${f%:*}: 4096 to 65536 bytes" bounds "${f%:*}" "${f#*:}" 4096 65536
done
rpcrdma_t "rdma_probe_again: a second to a day" bounds rdma_probe_again 600 1 86400
rpcrdma_changed=yes
tb_unload
rpcrdma_t "parameters can be given at load time" eval 'parameter client_max_version && parameter server_max_version'
rpcrdma_t "nonsense at load time is refused" eval 'bad_parameter client_max_version && bad_parameter server_max_version'
rpcrdma_t "the module loads again without" tb_load ours && rpcrdma_changed=
rpcrdma_end
