# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests share: KTAP, mounts, files with known content, and what the
# two ends say of their connections. A test sources it first; see TEMPLATE.sh.
#
# The tests run in the client of the test bed (testbed/lib.sh has the picture), or, where
# there is none, on one machine (alone_lib.sh).

# Where tests mount, have files of their own, and leave some; where programs and kernel modules
# are; and what mounts of theirs begin with.
if [ -f /run/tb/bed ]; then
	# shellcheck source=/dev/null
	. /repo/testbed/lib.sh
	RPCRDMA_MNT=/mnt/rpcrdma
	RPCRDMA_WORK=/run/tb/work
	RPCRDMA_OUT=/out
	RPCRDMA_BIN=/out/bin
	# shellcheck disable=SC2034 # for callback_lib.sh
	RPCRDMA_KO=/out/bin
	RPCRDMA_FROM=
else
	# shellcheck source=tools/testing/selftests/rpcrdma/alone_lib.sh
	. "$(dirname "${BASH_SOURCE[0]}")/alone_lib.sh"
fi
RPCRDMA_DEBUGFS=/sys/kernel/debug/rpcrdma2
# What a mount may take in seconds; it takes two here, ten on a busy host, and on a slow
# kernel three times as long. It is less than the 60 after which an RPC is sent again. An
# unmount has three times that: one took 22 on a host with a load of 20.
RPCRDMA_LIMIT=55
rpcrdma_nr=0
rpcrdma_bad=0
rpcrdma_changed=

# rpcrdma_begin COUNT: announces how many results follow and cleans up the
# server and the work folder.
rpcrdma_begin()
{
	printf 'TAP version 13\n1..%d\n' "$1"
	rm -rf "$RPCRDMA_WORK"
	mkdir -p "$RPCRDMA_WORK" "$RPCRDMA_MNT"
	trap rpcrdma_cleanup EXIT
	tb_server 'rm -rf /export/*'
	! declare -F place_defaults > /dev/null || place_defaults
}

# rpcrdma_cleanup: leaves both ends as the next test expects them.
rpcrdma_cleanup()
{
	rpcrdma_umount_all
	[ -z "$rpcrdma_changed" ] || rpcrdma_modules "$TB_SERVER" "$TB_CLIENT" || true
	rpcrdma_client_defaults
	tb_server "$(declare -f rpcrdma_knob rpcrdma_set rpcrdma_server_defaults); rpcrdma_server_defaults"
	! declare -F place_restore > /dev/null || place_restore
}

# rpcrdma_knob END NAME: prints the file of a setting of this machine: a sysctl, or one
# in debugfs if it is for tests only, of this end or of both.
rpcrdma_knob()
{
	local f=/proc/sys/sunrpc/rdma_$2

	[ "$1" = client ] || f=/proc/sys/sunrpc/svc_rdma/$2
	[ -e "$f" ] || f=/sys/kernel/debug/rpcrdma2/settings/$1_$2
	[ -e "$f" ] || f=${f%/*}/$2
	echo "$f"
}

# rpcrdma_set END NAME VALUE: sets that, unless a module has no such switch.
rpcrdma_set()
{
	local f

	f=$(rpcrdma_knob "$1" "$2")
	[ ! -e "$f" ] || echo "$3" > "$f"
}

# rpcrdma_client_set, rpcrdma_server_set NAME VALUE: set that at the client or at the
# server, which must have such a switch.
rpcrdma_client_set()
{
	echo "$2" > "$(rpcrdma_knob client "$1")"
}

rpcrdma_server_set()
{
	tb_server "$(declare -f rpcrdma_knob); echo $2 > \$(rpcrdma_knob server $1)"
}

# rpcrdma_client_defaults, rpcrdma_server_defaults: what the tests begin with.
rpcrdma_client_defaults()
{
	rpcrdma_set client max_version 2
	rpcrdma_set client placement_mem_kb 2147483647
	rpcrdma_set client placement_pages 16
	rpcrdma_set client recv_size 4096
	rpcrdma_set client max_recv_size 16384
	rpcrdma_set client ask_recv_size 16384
	rpcrdma_set client eager "${TB_EAGER:-0}"
	rpcrdma_set client memory_interval 250
}

rpcrdma_server_defaults()
{
	rpcrdma_set server max_version 2
	rpcrdma_set server placement_mem_kb 2147483647
	rpcrdma_set server placement_pages 16
	rpcrdma_set server recv_size 4096
	rpcrdma_set server max_recv_size 16384
	rpcrdma_set server eager "${TB_EAGER:-0}"
	rpcrdma_set server memory_interval 250
}

# rpcrdma_placement CLIENT SERVER: switches placement of data in Receives of each end on
# (1) or off (0); an end whose module has no such switch is left alone.
rpcrdma_placement()
{
	rpcrdma_set client placement_mem_kb $(($1 * 2147483647))
	tb_server "$(declare -f rpcrdma_knob rpcrdma_set); rpcrdma_set server placement_mem_kb $(($2 * 2147483647))"
}

# rpcrdma_eager: the server gives connections all Receives from the beginning. For a peer
# of ours, which tries what a server with such Receives does about its messages; it is
# not there to be given more. Where the peer is the server, "rpcrdma_set client eager 1".
rpcrdma_eager()
{
	tb_server "$(declare -f rpcrdma_knob rpcrdma_set); rpcrdma_set server eager 1"
}

# rpcrdma_block_size BYTES: sets the longest READ and WRITE of the server, which goes by its
# memory otherwise, and prints what it was.
rpcrdma_block_size()
{
	tb_server "cat /proc/fs/nfsd/max_block_size; tb_nfsd_stop && echo $1 > /proc/fs/nfsd/max_block_size && tb_nfsd_start"
}

# rpcrdma_least END KEY: prints the least number that END says of a connection.
rpcrdma_least()
{
	rpcrdma_state "$1" "$2" | sort -n | head -1
}

# rpcrdma_is_ready: both ends have Receives that data is placed in on all connections, and
# as many as a message of 1 MiB takes; those of a client may be set aside for long replies.
rpcrdma_is_ready()
{
	local credits

	credits=$(rpcrdma_least client memory_credits)
	[ -n "$credits" ] || credits=$(rpcrdma_least client forward_credits)
	rpcrdma_is server placement on && [ "$(rpcrdma_least server forward_credits)" -ge 18 ] && [ "${credits%% *}" -ge 18 ] &&
		{ [ -z "$(rpcrdma_state client memory_kb)" ] || [ "$(rpcrdma_least client local_rbsiz)" -gt 8192 ]; }
}

# rpcrdma_busy FILE: writes and reads it until it is told to stop, or that fails. What fits in
# one Receive, as tests may place no more than that, and what takes several.
rpcrdma_busy()
{
	while [ -e "$RPCRDMA_WORK/go" ]; do
		dd if=/dev/zero of="$1" bs=64k count=16 oflag=direct status=none &&
			dd if="$1" of=/dev/null bs=64k iflag=direct status=none &&
			dd if="$1" of=/dev/null bs=128k iflag=direct status=none || return 1
	done
}

# rpcrdma_interval MS: how often both ends look at the memory of idle connections.
rpcrdma_interval()
{
	rpcrdma_set client memory_interval "$1"
	tb_server "$(declare -f rpcrdma_knob rpcrdma_set); rpcrdma_set server memory_interval $1"
}

# rpcrdma_ready: where memory follows use, both ends get that, and keep it: they look far less
# often from then on. Without that setting they keep it for five seconds, and a slow host may
# pause for longer. Otherwise that has always been so. What uses up short Receives is
# messages, however long. They go on while one looks, which can take as long.
rpcrdma_ready()
{
	local pid rc=0 f=$RPCRDMA_MNT/.ready

	[ -n "$(rpcrdma_state server memory_kb)$(rpcrdma_state client memory_kb)" ] || return 0
	rpcrdma_interval 250
	touch "$RPCRDMA_WORK/go"
	rpcrdma_busy "$f" &
	pid=$!
	tb_wait 90 rpcrdma_is_ready || rc=1
	rpcrdma_interval 10000
	rm -f "$RPCRDMA_WORK/go"
	wait "$pid" || rc=1
	[ "$rc" = 0 ] || rpcrdma_keys server placement forward_credits memory_why
	rm -f "$f"
	return "$rc"
}

# rpcrdma_t NAME COMMAND...: one result: COMMAND succeeds. What it prints is
# shown as diagnostics, and how long it took if that was long.
rpcrdma_t()
{
	local name=$1 rc=0 s=$SECONDS

	shift
	rpcrdma_nr=$((rpcrdma_nr + 1))
	"$@" > "$RPCRDMA_WORK/.t" 2>&1 || rc=$?
	[ ! -s "$RPCRDMA_WORK/.t" ] || sed 's/^/# /' "$RPCRDMA_WORK/.t"
	[ $((SECONDS - s)) -lt 10 ] || echo "# this took $((SECONDS - s)) s"
	if [ $rc = 0 ]; then
		echo "ok $rpcrdma_nr $name"
	else
		echo "not ok $rpcrdma_nr $name"
		rpcrdma_bad=1
	fi
	return "$rc"
}

# rpcrdma_skip NAME REASON...: one result that cannot be had here.
rpcrdma_skip()
{
	local name=$1

	shift
	rpcrdma_nr=$((rpcrdma_nr + 1))
	echo "ok $rpcrdma_nr $name # SKIP $*"
}

# rpcrdma_skip_all REASON...: the whole test cannot run here.
rpcrdma_skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# rpcrdma_peer_ready: the conformance peer can run here; without it the whole
# test is skipped.
rpcrdma_peer_ready()
{
	[ -x "$RPCRDMA_BIN/peer" ] || rpcrdma_skip_all "the peer is not built: make programs"
	modprobe -q -a rdma_ucm ib_uverbs nfsv3
}

# rpcrdma_peer ROLE ARGUMENTS...: runs the conformance peer, which prints KTAP,
# leaves a table of results, and has more patience with the slow debug kernel.
rpcrdma_peer()
{
	local ms=15000

	[ "$TB_KERNEL" = stock ] || ms=60000
	"$RPCRDMA_BIN/peer" "$@" --csv "$RPCRDMA_OUT/$(basename "$0" .sh).csv" --device "$TB_DEV" --timeout "$ms"
}

# rpcrdma_everything: everything was asked for ("make check-all", "make conformance"), and
# the kernel is not one of the slow ones. Those do then what the stock kernel does in
# "make check".
rpcrdma_everything()
{
	[ -n "${TB_EVERY_CASE:-}" ] && [ "$TB_KERNEL" = stock ]
}

# rpcrdma_whole: there is time for what a test usually does: all but a slow kernel in
# "make check".
rpcrdma_whole()
{
	[ -n "${TB_EVERY_CASE:-}" ] || [ "$TB_KERNEL" = stock ]
}

# rpcrdma_share COUNT: prints how often of so many times something is done: as often if
# everything is done, else a quarter, or a sixteenth where there is no time for that.
rpcrdma_share()
{
	local by=4

	rpcrdma_whole || by=16
	! rpcrdma_everything || by=1
	echo $((($1 + by - 1) / by))
}

# rpcrdma_few: prints the options by which a test of conformance has no more cases than
# name each id once, unless everything is done; one processor is enough for that.
# Devices, processors and slow kernels share those. "make conformance" (every) has all of
# them wherever it is: an id without its case has failed in what it writes.
rpcrdma_few()
{
	local part=0/1

	[ "${TB_EVERY_CASE:-}" != every ] || return 0
	case ${TB_EVERY_CASE:-no}-$TB_KERNEL-$TB_DEV-$TB_SMP in
	yes-stock-*-1) return ;;
	yes-stock-*) ;;
	yes-*-rxe-1) part=0/4 ;;
	yes-*-siw-1) part=1/4 ;;
	yes-*-rxe-*) part=2/4 ;;
	yes-*) part=3/4 ;;
	no-stock-rxe-1) part=0/3 ;;
	no-stock-rxe-*) part=1/3 ;;
	no-stock-*) part=2/3 ;;
	*) part=0/12 ;;
	esac
	echo --subset --part $part
}

# rpcrdma_end: the last line of a test.
rpcrdma_end()
{
	exit "$rpcrdma_bad"
}

# rpcrdma_mount VERS [OPTIONS]: mounts the export, or $RPCRDMA_BELOW in it, with that
# version of NFS, and the security flavor $RPCRDMA_SEC.
rpcrdma_mount()
{
	local opts=vers=$1,proto=rdma,port=20049,sec=${RPCRDMA_SEC:-sys}${2:+,$2} s=$SECONDS rc=0
	local from=/${RPCRDMA_BELOW:-}

	if [ "$1" = 3 ]; then
		opts+=,nolock,mountproto=tcp,mountport=20048
		from=/export${RPCRDMA_BELOW:+/$RPCRDMA_BELOW}
	fi
	timeout 120 mount -t nfs -o "$opts" "$TB_SERVER_IP:$from" "$RPCRDMA_MNT" || rc=$?
	[ $((SECONDS - s)) -le "$RPCRDMA_LIMIT" ] || { echo "the mount took $((SECONDS - s)) s"; rc=1; }
	return "$rc"
}

# rpcrdma_umount [DIR]: unmounts it again. Where that fails or takes too long, so does
# the test, whether it looks or not.
rpcrdma_umount()
{
	local m=${1:-$RPCRDMA_MNT} s=$SECONDS rc=0

	timeout -k 10 $((3 * RPCRDMA_LIMIT)) umount "$m" || rc=$?
	[ "$rc" = 0 ] || echo "the unmount of $m ended after $((SECONDS - s)) s with status $rc" | tee -a "$TB_DISORDER"
	return "$rc"
}

# rpcrdma_umount_all: unmounts what is mounted from the server, inner ones first.
rpcrdma_umount_all()
{
	local m

	while read -r m; do
		rpcrdma_umount "$m" || umount -f -l "$m"
	done < <(awk -v from="^$RPCRDMA_FROM" '$3 ~ /^nfs4?$/ && $1 ~ from { print $2 }' /proc/mounts | sort -r)
}

# rpcrdma_size KIBIBYTES: that much data, less of it where the kernel is slow.
rpcrdma_size()
{
	if [ "$TB_KERNEL" != stock ]; then echo $((($1 + 7) / 8)); else echo "$1"; fi
}

# rpcrdma_make DIR: fills DIR with files of all the sizes that matter to a
# transport: none, a byte, around the inline size, around pages and around
# what one WRITE can carry; and with a few names.
rpcrdma_make()
{
	local n

	mkdir -p "$1/sub/dir"
	for n in 0 1 512 1000 1023 1024 1025 3000 4000 4095 4096 4097 8192 65536 262145 \
		$(($(rpcrdma_size 4096) * 1024 + 1)); do
		head -c "$n" /dev/urandom > "$1/size-$n"
	done
	for ((n = 0; n < $(rpcrdma_size 40); n++)); do
		echo "$n" > "$1/sub/dir/a-name-that-makes-the-listing-long-$n"
	done
	ln -s ../size-1025 "$1/sub/link"
}

# rpcrdma_same A B: two trees hold the same names and bytes.
rpcrdma_same()
{
	diff -r --no-dereference "$1" "$2" && diff <(cd "$1" && find . | sort) <(cd "$2" && find . | sort)
}

# rpcrdma_drop_caches: what is read next comes from the server.
rpcrdma_drop_caches()
{
	sync -f "$RPCRDMA_MNT"
	echo 3 > /proc/sys/vm/drop_caches
}

# rpcrdma_listing DIR: makes DIR such that a listing needs a chunk, and lists it.
rpcrdma_listing()
{
	local n

	mkdir "$1"
	for ((n = 0; n < 30; n++)); do
		: > "$1/a-rather-long-name-so-that-a-listing-needs-a-chunk-$n"
	done
	ls -f "$1" > /dev/null
}

# rpcrdma_exercise FILE: works on the mount, with data from FILE, such that it
# takes messages and chunks of all kinds: inline both ways, Read chunks (one of
# them for a long SYMLINK), Write chunks, Reply chunks used and unused.
rpcrdma_exercise()
{
	local m=$RPCRDMA_MNT n

	for n in 100 3000 9000 70000; do
		dd if="$1" of="$m/f$n" bs="$n" count=1 oflag=direct 2> /dev/null || return 1
		dd if="$m/f$n" of=/dev/null bs="$n" iflag=direct 2> /dev/null || return 1
	done
	rpcrdma_listing "$m/d"
	ln -s "$(printf 'x%.0s' {1..4000})" "$m/long" && readlink "$m/long" > /dev/null
}

# rpcrdma_roundtrip [NAME]: writes a tree to the server, reads and lists it
# afresh, and compares it here and on the server's own file system.
rpcrdma_roundtrip()
{
	local name=${1:-tree} src=$RPCRDMA_WORK/src

	[ -d "$src" ] || rpcrdma_make "$src"
	cp -a "$src" "$RPCRDMA_MNT/$name" || return 1
	rpcrdma_drop_caches
	rpcrdma_same "$src" "$RPCRDMA_MNT/$name" || return 1
	[ "$(rpcrdma_sum "$src")" = "$(tb_server "$(declare -f rpcrdma_sum); rpcrdma_sum /export/${RPCRDMA_BELOW:-}/$name")" ] ||
		{ echo "the server's own copy differs"; return 1; }
}

# rpcrdma_sum DIR: one checksum over all names and contents.
rpcrdma_sum()
{
	(cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum
}

# rpcrdma_capture FILE BYTES FILTER COMMAND...: does COMMAND, and keeps in FILE so
# many bytes of each packet that goes over eth0 in the meantime (0: all) and
# matches FILTER. What tcpdump says is in $RPCRDMA_WORK/tcpdump afterwards.
rpcrdma_capture()
{
	local file=$1 bytes=$2 filter=$3 pid rc=0

	shift 3
	tcpdump -i eth0 -s "$bytes" -B 65536 -U -w "$file" "$filter" 2> "$RPCRDMA_WORK/tcpdump" &
	pid=$!
	tb_wait 20 grep -q 'listening on' "$RPCRDMA_WORK/tcpdump" || return 1
	"$@" || rc=1
	tb_wait 20 rpcrdma_quiet "$file"
	kill "$pid"
	wait "$pid"
	return "$rc"
}

# rpcrdma_quiet FILE: a capture is complete: it has not grown for a second.
rpcrdma_quiet()
{
	local n

	n=$(stat -c %s "$1")
	sleep 1
	[ "$n" = "$(stat -c %s "$1")" ]
}

# rpcrdma_state client|server KEY: prints what KEY is for each connection of
# that end, one a line.
rpcrdma_state()
{
	local get="cat $RPCRDMA_DEBUGFS/$1/*/state 2> /dev/null | sed -n 's/^$2: //p'"

	if [ "$1" = server ]; then tb_server "$get"; else eval "$get"; fi
}

# rpcrdma_all_versions END VERSION [COUNT]: END has COUNT connections (or some)
# and all of them speak VERSION.
rpcrdma_all_versions()
{
	local got

	got=$(rpcrdma_state "$1" version)
	[ -n "$got" ] && [ "$(sort -u <<< "$got")" = "$2" ] && [ "${3:-$(wc -l <<< "$got")}" = "$(wc -l <<< "$got")" ]
}

# rpcrdma_version VERSION [END...]: those ends (both, if none is named) come to
# speak VERSION; says what they say if not.
rpcrdma_version()
{
	local want=$1 end rc=0

	shift
	[ $# -gt 0 ] || set -- client server
	for end in "$@"; do
		tb_wait 15 rpcrdma_all_versions "$end" "$want" && continue
		echo "$end: expected version $want, got '$(rpcrdma_state "$end" version | tr '\n' ' ')'," \
			"why '$(rpcrdma_state "$end" why | tr '\n' ' ')'"
		rc=1
	done
	return "$rc"
}

# rpcrdma_max_version CLIENT SERVER: sets the highest version of each end; an
# end whose module has no such switch is left alone.
rpcrdma_max_version()
{
	[ ! -e /proc/sys/sunrpc/rdma_max_version ] || echo "$1" > /proc/sys/sunrpc/rdma_max_version
	tb_server "f=/proc/sys/sunrpc/svc_rdma/max_version; [ ! -e \$f ] || echo $2 > \$f"
}

# rpcrdma_modules SERVER CLIENT: reloads rpcrdma (ours or stock) on both ends;
# nothing may be mounted.
rpcrdma_modules()
{
	rpcrdma_changed=yes
	tb_unload && tb_load "$2" || return 1
	tb_server "tb_nfsd_stop && tb_unload && tb_load $1 && tb_nfsd_start"
}

# rpcrdma_unused: the client has no connection left.
rpcrdma_unused()
{
	[ "$(cat /sys/module/rpcrdma/refcnt)" = 0 ]
}

# rpcrdma_xprt FIELD: prints a column of the transport line of mountstats,
# summed over all transports; columns count from 1 behind "rdma".
rpcrdma_xprt()
{
	awk -v f="$1" '$1 == "xprt:" && $2 == "rdma" { s += $(f + 2) } END { print s + 0 }' /proc/self/mountstats
}

# rpcrdma_op NAME: how often the mount has done that NFS operation.
rpcrdma_op()
{
	awk -v op="$1:" '$1 == op { s += $2 } END { print s + 0 }' /proc/self/mountstats
}

# rpcrdma_keys END KEY...: prints what the KEYs are for the connections of END,
# for people.
rpcrdma_keys()
{
	local end=$1 key

	shift
	for key; do
		echo "$end $key: $(rpcrdma_state "$end" "$key" | tr '\n' ' ')"
	done
}

# rpcrdma_is END KEY VALUE: KEY is VALUE for all connections of END, of which
# there is at least one.
rpcrdma_is()
{
	[ "$(rpcrdma_state "$1" "$2" | sort -u)" = "$3" ]
}

# rpcrdma_becomes SECONDS END KEY VALUE: KEY comes to be VALUE for all
# connections of END; says what it is if not.
rpcrdma_becomes()
{
	tb_wait "$1" rpcrdma_is "$2" "$3" "$4" && return
	echo "$2 $3 is '$(rpcrdma_state "$2" "$3" | tr '\n' ' ')', expected $4"
	return 1
}

# rpcrdma_ask END NAME VALUE: has END ask the other one for a characteristic,
# on all its connections.
rpcrdma_ask()
{
	local ask="for f in $RPCRDMA_DEBUGFS/$1/*/ask; do echo $2 $3 > \$f || exit; done"

	if [ "$1" = server ]; then tb_server "$ask"; else (eval "$ask"); fi
}

# rpcrdma_forget: has the server close connections that their clients have given up while
# the network was away. It need not know: what it sends is not acknowledged, but TCP below
# siw says so after minutes, and if it sends nothing, sunrpc closes them after 6 to 12.
rpcrdma_forget()
{
	tb_server 'tb_nfsd_stop && tb_nfsd_start'
}

# rpcrdma_sizes CLIENT SERVER [CLIENT-MAX SERVER-MAX [ASK]]: sets the length of
# Receives of each end, and the bounds for what may be asked for. Placement,
# which has lengths of its own, is switched off.
rpcrdma_sizes()
{
	rpcrdma_placement 0 0
	rpcrdma_client_set recv_size "$1"
	rpcrdma_client_set max_recv_size "${3:-16384}"
	rpcrdma_client_set ask_recv_size "${5:-4096}"
	rpcrdma_server_set recv_size "$2"
	rpcrdma_server_set max_recv_size "${4:-16384}"
}

[ -f /run/tb/bed ] || [ "$ALONE_STAGE" = test ] || alone_run
