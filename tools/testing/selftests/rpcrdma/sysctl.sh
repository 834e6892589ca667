#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The highest version of each end can be read and written as a sysctl and as a
# module parameter, both show the same number, and nonsense is refused. So it is
# for all that can be set otherwise: it begins with its default, and takes what is
# within its limits. Nothing else can be set.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
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

# setting FILE MIN MAX DEFAULT: the file shows DEFAULT, takes MIN and MAX, and nothing
# beyond.
setting()
{
	local v rc=0

	[ "$(cat "$1")" = "$4" ] || { echo "the default is $(cat "$1")"; rc=1; }
	for v in "$2" "$3"; do
		echo "$v" > "$1" || rc=1
		[ "$(cat "$1")" = "$v" ] || { echo "$v was written: it is $(cat "$1")"; rc=1; }
	done
	for v in $(($2 - 1)) $(($3 + 1)) $((1 << 32 | $2)) many; do
		! (echo "$v" > "$1") 2> /dev/null || { echo "it took '$v'"; rc=1; }
		[ "$(cat "$1")" = "$3" ] || { echo "it is $(cat "$1") after '$v'"; rc=1; }
	done
	echo "$4" > "$1"
	return "$rc"
}

# no_others: there are no files but those of the settings.
no_others()
{
	local there

	there=$(cd "$TESTS" && ls; cd "$SYSCTLS" && ls rdma_{max_version,probe_again,placement_*,continuation*} \
		svc_rdma/{max_version,max_bc_requests,placement_*,continuation*})
	[ "$(sort <<< "$there")" = "$(for f in "${settings[@]}"; do echo "${f%% *}"; done | sed 's,^settings/,,' | sort)" ]
}

SYSCTLS=/proc/sys/sunrpc
TESTS=/sys/kernel/debug/rpcrdma2/settings
mapfile -t settings < <(python3 "$(dirname "$0")/../../../../scripts/settings.py" list)
rpcrdma_begin $((14 + ${#settings[@]}))
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
rpcrdma_t "all settings are known, and there are no others" no_others
for f in "${settings[@]}"; do
	read -r name min max dflt <<< "$f"
	file=$SYSCTLS/$name
	[[ $name != settings/* ]] || file=$TESTS/${name#settings/}
	rpcrdma_t "$name: $min to $max" setting "$file" "$min" "$max" "$dflt"
done
rpcrdma_changed=yes
tb_unload
rpcrdma_t "parameters can be given at load time" eval 'parameter client_max_version && parameter server_max_version'
rpcrdma_t "nonsense at load time is refused" eval 'bad_parameter client_max_version && bad_parameter server_max_version'
rpcrdma_t "the module loads again without" tb_load ours && rpcrdma_changed=
rpcrdma_end
