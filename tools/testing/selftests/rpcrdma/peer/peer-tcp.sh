#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# peer-tcp.sh PEER [ARGS]: the cases of placement by Send, and of messages that
# continue, ask a server of the peer's own; then that server asks a client that
# there is for nothing else, whose calls are killed, too. What fails here is wrong
# in a case, or in the end that is tried, whatever a kernel does.

port=${PORT:-20079}
dir=$(mktemp -d)
"$1" serve --port "$port" &
server=$!
trap 'kill $server; rm -rf "$dir"' EXIT
until (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
	kill -0 $server || exit 1
	sleep 0.05
done
rc=0
"$1" client --host 127.0.0.1 --port "$port" --timeout 3000 --case 'xmt_*,cont_*' "${@:2}" || rc=1
"$1" server --host 127.0.0.1 --port $((port + 1)) --dir "$dir" --case 'place_*,resp_*,cont_*,killed_*' "${@:2}" || rc=1
exit $rc
