#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kill.sh PLAN: goes through a plan of mutants.py in the client of the test bed. For each
# line: do the cases, or tests, pass without the mutant, and does one fail with it?
# What comes of it goes to standard output, for run.sh:
#
#   begin NR
#   result NR VERDICT SECONDS DETAIL
#   retry NR                          once more, in virtual machines that are fresh
#
# After a mutant that has left the machines unusable it ends with status 99.

. "$(dirname "$0")/../callback_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/../place_lib.sh"

PARAM=/sys/module/rpcrdma/parameters/mutant
TESTS=/repo/tools/testing/selftests/rpcrdma
LOGS=/out/mutants
# How long the peer waits for an answer, in ms
PATIENCE=8000

# choose END NUMBER: has that end be that mutant, also if a test loads the module anew.
choose()
{
	local how="echo $2 > /run/tb/mutant; echo $2 > $PARAM"

	if [ "$1" = server ]; then tb_server "$how"; else eval "$how"; fi
}

# prepare: what the cases of both roles need.
prepare()
{
	modprobe -q -a rdma_ucm ib_uverbs nfsv3
	mkdir -p "$RPCRDMA_MNT" "$LOGS"
	cat > /run/tb/on-server <<- 'EOF'
		#!/bin/bash
		. /repo/testbed/lib.sh
		tb_server "$1"
	EOF
	chmod +x /run/tb/on-server
}

# server_begin, server_end: what the tests of the server set for the cases, and undo.
server_begin()
{
	tb_server '/out/bin/peer file /export/conformance 262144; echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
	cb_load
}

server_end()
{
	cb_unload
	tb_server 'rm -f /export/conformance /export/peer-*; echo 2 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
}

# receives usual|short: how long those of the client under test are.
receives()
{
	local pages=16

	[ "$1" = usual ] || pages=1
	place_set pages "$pages"
	place_set read_min 4096
}

# cases END LIMIT CASES [OPTION...]: runs cases of the peer against that end, for so long
# at most, and prints their KTAP.
cases()
{
	local role=(server --host 10.9.0.2 --dir "$RPCRDMA_MNT") end=$1 limit=$2 what=$3

	shift 3
	[ "$end" = client ] || role=(client --host "$TB_SERVER_IP" --path conformance --on-server /run/tb/on-server)
	timeout -k 10 "$limit" /out/bin/peer "${role[@]}" --device "$TB_DEV" --timeout "$PATIENCE" \
		--case "${what// /,}" "$@" 2>&1
}

# tests LIMIT NAMES: runs tests, until one fails.
tests()
{
	local name limit=$1

	shift
	for name; do
		timeout -k 10 "$limit" bash "$TESTS/$name.sh" 2>&1 || { echo "not ok 1 $name"; return 1; }
	done
}

# passed LOG: prints the cases that have passed.
passed()
{
	sed -n '/# SKIP/d; s/^ok [0-9]* \([^ ]*\).*/\1/p' "$1"
}

# failed LOG: prints the first case that has failed, and why.
failed()
{
	local name

	name=$(sed -n 's/^not ok [0-9]* \([^ ]*\).*/\1/p' "$1" | head -1)
	[ -z "$name" ] || echo "$name: $(sed -n "s/^# $name: //p" "$1" | head -1 | cut -c -120)"
}

# attempt END KIND LIMIT LOG WHAT [OPTION...]: has the cases or tests run.
attempt()
{
	local end=$1 kind=$2 limit=$3 log=$4 what=$5

	shift 5
	if [ "$kind" = case ]; then
		cases "$end" "$limit" "$what" "$@" > "$log"
	else
		# shellcheck disable=SC2086 # several names
		tests "$limit" $what > "$log"
	fi
}

# sound END KIND LIMIT LOG WHAT: prints those of the cases or tests that pass without a
# mutant.
sound()
{
	attempt "$@"
	if [ "$2" = case ]; then
		passed "$4" | tr '\n' ' '
	elif ! grep -q '^not ok' "$4"; then
		echo "$5"
	fi
}

# complaints: prints what the kernels have complained about since the last time.
complaints()
{
	tb_splats
	tb_server tb_splats
}

# let_go: waits until the server has no connection any more. The flood holds on to those
# that are closed, until it is told.
let_go()
{
	tb_server "gone() { echo > $CB_FLOOD; tb_unconnected; }; tb_wait 20 gone"
}

# recover: no mutant any more, no mount and no connection; fails if that cannot be had.
recover()
{
	local m

	choose client 0
	choose server 0 || return 1
	while read -r m; do umount -f -l "$m"; done < <(awk '$3 ~ /^nfs4?$/ { print $2 }' /proc/mounts | sort -r)
	let_go && return 0
	cb_unload
	timeout 120 bash -c '. /repo/testbed/lib.sh; tb_server "tb_nfsd_stop && tb_nfsd_start"' || return 1
	cb_load
}

# verdict END KIND LOG RC COMPLAINS: what came of the cases with the mutant, and by whom.
verdict()
{
	local why said

	said=$(complaints)
	why=$(failed "$3")
	[ -n "$why" ] || [ "$4" = 0 ] || why="it ended with status $4"
	if [ -n "$said" ] && [ "$5" != yes ]; then
		printf 'A kernel complained:\n%s\n' "$said" >> "$3"
		echo "complained $(head -1 <<< "$said" | cut -c -120)"
	elif [ -n "$why" ]; then
		echo "killed $why"
	else
		echo "survived $(grep -c '^ok' "$3") passed"
	fi
}

# one NR NUMBER NAME END KIND WHAT RECEIVES COMPLAINS SECONDS: one line of the plan.
one()
{
	local nr=$1 number=$2 end=$4 kind=$5 what=$6 complains=$8 s=$SECONDS rc=0 good said
	local log=$LOGS/$3-$4-$5 limit=$((60 + ${9} * 4))

	echo "begin $nr"
	receives "$7"
	[ "$kind" = case ] || server_end
	good=$(sound "$end" "$kind" "$limit" "$log.without" "$what")
	said=$(complaints)
	if [ -z "${good// /}" ] || [ -n "$said" ]; then
		if [ "$tried" -gt 0 ]; then
			echo "retry $nr"
			return 1
		fi
		echo "result $nr unnoticeable $((SECONDS - s)) ${said:-nothing that should notice passes without it}"
		recover && { [ "$kind" = case ] || server_begin; }
		return
	fi
	tried=$((tried + 1))
	choose "$end" "$number" || return 1
	attempt "$end" "$kind" "$limit" "$log.with" "$good" --first-failure || rc=$?
	good=$(verdict "$end" "$kind" "$log.with" "$rc" "$complains")
	echo "result $nr ${good%% *} $((SECONDS - s)) ${good#* }"
	recover && { [ "$kind" = case ] || server_begin; }
}

prepare
server_begin || { echo "rpcrdma_flood does not load"; exit 1; }
tried=0
nr=0
while IFS=$'\t' read -r number name end _ kind what receives complains seconds; do
	one "$nr" "$number" "$name" "$end" "$kind" "$what" "$receives" "$complains" "$seconds" < /dev/null || exit 99
	nr=$((nr + 1))
done < "$1"
server_end
exit 0
