# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What flood-server.sh and flood-client.sh share. They bring along flood and
# used.

# KiB that slab, and all memory, may grow by. Ten bytes leaked for each of
# 100,000 messages are a MiB of slab; a page for each is 400 MiB. Without a leak
# slab differs by 60 KiB from run to run, and all memory by 20 MiB, because what
# ended connections held is given back some time later.
FLOOD_SLAB=1024
FLOOD_PAGES=32768
FLOOD_COUNT=$(rpcrdma_share 100000)
if [ "$TB_KERNEL" != stock ]; then
	# freed slab waits in KASAN's quarantine, whose size follows the load
	FLOOD_SLAB=32768
	FLOOD_COUNT=5000
fi

# flood_used: what this kernel cannot give back, in KiB: slab that is not cache,
# and all memory that is neither cache nor of a process.
flood_used()
{
	echo 3 > /proc/sys/vm/drop_caches
	awk '{ m[$1] = $2 }
	END {
		print m["SUnreclaim:"], m["MemTotal:"] - m["MemFree:"] - m["Cached:"] - m["Buffers:"] - m["AnonPages:"]
	}' /proc/meminfo
}

# flood_settled SLAB PAGES: memory has come back to that.
flood_settled()
{
	local slab pages

	read -r slab pages < <(used; echo)
	[ $((slab - $1)) -le "$FLOOD_SLAB" ] && [ $((pages - $2)) -le "$FLOOD_PAGES" ]
}

# flood_memory SLAB PAGES: the same, with some time for what is freed late.
flood_memory()
{
	local rc=0

	tb_wait 30 flood_settled "$1" "$2" || rc=1
	echo "slab and all memory in KiB: before $1 $2, after $(used), allowed $FLOOD_SLAB and $FLOOD_PAGES more"
	return "$rc"
}

# flood_honest: a mount works, there and back.
flood_honest()
{
	local rc=0

	rpcrdma_mount 4.1 || return 1
	head -c 100000 /dev/urandom > "$RPCRDMA_WORK/f"
	cp "$RPCRDMA_WORK/f" "$RPCRDMA_MNT/f" && rpcrdma_drop_caches && cmp "$RPCRDMA_WORK/f" "$RPCRDMA_MNT/f" || rc=1
	rpcrdma_version 2 || rc=1
	rpcrdma_umount || rc=1
	return "$rc"
}

# flood_run [--flood COUNT]: a short flood, after which all caches are warm, and
# the long one.
flood_run()
{
	local slab pages

	[ "${1:-}" != --flood ] || FLOOD_COUNT=$2
	rpcrdma_peer_ready
	rpcrdma_begin 5
	tb_server '/out/bin/peer file /export/conformance 262144'
	rpcrdma_t "a mount works before" flood_honest
	rpcrdma_t "$((FLOOD_COUNT / 20)) bad messages" flood $((FLOOD_COUNT / 20))
	read -r slab pages < <(used; echo)
	rpcrdma_t "$FLOOD_COUNT bad messages" flood "$FLOOD_COUNT"
	rpcrdma_t "memory is where it was" flood_memory "$slab" "$pages"
	rpcrdma_t "a mount works after" flood_honest
	rpcrdma_end
}
