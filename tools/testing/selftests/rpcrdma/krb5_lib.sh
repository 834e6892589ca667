# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A Kerberos realm for the test bed: the server has the KDC, which listens on
# the network of the commands, and rpc.svcgssd; the client has rpc.gssd. All of
# it lives in a folder of its own on either end, and ends with the test.
#
# Sourced behind rpcrdma_lib.sh in the client, and in the server by krb5_server.

KRB5_LIB=$(readlink -f "${BASH_SOURCE[0]}")
KRB5_DIR=/run/tb/krb5
KRB5_TRACE=/sys/kernel/tracing/instances/krb5
KRB5_REALM=RPCRDMA.TEST
KRB5_DOMAIN=rpcrdma.test
KRB5_KDC=${TB_AGENT%:*}
KRB5_ENCTYPES=aes256-cts-hmac-sha1-96
# a user of the client who has tickets of his own: krb5_ticket
KRB5_USER=1000
export KRB5_CONFIG=$KRB5_DIR/krb5.conf KRB5_KDC_PROFILE=$KRB5_DIR/kdc.conf
export KRB5_KTNAME=FILE:$KRB5_DIR/keytab KRB5CCNAME=FILE:$KRB5_DIR/ccache

# krb5_server FUNCTION [ARGUMENT...]: runs that function of this library on the
# server.
krb5_server()
{
	tb_server ". $KRB5_LIB; $*"
}

# krb5_principal ROLE: prints whom that end is known as.
krb5_principal()
{
	echo "nfs/$1.$KRB5_DOMAIN@$KRB5_REALM"
}

# krb5_names: tells this end its realm, and the names of both ends.
krb5_names()
{
	mkdir -p "$KRB5_DIR"
	cp /etc/hosts "$KRB5_DIR/hosts"
	{
		echo "$TB_SERVER_IP server.$KRB5_DOMAIN server"
		echo "${TB_SERVER_IP%.*}.2 client.$KRB5_DOMAIN client"
	} >> /etc/hosts
	cat > "$KRB5_CONFIG" <<- EOF
		[libdefaults]
		default_realm = $KRB5_REALM
		dns_lookup_kdc = false
		dns_lookup_realm = false
		dns_canonicalize_hostname = false
		rdns = false
		permitted_enctypes = $KRB5_ENCTYPES
		[realms]
		$KRB5_REALM = {
			kdc = $KRB5_KDC
		}
		[domain_realm]
		.$KRB5_DOMAIN = $KRB5_REALM
	EOF
}

# krb5_daemon NAME COMMAND...: starts a daemon that stays in the foreground.
krb5_daemon()
{
	local name=$1

	shift
	"$@" > "$KRB5_DIR/$name.log" 2>&1 < /dev/null &
	echo $! > "$KRB5_DIR/$name.pid"
}

# krb5_has_open NAME FILE: that daemon has a file open whose path ends so.
krb5_has_open()
{
	readlink "/proc/$(cat "$KRB5_DIR/$1.pid")"/fd/* | grep -q "$2\$"
}

# krb5_database: makes the database of the realm. What is random in it need not
# be random enough for anybody else.
krb5_database()
{
	local who

	cat > "$KRB5_KDC_PROFILE" <<- EOF
		[kdcdefaults]
		kdc_listen = $KRB5_KDC
		kdc_tcp_listen = $KRB5_KDC
		[realms]
		$KRB5_REALM = {
			database_name = $KRB5_DIR/principal
			key_stash_file = $KRB5_DIR/stash
			master_key_type = $KRB5_ENCTYPES
			supported_enctypes = $KRB5_ENCTYPES:normal
		}
	EOF
	kdb5_util create -s -W -r "$KRB5_REALM" -P "$KRB5_REALM" || return 1
	for who in server client; do
		kadmin.local -q "addprinc -randkey $(krb5_principal $who)" &&
			kadmin.local -q "ktadd -k $KRB5_DIR/keytab.$who $(krb5_principal $who)" || return 1
	done
	kadmin.local -q "addprinc -randkey user@$KRB5_REALM" &&
		kadmin.local -q "ktadd -k $KRB5_DIR/keytab.client user@$KRB5_REALM" || return 1
	mv "$KRB5_DIR/keytab.server" "$KRB5_DIR/keytab"
}

# krb5_export: offers the export with every flavor.
krb5_export()
{
	exportfs -o rw,fsid=0,no_root_squash,no_subtree_check,insecure,async,sec=sys:krb5:krb5i:krb5p '*:/export'
}

# krb5_server_start: the server's half.
krb5_server_start()
{
	krb5_names
	modprobe rpcsec_gss_krb5 && krb5_trace || return 1
	krb5_database > "$KRB5_DIR/database.log" 2>&1 || { cat "$KRB5_DIR/database.log"; return 1; }
	krb5_daemon kdc krb5kdc -n
	krb5_daemon svcgssd rpc.svcgssd -f -n -v
	tb_wait 30 krb5_has_open svcgssd auth.rpcsec.init/channel || { cat "$KRB5_DIR/svcgssd.log"; return 1; }
	krb5_export
}

# krb5_client_start: the client's half.
krb5_client_start()
{
	krb5_names
	modprobe rpcsec_gss_krb5 && krb5_trace || return 1
	tb_server "base64 $KRB5_DIR/keytab.client" | base64 -d > "$KRB5_DIR/keytab" || return 1
	tb_wait 30 kinit -k "$(krb5_principal client)" || { kinit -k "$(krb5_principal client)"; return 1; }
	mkdir -p /run/rpc_pipefs
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs || return 1
	krb5_daemon gssd rpc.gssd -f -v -p /run/rpc_pipefs -k "$KRB5_DIR/keytab"
	tb_wait 30 krb5_has_open gssd /gssd || { cat "$KRB5_DIR/gssd.log"; return 1; }
}

# krb5_clocks: prints by how many seconds the clock of the server is ahead.
krb5_clocks()
{
	echo $(($(tb_server 'date +%s') - $(date +%s)))
}

# krb5_start: both halves.
krb5_start()
{
	local off

	off=$(krb5_clocks)
	[ "${off#-}" -lt 60 ] || { echo "the clocks differ by $off s"; return 1; }
	krb5_server krb5_server_start && krb5_client_start
}

# krb5_ticket SECONDS FILE: gets a ticket for the user that lives for so long.
krb5_ticket()
{
	KRB5CCNAME=FILE:$2 kinit -k -l "${1}s" "user@$KRB5_REALM" && chown "$KRB5_USER:$KRB5_USER" "$2"
}

# krb5_use FILE: has the user use that ticket from now on; rpc.gssd never sees half
# of it.
krb5_use()
{
	mv "$1" "/tmp/krb5cc_$KRB5_USER"
}

# krb5_trace: this end notes what is refused on account of its credential, and what the
# daemons say to the kernel. All of it is rare.
krb5_trace()
{
	local event

	mkdir -p "$KRB5_TRACE" || return 1
	# as in init
	echo norecord-cmd > "$KRB5_TRACE/trace_options"
	for event in "$KRB5_TRACE"/events/{sunrpc/{rpc__,rpc_bad_},rpcgss/rpcgss_{bad,unwrap,upcall,context,svc_{accept,unwrap,seqno}}}*; do
		[ ! -e "$event/enable" ] || echo 1 > "$event/enable"
	done
}

# krb5_logs: prints what the daemons of both ends have said last, and what was noted.
krb5_logs()
{
	tail -n 5 "$KRB5_DIR/gssd.log"
	grep -v '^#' "$KRB5_TRACE/trace" | tail -n 20
	tb_server "tail -n 5 $KRB5_DIR/*.log; grep -v '^#' $KRB5_TRACE/trace | tail -n 20"
}

# krb5_end: ends the daemons of this end, and forgets the realm.
krb5_end()
{
	local f pid

	[ ! -d "$KRB5_TRACE" ] || rmdir "$KRB5_TRACE"
	[ -d "$KRB5_DIR" ] || return 0
	for f in "$KRB5_DIR"/*.pid; do
		[ -e "$f" ] || continue
		pid=$(cat "$f")
		kill "$pid"
		tb_wait 20 eval "[ ! -e /proc/$pid/exe ]"
	done
	cp "$KRB5_DIR/hosts" /etc/hosts
	rm -rf "$KRB5_DIR" /tmp/krb5ccmachine_"$KRB5_REALM" /tmp/krb5cc_"$KRB5_USER" /tmp/ticket-*
}

# krb5_stop: undoes krb5_start; nothing may be mounted.
krb5_stop()
{
	krb5_end
	! mountpoint -q /run/rpc_pipefs || umount /run/rpc_pipefs
	krb5_server krb5_end
	tb_server 'exportfs -ra'
}
