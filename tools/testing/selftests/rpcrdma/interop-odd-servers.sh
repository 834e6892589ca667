#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Servers that know no version 2 and do not refuse it as they should: they close the
# connection, answer by another error, by odd numbers or in part, or not at all. How much
# longer does a mount take than where version 2 is not offered? The peer poses as them;
# its cases say what they send, and that version 1 works then or that the mount fails.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# module: test
# except: stock-rxe stock-siw
# asked: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"

# In milliseconds: what all of them may cost, and what one that is silent does besides
MORE=2000
PATIENCE=5000
# These answer, or close the connection, and mount
ANSWER=(neg_close neg_short_then_close neg_vers_cut_then_close neg_vers_then_close neg_vers_header_1 neg_vers_header_odd
	neg_vers_trailing_bytes neg_vers_range_0_1 neg_vers_range_0_9)
# The same, with numbers that do not have version 1 among them: the mount fails
FAIL=(neg_vers_range_0_0 neg_vers_low_above_high neg_vers_range_2_5 neg_vers_range_3_4 neg_vers_range_max)
# Nothing comes that makes sense
SILENT=(neg_silence neg_vers_cut neg_chunk_of_version_1 neg_noise_then_silence)

# pose CASE...: the peer poses as these. Notes for each what its mount took in
# milliseconds, and what became of it.
pose()
{
	local IFS=,

	/out/bin/peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" --device "$TB_DEV" --verbose --case "$*" > "$RPCRDMA_WORK/peer"
	awk '/^#   mount: / && ms == "" { ms = $(NF - 1) }
		/^(not )?ok / { print /^ok/ ? $3 : $4, ms, $1; ms = "" }' "$RPCRDMA_WORK/peer" > "$RPCRDMA_WORK/posed"
}

# took CASE LEAST MOST: that case went well, and its mount took so many milliseconds.
took()
{
	local ms how

	read -r _ ms how < <(grep "^$1 " "$RPCRDMA_WORK/posed")
	echo "${how:-not tried}, ${ms:-?} ms"
	if [ "$how" != ok ]; then
		grep -A5 "^not ok.* $1" "$RPCRDMA_WORK/peer"
		return 1
	fi
	[ "$ms" -ge "$2" ] && [ "$ms" -lt "$3" ]
}

rpcrdma_peer_ready
rpcrdma_set client eager 1
rpcrdma_begin $((1 + ${#ANSWER[@]} + ${#FAIL[@]} + ${#SILENT[@]}))
rpcrdma_max_version 1 2
pose neg_vers_header_1
rpcrdma_t "version 2 is not offered" took neg_vers_header_1 0 20000
read -r _ base _ < "$RPCRDMA_WORK/posed"
rpcrdma_max_version 2 2
pose "${ANSWER[@]}" "${FAIL[@]}" "${SILENT[@]}"
for case in "${ANSWER[@]}" "${FAIL[@]}"; do
	rpcrdma_t "$case" took "$case" 0 $((base + MORE))
done
for case in "${SILENT[@]}"; do
	rpcrdma_t "$case" took "$case" "$PATIENCE" $((base + PATIENCE + MORE))
done
rpcrdma_end
