#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A Kerberos ticket ends in the middle of a transfer. If there is a new one in time,
# nobody notices: not one byte is wrong, and nothing waits for long. If there is none,
# the transfer fails and says why, and what was acknowledged before is there; with a
# new ticket the same mount works again.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# smp: 2
# except: stock-siw debug-rxe debug-siw
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/krb5_lib.sh"

FLAVORS=(krb5 krb5i krb5p)
# time passes here
[ -n "${TB_EVERY_CASE:-}" ] || FLAVORS=(krb5p)
STREAM=$(dirname "$0")/krb5_stream.py
TRACE=/sys/kernel/tracing
# How long the first ticket lives, in seconds; each of the others lives for so much
# longer, and comes when half of that is left.
LIFE=12
[ "$TB_KERNEL" = stock ] || LIFE=24
# How long one block may take meanwhile: the client asks rpc.gssd again, and may
# have been told just before that there is no ticket, which it believes for 5 s.
WAIT=$((LIFE + 20))

# stream NAME SECONDS: transfers for so long, as the user; leaves what became of it
# in $blocks, $longest and $why.
stream()
{
	timeout -k 10 $(($2 + WAIT + 60)) \
		setpriv --reuid "$KRB5_USER" --regid "$KRB5_USER" --clear-groups \
		python3 "$STREAM" run "$RPCRDMA_MNT/$1" "$2" > "$RPCRDMA_WORK/stream" || echo "0 999 status-$?" > "$RPCRDMA_WORK/stream"
	read -r blocks longest why < "$RPCRDMA_WORK/stream"
	echo "$blocks blocks, the longest wait $longest s, ended by $why"
}

# intact NAME: what the transfer said that it has written the server has.
intact()
{
	tb_server "python3 $STREAM check /export/$1 $blocks"
}

# contexts: prints how many contexts the client's kernel has been given.
contexts()
{
	grep -c ' rpcgss_context: ' "$TRACE/trace"
}

# ticket SECONDS: has the user use a new ticket that lives for so long.
ticket()
{
	krb5_ticket "$1" /tmp/ticket-new && krb5_use /tmp/ticket-new
}

# tickets: gets all tickets, those that are needed last first: under load, that may
# take as long as one of them lives.
tickets()
{
	local n

	for n in 4 3 2; do
		krb5_ticket $((LIFE * n)) "/tmp/ticket-$n" || return 1
	done
	ticket "$LIFE"
}

# renew: replaces each of them in time.
renew()
{
	local n

	sleep $((LIFE / 2))
	for n in 2 3 4; do
		krb5_use "/tmp/ticket-$n"
		sleep "$LIFE"
	done
}

# goes_on FLAVOR: a transfer goes over the end of two tickets that are replaced.
goes_on()
{
	local before pid

	before=$(contexts)
	tickets || return 1
	renew &
	pid=$!
	stream "$1-on" $((LIFE * 5 / 2))
	kill "$pid"
	wait "$pid" 2> /dev/null
	echo "contexts: $(($(contexts) - before))"
	[ "$why" = none ] || krb5_logs
	[ "$why" = none ] && [ "$blocks" -gt 0 ] && [ "$longest" -le "$WAIT" ] &&
		[ $(($(contexts) - before)) -ge 3 ] && intact "$1-on"
}

# ends FLAVOR: one whose ticket is not renewed fails, and soon.
ends()
{
	local s=$SECONDS

	ticket "$LIFE" || return 1
	stream "$1-end" $((LIFE + WAIT + 10))
	echo "over after $((SECONDS - s)) s"
	[[ $why = EKEYEXPIRED || $why = EACCES ]] && [ "$blocks" -gt 0 ] && [ $((SECONDS - s)) -le $((LIFE + WAIT)) ] && intact "$1-end"
}

# usable NAME: the user can write.
usable()
{
	setpriv --reuid "$KRB5_USER" --regid "$KRB5_USER" --clear-groups touch "$RPCRDMA_MNT/$1"
}

# again FLAVOR: with a new ticket the mount works as before.
again()
{
	ticket 3600 || return 1
	tb_wait 20 usable "$1-usable" || { usable "$1-usable"; return 1; }
	stream "$1-again" 5
	[ "$why" = none ] && [ "$blocks" -gt 0 ] && intact "$1-again"
}

# secure FLAVOR: mounts with that flavor, by version 2.
secure()
{
	RPCRDMA_SEC=$1 rpcrdma_mount 4.2 || { krb5_logs; return 1; }
	rpcrdma_version 2 client
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	echo 0 > "$TRACE/events/rpcgss/rpcgss_context/enable"
	rpcrdma_cleanup
	krb5_stop
}

rpcrdma_begin $((1 + ${#FLAVORS[@]} * 6))
trap cleanup EXIT
place_defaults
rpcrdma_t "there is a realm" krb5_start || exit 1
echo > "$TRACE/trace"
echo 1 > "$TRACE/events/rpcgss/rpcgss_context/enable"
for flavor in "${FLAVORS[@]}"; do
	rpcrdma_t "$flavor mounts by version 2" secure "$flavor" || exit 1
	place_note rpcs_failed dropped
	rpcrdma_t "$flavor: a transfer goes over the end of tickets that are replaced" goes_on "$flavor"
	rpcrdma_t "$flavor: a transfer without a ticket fails soon" ends "$flavor"
	rpcrdma_t "$flavor: the mount works again with a new ticket" again "$flavor"
	rpcrdma_t "$flavor: the transport has had no part in it" place_still rpcs_failed dropped
	rpcrdma_t "$flavor unmounts" rpcrdma_umount
done
rpcrdma_end
