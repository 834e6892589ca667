#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A Kerberos ticket ends in the middle of a transfer. If there is a new one in time,
# nobody notices: not one byte is wrong, and nothing waits for long. If there is none,
# the transfer fails and says why, and what was acknowledged before is there; with a
# new ticket the same mount works again.
#
# Two things the kernel's GSS does not do, over whatever transport, though it asks again
# where it sees the end of a context in the verifier of a reply. Of a reply that came
# in time, but whose context has ended when it is decrypted (krb5p) or its checksum is
# computed (krb5i), it makes EIO; where decrypting takes long that comes often. And
# a Call that is encoded when its context has just ended, as the client's clock is ahead of
# the server's, fails with EKEYEXPIRED. The transfer does such a block again; each
# time has to have its trace point (rpcgss_unwrap, rpcgss_verify_mic, rpc_bad_callhdr), and
# goes on until two contexts have ended without.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw stock-siw
# smp: 2
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/krb5_lib.sh"

FLAVORS=(krb5 krb5i krb5p)
# time passes here
[ -n "${TB_EVERY_CASE:-}" ] || FLAVORS=(krb5p)
STREAM=$(dirname "$0")/krb5_stream.py
TRACE=/sys/kernel/tracing
EVENTS=(rpcgss/rpcgss_{context,unwrap,verify_mic,upcall_result} sunrpc/rpc_bad_callhdr)
STOP=/tmp/ticket-stop
TICKETS=$RPCRDMA_WORK/tickets
# so many contexts end in a transfer
ENDS=2
# How long a ticket lives, in seconds: see measure.
LIFE=20

# ticket SECONDS: has the user use a new ticket that lives for so long from now on.
# Notes when it was put in place, and when it ends, by the clock of the client.
ticket()
{
	local now

	now=$(date +%s)
	krb5_ticket "$1" /tmp/ticket-new && krb5_use /tmp/ticket-new && echo "$(date +%s) $((now + $1))" >> "$TICKETS"
}

# measure: how long tickets have to live, so that the next one can be had, slow as
# the machine may be, before one ends.
measure()
{
	local began took

	began=$(date +%s)
	ticket 60 || return 1
	took=$(($(date +%s) - began + 1))
	LIFE=$((16 + 4 * took))
	# How long one block may take: the client asks rpc.gssd again, and may have been
	# told just before that there is no ticket, which it believes for 5 s.
	WAIT=$((LIFE + 20))
	AHEAD=$(krb5_clocks)
	[ "$AHEAD" -gt 0 ] || AHEAD=0
	echo "a ticket within $took s, tickets live for $LIFE s"
}

# renew: replaces each ticket long before it ends, until $STOP.
renew()
{
	while ! tb_wait $((LIFE / 4)) test -e "$STOP"; do
		ticket "$LIFE"
	done
}

# late: one of the tickets came when the one before it had ended.
late()
{
	awk 'end && $1 >= end { printf "a ticket came %d s late\n", $1 - end; n = 1 } { end = $2 } END { exit !n }' "$TICKETS"
}

# stream NAME SECONDS: transfers for so long, or until $STOP, as the user.
stream()
{
	timeout -k 10 $(($2 + WAIT + 60)) \
		setpriv --reuid "$KRB5_USER" --regid "$KRB5_USER" --clear-groups \
		python3 "$STREAM" run "$RPCRDMA_MNT/$1" "$2" "$STOP" > "$RPCRDMA_WORK/stream" ||
		echo "0 999 0 $(date +%s) status-$?" > "$RPCRDMA_WORK/stream"
}

# became: tells what became of it, and leaves that in $blocks, $longest, $repeats, $ended
# and $why.
became()
{
	read -r blocks longest repeats ended why < "$RPCRDMA_WORK/stream"
	echo "$blocks blocks, the longest wait $longest s, $repeats done again, ended by $why"
}

# intact NAME: what the transfer said that it has written the server has. The file goes:
# all of them are more than the export has room for.
intact()
{
	tb_server "python3 $STREAM check /export/$1 $blocks && rm /export/$1"
}

# begin: from here on contexts are counted.
begin()
{
	rm -f "$STOP"
	: > "$TICKETS"
	echo > "$TRACE/trace"
}

# contexts: prints how many contexts the user has had, one after the other, since begin.
contexts()
{
	awk -v most="$LIFE" '
		/ rpcgss_context: / {
			sub(/:.*/, "", $4)
			match($0, /timeout=[0-9]+/)
			if (substr($0, RSTART + 8, RLENGTH - 8) + 0 > most)
				next
			if (!n || $4 - last > 2)
				n++
			last = $4
		}
		END { print n + 0 }' "$TRACE/trace"
}

# expired FLAVOR: prints how many Calls could not be encoded, and how many replies not be
# decrypted or checked, for a context that had ended.
expired()
{
	local events=rpc_bad_callhdr

	case $1 in
	krb5i) events+='|rpcgss_verify_mic: .*GSS_S_CONTEXT_EXPIRED' ;;
	krb5p) events+='|rpcgss_unwrap: .*GSS_S_CONTEXT_EXPIRED' ;;
	esac
	grep -cE " ($events)" "$TRACE/trace"
}

# passed FLAVOR COUNT: so many contexts have ended without such a reply, or the
# transfer is over.
passed()
{
	[ $(($(contexts) - 1 - $(expired "$1"))) -ge "$2" ] || ! kill -0 "$streamer" 2> /dev/null
}

# excused FLAVOR [MORE]: the kernel's GSS has said why, each time that a block was done
# again, but for MORE.
excused()
{
	[ "$repeats" -le $(($(expired "$1") + ${2:-0})) ] || { echo "$repeats done again, $(expired "$1") of them for GSS"; return 1; }
}

# told COMMAND...: does that, says why it fails if it does, and keeps what the kernel and
# rpc.gssd have said.
told()
{
	ended=0 why=
	"$@" && return
	cp "$TRACE/trace" "/out/krb5-ticket.trace.$rpcrdma_nr"
	cp "$KRB5_DIR/gssd.log" "/out/krb5-ticket.gssd.$rpcrdma_nr"
	echo "rpc.gssd: $(tail -n 1 "$KRB5_DIR/gssd.log")"
	grep -v '^#' "$TRACE/trace" | tail -n 1
	late
	awk -v ended="$ended" -v why="$why" '$1 <= ended { at = $1; end = $2 }
		END { printf "%s; the ticket in use was there for %d s and good for %d more, ", why, ended - at, end - ended }' "$TICKETS"
	echo "$(contexts) contexts, the clocks are $(krb5_clocks) s apart"
	return 1
}

# goes_on FLAVOR: a transfer goes over the end of contexts whose tickets are replaced.
goes_on()
{
	local renewer streamer

	begin
	ticket "$LIFE" || return 1
	renew &
	renewer=$!
	stream "$1-on" $((LIFE * 8)) &
	streamer=$!
	tb_wait $((LIFE * 8)) passed "$1" "$ENDS"
	touch "$STOP"
	wait "$streamer" "$renewer"
	became
	echo "contexts: $(contexts)"
	[ "$why" = none ] && [ "$blocks" -gt 0 ] && [ "$longest" -le "$WAIT" ] && excused "$1" &&
		[ $(($(contexts) - 1 - repeats)) -ge "$ENDS" ] && intact "$1-on"
}

# ends FLAVOR: one whose ticket is not renewed goes on until the ticket ends, and fails
# soon then.
ends()
{
	local end

	begin
	ticket "$LIFE" || return 1
	read -r _ end < "$TICKETS"
	stream "$1-end" $((LIFE + WAIT + 10))
	became
	echo "over $((ended - end)) s after the ticket"
	[[ $why = EKEYEXPIRED || $why = EACCES ]] && [ "$blocks" -gt 0 ] && excused "$1" 1 &&
		[ $((ended - end + AHEAD)) -ge -2 ] && [ $((ended - end)) -le "$WAIT" ] && intact "$1-end"
}

# usable NAME: the user can write.
usable()
{
	setpriv --reuid "$KRB5_USER" --regid "$KRB5_USER" --clear-groups touch "$RPCRDMA_MNT/$1"
}

# again FLAVOR: with a new ticket the mount works as before.
again()
{
	begin
	ticket 3600 || return 1
	tb_wait 20 usable "$1-usable" || { usable "$1-usable"; return 1; }
	stream "$1-again" 5
	became
	[ "$why" = none ] && [ "$repeats" = 0 ] && [ "$blocks" -gt 0 ] && intact "$1-again"
}

# secure FLAVOR: mounts with that flavor, by version 2.
secure()
{
	RPCRDMA_SEC=$1 rpcrdma_mount 4.2 || { krb5_logs; return 1; }
	rpcrdma_version 2 client
}

# watch ON: trace points of $EVENTS on (1) or off (0).
watch()
{
	local event

	for event in "${EVENTS[@]}"; do
		echo "$1" > "$TRACE/events/$event/enable"
	done
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	watch 0
	rpcrdma_cleanup
	krb5_stop
}

rpcrdma_begin $((2 + ${#FLAVORS[@]} * 6))
trap cleanup EXIT
place_defaults
rpcrdma_t "there is a realm" krb5_start || exit 1
watch 1
rpcrdma_t "the user gets tickets" measure || exit 1
for flavor in "${FLAVORS[@]}"; do
	rpcrdma_t "$flavor mounts by version 2" secure "$flavor" || exit 1
	place_note
	rpcrdma_t "$flavor: a transfer goes over the end of tickets that are replaced" told goes_on "$flavor"
	rpcrdma_t "$flavor: a transfer without a ticket fails soon" told ends "$flavor"
	rpcrdma_t "$flavor: the mount works again with a new ticket" told again "$flavor"
	rpcrdma_t "$flavor: the transport has had no part in it" place_still rpcs_failed dropped
	rpcrdma_t "$flavor unmounts" rpcrdma_umount
done
rpcrdma_end
