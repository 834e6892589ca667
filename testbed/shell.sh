#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make shell: boots a server and a client and gives a person a prompt in both:
# two panes of tmux, or where there is no tmux, two sockets to connect to.
# KERNEL=, DEV=, SERVER= and CLIENT= choose as in pair.sh.

. "$(dirname "$0")/../scripts/lib.sh"

OUT=${OUT:-$BUILD/shell}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
need socat socat

# attach ROLE: the command that connects a terminal to that machine.
attach()
{
	printf 'socat -,raw,echo=0,escape=0x1d UNIX-CONNECT:%s/tty.%s.sock' "$OUT" "$1"
}

"$TOP/scripts/deps.sh"
[ -f "$BUILD/${KERNEL:-stock}/net/sunrpc/xprtrdma/rpcrdma.ko" ] || "$TOP/scripts/build.sh" "${KERNEL:-stock}"
step "booting; consoles and results go to $OUT"
export OUT SHELL_VM=yes TIMEOUT=${TIMEOUT:-86400}
rm -f "$OUT"/tty.*.sock
"$TOP/testbed/pair.sh" shell > "$OUT/pair.log" 2>&1 < /dev/null &
pair=$!
trap 'kill "$pair" 2> /dev/null; wait "$pair"' EXIT
for ((i = 0; i < 600; i++)); do
	[ ! -S "$OUT/tty.client.sock" ] || break
	kill -0 "$pair" 2> /dev/null || { cat "$OUT/pair.log" >&2; die "the machines did not start"; }
	sleep 0.1
done
if [ -t 0 ] && command -v tmux > /dev/null; then
	tmux new-session "echo 'server; ctrl-] leaves'; $(attach server)" \; \
		split-window -h "echo 'client; ctrl-] leaves'; $(attach client)" \; select-pane -t 0
else
	echo "In one terminal each:"
	echo "  $(attach server)"
	echo "  $(attach client)"
	echo "Enter brings the prompt once a machine is up (20 seconds); ctrl-] leaves a terminal;"
	echo "'exit' in the client, or ctrl-c here, ends both machines."
	wait "$pair"
fi
