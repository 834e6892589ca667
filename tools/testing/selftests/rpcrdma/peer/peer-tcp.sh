#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# peer-tcp.sh PEER [ARGS]: the cases of placement by Send, of messages that
# continue, and of long reverse Calls ask a server of the peer's own; then that
# server asks a client that there is for nothing else, whose calls are killed, too,
# and calls it back. In the end both are fuzzed (FUZZ= sequences, SEED=). What fails
# here is wrong in a case, or in the end that is tried, whatever a kernel does. Before
# that, all cases of both roles are explained in words.
#
# peer-tcp.sh TEXT, as --on-server: carries out TEXT, with the file of rpcrdma_flood
# where "peer serve" looks for it, and waits until the server has run it.

if [ $# = 1 ] && [ -n "$FLOOD" ]; then
	grep()
	{
		while [ -e "$FLOOD" ] && ! command grep -q : "$FLOOD"; do sleep 0.01; done
		command grep "$@"
	}
	[[ $1 = *rpcrdma_flood* ]] || exit 1
	eval "${1//\/sys\/kernel\/debug\/rpcrdma_flood/$FLOOD}"
	exit
fi

# explained ROLE: there are words for all that each case sends and expects, and no
# template is left as it is.
explained()
{
	"$peer" "$1" --explain '*' > "$dir/words" || { grep 'No words' "$dir/words"; return 1; }
	! grep -E '=>|tbsns:|seg[0-9]:' "$dir/words" || return 1
	[ "$("$peer" "$1" --list | wc -l)" = "$(grep -c 'It stands on:' "$dir/words")" ]
}

# fuzzed: each role fuzzes the other.
fuzzed()
{
	local how=(--timeout 30000 --fuzz "${FUZZ:-256}" --seed "${SEED:-1}") bad=0

	"$peer" client --host 127.0.0.1 --port "$port" --on-server "$0" "${how[@]}" || bad=1
	"$peer" server --host 127.0.0.1 --port $((port + 100)) --dir "$dir" "${how[@]}" || bad=1
	return $bad
}

peer=$1
# Many of these may run at the same time
port=${PORT:-$((20079 + $$ % 50 * 200))}
dir=$(mktemp -d)
export FLOOD=$dir/rpcrdma_flood
"$1" serve --port "$port" --dir "$dir" &
server=$!
trap 'kill $server; rm -rf "$dir"' EXIT
until (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
	kill -0 $server || exit 1
	sleep 0.05
done
kill -0 $server || exit 1	# somebody else is there
rc=0
for role in client server; do
	explained "$role" || { echo "# no words for all cases of $role"; rc=1; }
done
"$1" client --host 127.0.0.1 --port "$port" --timeout 30000 --case 'xmt_*,cont_*' "${@:2}" || rc=1
"$1" client --host 127.0.0.1 --port "$port" --timeout 10000 --on-server "$0" \
	--case 'reverse_long*,reverse_resp*,cont_replies_beside_calls' "${@:2}" || rc=1
"$1" server --host 127.0.0.1 --port $((port + 1)) --dir "$dir" \
	--case 'place_*,resp_*,cont_*,killed_*,reverse_group*' "${@:2}" || rc=1
fuzzed > "$dir/fuzz" || rc=1
sed 's/^/# /' "$dir/fuzz"

# How others use it: the table has no failure, and all that was asked for is judged
checked()
{
	local judged

	judged=$(grep -cE '^(B|C|D|E|N|P|S|X)-[0-9]+ .* (pass|fail) ' "$dir/table")
	grep -E '^not ok|Bail out|broke off|left behind' "$dir/table"
	if [ "$1" != 0 ] || [ "$judged" -lt "$2" ]; then
		echo "# $3: status $1, $judged ids"
		rc=1
	fi
}

"$1" server-check 127.0.0.1 --port "$port" --path some/folder --timeout 30000 --sections errors > "$dir/table"
checked $? 40 server-check

# What a signal ends, at any time, says so, and leaves neither the file nor a process
for after in 0.02 2; do
	"$1" server-check 127.0.0.1 --port "$port" --path some/folder --timeout 30000 > "$dir/table" &
	check=$!
	sleep $after
	kill $check
	wait $check && rc=1
	if "$1" client --host 127.0.0.1 --port "$port" --path "some/folder/peer-check-$check" \
		--case read_inline > /dev/null || pgrep -fa "server-check 127.0.0.1 --port $port "; then
		echo "# server-check does not end well $after s after its start"
		rc=1
	fi
done
"$1" apps --host 127.0.0.1 --port $((port + 2)) --dir "$dir/m" &
apps=$!
trap 'kill $server $apps; rm -rf "$dir"' EXIT
"$1" client-check 127.0.0.1 --port $((port + 2)) --timeout 30000 \
	--case place_write,place_read,resp_wrong_way,resp_count_0 > "$dir/table"
checked $? 15 client-check
exit $rc
