# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What fuzz-server.sh and fuzz-client.sh share. They bring along fuzz and used.

# shellcheck source=tools/testing/selftests/rpcrdma/flood_lib.sh
. "$(dirname "$0")/flood_lib.sh"

# Here the kernel makes and ends clients and sessions, too: a few KiB of slab for each of
# them come back some time after the last.
[ "$TB_KERNEL" != stock ] || FLOOD_SLAB=4096

FUZZ_COUNT=1000
# "make check" sees the same sequences each time, so that who broke something knows it
FUZZ_SEED=${TB_SEED:-4711}
if [ -n "${TB_EVERY_CASE:-}" ]; then
	FUZZ_COUNT=5000
	FUZZ_SEED=${TB_SEED:-$((RANDOM * 32768 + RANDOM))}
fi

# fuzz_sequences COUNT SEED: sends these, and shows what became of them.
fuzz_sequences()
{
	local rc=0

	fuzz --fuzz "$1" --seed "$2" > "$RPCRDMA_WORK/fuzz" 2>&1 || rc=$?
	cat "$RPCRDMA_WORK/fuzz"
	return "$rc"
}

# fuzz_deep PERCENT ANSWER[=SHARE]...: so many of the last sequences got beyond the first
# words. Of 1,000 and more, these messages came in answer to some, or to SHARE of 1,000, and
# each kind of mutation has been there.
fuzz_deep()
{
	awk -v least="$1" -v kinds="${*:2}" '
	$2 == "sequences" && $3 == "to" { sequences = $1 }
	$1 == "answers:" { for (i = 2; i < NF; i += 2) seen[$i] = $(i + 1) }
	$3 == "sequences:" && !$2 && sequences >= 1000 { print "no sequence with " $1; bad = 1 }
	$1 == "deep:" { deep = $2 }
	END {
		n = sequences < 1000 ? 0 : split(kinds, k)
		for (i = 1; i <= n; i++) {
			share = split(k[i], kind, "=") > 1 ? kind[2] * sequences / 1000 : 1
			came = seen[kind[1]] + 0
			if (came && came >= share)
				continue
			print came " " kind[1] " came, expected " share
			bad = 1
		}
		if (deep < least) { print deep " of 100 sequences got deep, expected " least; bad = 1 }
		exit bad
	}' "$RPCRDMA_WORK/fuzz"
}

# fuzz_run PERCENT ANSWERS [--fuzz COUNT]: a few sequences, after which all caches are
# warm, and many; see fuzz_deep.
fuzz_run()
{
	local slab pages kinds

	read -ra kinds <<< "$2"
	[ "${3:-}" != --fuzz ] || FUZZ_COUNT=$4
	rpcrdma_begin 6
	tb_server '/out/bin/peer file /export/conformance 262144; cp /export/conformance /export/fuzz'
	rpcrdma_t "a mount works before" flood_honest
	rpcrdma_t "$((FUZZ_COUNT / 20)) sequences" fuzz_sequences $((FUZZ_COUNT / 20)) 1
	read -r slab pages < <(used; echo)
	rpcrdma_t "$FUZZ_COUNT sequences" fuzz_sequences "$FUZZ_COUNT" "$FUZZ_SEED"
	rpcrdma_t "they are more than noise" fuzz_deep "$1" "${kinds[@]}"
	rpcrdma_t "memory is where it was" flood_memory "$slab" "$pages"
	rpcrdma_t "a mount works after" flood_honest
}
