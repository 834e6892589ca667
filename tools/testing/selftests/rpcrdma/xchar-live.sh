#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Characteristics change while connections are in use: the administrator of the
# server, or of the client, wants longer Receives; one end asks the other for
# longer or shorter ones, and gets them or not. No connection is lost, what is
# posted is what is said, and nothing waits for traffic that may never come.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

# column of mountstats
CONNECTS=3

# load: writes, reads back and lists until it is told to stop; on the debug kernel
# with breaks, so that there is time for anything else.
load()
{
	local n=0 file

	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		file=$RPCRDMA_MNT/load-$((n % 4))
		cp "$RPCRDMA_WORK/data" "$file" && sync -f "$file" &&
			dd if="$file" iflag=direct bs=64k status=none | cmp - "$RPCRDMA_WORK/data" || return 1
		ls -l "$RPCRDMA_MNT" > /dev/null || return 1
		n=$((n + 1))
		echo $n > "$RPCRDMA_WORK/rounds"
		[ "$TB_KERNEL" = stock ] || sleep 0.5
	done
}

# load_went_on: the load has not failed so far, and ends well.
load_went_on()
{
	touch "$RPCRDMA_WORK/stop"
	wait "$load_pid" || { echo "the load failed after round $(cat "$RPCRDMA_WORK/rounds")"; return 1; }
	echo "rounds: $(cat "$RPCRDMA_WORK/rounds")"
}

# same_connection: nothing has reconnected since the mount.
same_connection()
{
	local now

	now=$(rpcrdma_xprt "$CONNECTS")
	[ "$now" = "$connects" ] || { echo "connects: $connects at the mount, $now now"; return 1; }
}

# recvs END: prints how many Receives END has posted, their bytes, how many of
# them may be shorter than wanted, the bytes of all buffers, and the bytes that
# were posted before the last change, all at one moment.
recvs()
{
	local get="cat $RPCRDMA_DEBUGFS/$1/*/state"

	if [ "$1" = server ]; then tb_server "$get"; else eval "$get"; fi |
		awk '/^recv_/ { v[$1] = $2 }
			END { print v["recv_posted:"], v["recv_posted_bytes:"], v["recv_posted_behind:"],
				v["recv_buffer_bytes:"], v["recv_posted_bytes_before:"] }'
}

# fits END SIZE LONGEST BEFORE: all that END has posted is of SIZE, or something
# up to LONGEST; no more memory is in use than two Receives for each credit, and
# some, can take; and before the last change all was of BEFORE, if that is given.
fits()
{
	local n bytes behind buffers before

	read -r n bytes behind buffers before <<< "$(recvs "$1")"
	echo "$1: $n Receives posted, $bytes bytes, $before bytes before, $behind short; all buffers: $buffers" \
		> "$RPCRDMA_WORK/recvs"
	[ "$n" -gt 60 ] && [ "$behind" = 0 ] && [ "$bytes" -ge $((n * $2)) ] && [ "$bytes" -le $((n * $3)) ] &&
		[ "$buffers" -le $((200 * $3)) ] || return 1
	[ -z "$4" ] || { [ $((before % $4)) = 0 ] && [ "$before" -gt 0 ] && [ $((before / $4)) -le 200 ]; }
}

# posted END SIZE [LONGEST [BEFORE]]: END comes to have Receives of SIZE posted;
# tells what it has. Longer ones go as messages use them, one each: the server has some
# 140, a round of the load sends five messages, and 27 rounds take two minutes or more on
# the debug kernel of 7.3.
posted()
{
	local rc=0 seconds=30

	[ "$TB_KERNEL" = stock ] || seconds=200
	tb_wait "$seconds" fits "$1" "$2" "${3:-$2}" "${4:-}" || rc=1
	cat "$RPCRDMA_WORK/recvs"
	return "$rc"
}

# events END NAME: prints how often that has happened on END.
events()
{
	rpcrdma_state "$1" "$2" | awk '{ s += $1 } END { print s + 0 }'
}

# one_more END NAME COMMAND...: COMMAND has it happen once more.
one_more()
{
	local end=$1 name=$2 before

	shift 2
	before=$(events "$end" "$name")
	"$@" || return 1
	tb_wait 30 eval "[ \$(events $end $name) -gt $before ]" ||
		{ echo "$end $name is still $before"; rpcrdma_keys client asking pending changing; rpcrdma_keys server changing; return 1; }
}

# raise_server SIZE: the server's administrator wants longer Receives.
raise_server()
{
	rpcrdma_server_set recv_size "$1"
	rpcrdma_becomes 30 client peer_rbsiz "$1"
}

# raise_client SIZE: the client's wants them. They can be relied on when a Call
# was answered that was sent after the server was told.
raise_client()
{
	rpcrdma_client_set recv_size "$1"
	rpcrdma_becomes 30 server peer_rbsiz "$1" && stat -f "$RPCRDMA_MNT" > /dev/null &&
		rpcrdma_becomes 30 client recv_limit "$1"
}

# obtain ASKER SIZE: one end asks the other for Receives of SIZE and gets them.
obtain()
{
	rpcrdma_ask "$1" rbsiz "$2" && rpcrdma_becomes 30 "$1" peer_rbsiz "$2" && rpcrdma_becomes 10 "$1" pending ""
}

# both_ask: two requests that cross.
both_ask()
{
	rpcrdma_ask client rbsiz 24576 & rpcrdma_ask server rbsiz 28672
	wait $!
	rpcrdma_becomes 30 client peer_rbsiz 24576 && rpcrdma_becomes 30 server peer_rbsiz 28672
}

# attribute: sets an attribute that makes a long Call.
attribute()
{
	setfattr -n user.long -v "$(head -c 6000 /dev/zero | tr '\0' v)" "$RPCRDMA_MNT/file"
}

# gives_up: the server says that a change is pending, but its bound is lowered
# before it is complete. Messages take their time meanwhile, so that it does not get
# far.
gives_up()
{
	local rc=0

	tb_server 'modprobe -q sch_netem; tc qdisc add dev eth0 root netem delay 300ms' || return 1
	rpcrdma_ask client rbsiz 65536 && rpcrdma_becomes 20 client pending rbsiz || rc=1
	rpcrdma_server_set max_recv_size 32768 || rc=1
	rpcrdma_becomes 20 client pending "" || rc=1
	tb_server 'tc qdisc del dev eth0 root' && return "$rc"
}

# few END COMMAND...: COMMAND makes END ask for an answer, but hardly more often than once
# for each Receive that it has posted.
few()
{
	local end=$1 posted before n

	shift
	read -r posted _ <<< "$(recvs "$end")"
	before=$(events "$end" reqxch_sent)
	"$@" || return 1
	n=$(($(events "$end" reqxch_sent) - before))
	echo "$end: $n requests, $posted Receives"
	[ "$n" -gt 0 ] && [ "$n" -le $((posted + 50)) ]
}

rpcrdma_begin 29
head -c "$(($(rpcrdma_size 256) * 1024))" /dev/urandom > "$RPCRDMA_WORK/data"
rpcrdma_sizes 4096 4096 65536 65536
rpcrdma_t "mounts" eval 'rpcrdma_mount 4.2 && rpcrdma_version 2' || rpcrdma_end
connects=$(rpcrdma_xprt "$CONNECTS")
load &
load_pid=$!
tb_wait 30 test -e "$RPCRDMA_WORK/rounds"
rpcrdma_t "the callback service was announced" rpcrdma_becomes 10 server peer_brs inline
rpcrdma_t "before: what the server has posted" posted server 4096
rpcrdma_t "before: what the client has posted" posted client 4096
rpcrdma_t "the server's administrator raises the size" one_more client updxch_received raise_server 16384
rpcrdma_t "what the server has posted, and had" posted server 16384 16384 4096
rpcrdma_t "he lowers it: connections keep theirs" eval \
	"rpcrdma_server_set recv_size 4096; r=\$(cat $RPCRDMA_WORK/rounds)
	tb_wait 60 eval '[ \$(cat $RPCRDMA_WORK/rounds) -gt '\$((r + 2))' ]' && rpcrdma_is client peer_rbsiz 16384"
rpcrdma_t "the client asks for less" one_more client wishes_fulfilled obtain client 8192
rpcrdma_t "what the server has posted, and had" posted server 8192 8192 16384
rpcrdma_t "the client asks for more: pending, then done" one_more server changes_pended obtain client 65536
rpcrdma_t "what the server has posted, and had" posted server 65536 65536 8192
rpcrdma_t "the client's administrator raises the size" one_more server updxch_received raise_client 16384
rpcrdma_t "what the client has posted, and had" posted client 16384 16384 4096
rpcrdma_t "the server asks for more" one_more client changes_pended obtain server 20480
rpcrdma_t "the client asks for less again" obtain client 4096
rpcrdma_t "two requests cross" both_ask
rpcrdma_t "what both have posted" eval 'posted server 24576 65536 && posted client 28672 65536'
rpcrdma_t "too little is refused" one_more client wishes_denied rpcrdma_ask client rbsiz 1024
rpcrdma_server_set max_recv_size 32768
rpcrdma_t "too much is refused" one_more client wishes_denied rpcrdma_ask client rbsiz 40000
rpcrdma_t "other callbacks are refused" one_more server wishes_denied rpcrdma_ask server brs general
rpcrdma_t "the server keeps what it said" rpcrdma_is client peer_rbsiz 24576
rpcrdma_t "a value that is not to change is not asked for" eval '! rpcrdma_ask client reqreminv 1'
rpcrdma_t "all the while data arrived" load_went_on
rpcrdma_server_set max_recv_size 65536
rpcrdma_t "what is pending can come to nothing" one_more client wishes_denied gives_up
rpcrdma_t "the server's raise is soon complete where there is no traffic" few server raise_server 49152
rpcrdma_t "and so is the client's" few client raise_client 49152
rpcrdma_t "all over one connection" same_connection
rpcrdma_umount
rpcrdma_sizes 4096 4096 16384 16384 16384
rpcrdma_mount 4.2
touch "$RPCRDMA_MNT/file"
rpcrdma_t "a long Call has the client ask by itself" one_more server reqxch_received attribute
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
