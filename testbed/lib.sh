# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2119,SC2120
#
# What runs inside the virtual machines: devices, modules, nfsd, commands to
# the other end, and the look at the kernel's log.
#
#     server VM                                  client VM
#   10.9.0.1 eth0 (rxe0 or siw0) ------------ eth0 (rxe0 or siw0) 10.9.0.2
#   10.9.1.1 eth1, command agent ------------ eth1                10.9.1.2
#
# eth0 carries what is tested; commands to the server take eth1, so that a test
# can break eth0. /repo and /build are read-only, /out is this run's results,
# and /out/bin holds the modules and programs that this run was started with.

# shellcheck source=/dev/null
. /run/tb/bed

TB_SERVER_IP=10.9.0.1
TB_AGENT=10.9.1.1:7777
TB_MTU=${TB_MTU:-9000}
TB_RELEASE=$(< /proc/sys/kernel/osrelease)
TB_PRISTINE=/lib/modules/$TB_RELEASE/kernel/net/sunrpc/xprtrdma/rpcrdma.ko
TB_OURS=/out/bin/rpcrdma.ko
TB_BEFORE=/out/bin/before.ko
# What a test could not put in order without force; run-tests looks at it.
TB_DISORDER=/run/tb/disorder

# tb_log TEXT...: a line with the time since boot.
tb_log()
{
	echo "[$(cut -d' ' -f1 /proc/uptime)] $TB_ROLE: $*"
}

# tb_fatal TEXT...: the bed itself is broken: say so and power off.
tb_fatal()
{
	tb_log "FATAL: $*" | tee -a /out/fatal > /dev/console
	dmesg | tail -20 > "/out/fatal.$TB_ROLE.dmesg"
	tb_poweroff
}

# tb_poweroff: ends this virtual machine.
tb_poweroff()
{
	echo o > /proc/sysrq-trigger
	sleep 60
}

# tb_wait SECONDS COMMAND...: waits until COMMAND succeeds; fails if it does not within
# SECONDS, nor within a minute more if it was hardly tried: time goes on while a host
# pauses.
tb_wait()
{
	local until=$((SECONDS + $1 + 1)) looks=$(($1 < 10 ? 2 * $1 : 20))

	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$until" ] || { [ "$looks" -gt 0 ] && [ "$SECONDS" -lt $((until + 60)) ]; } || return 1
		looks=$((looks - 1))
		sleep 0.1
	done
}

# tb_reboot: this machine starts anew at once, as if its power had failed.
tb_reboot()
{
	touch "/out/reboot.$TB_ROLE"
	echo b > /proc/sysrq-trigger
	sleep 60
}

# tb_boot_id: prints what differs from one boot of this machine to the next.
tb_boot_id()
{
	cat /proc/sys/kernel/random/boot_id
}

# tb_net: brings up both networks with the addresses of this role.
tb_net()
{
	local last=2

	[ "$TB_ROLE" = client ] || last=1
	modprobe -q virtio_net
	tb_wait 10 test -e /sys/class/net/eth1 || tb_fatal "no network devices"
	ip link set eth0 mtu "$TB_MTU" || tb_fatal "MTU $TB_MTU refused"
	ip addr add "10.9.0.$last/24" dev eth0
	ip addr add "10.9.1.$last/24" dev eth1
	ip link set eth0 up
	ip link set eth1 up
}

# tb_driver: loads the driver of this bed's RDMA device, rxe or siw, with its patch in
# testbed; once.
tb_driver()
{
	local ko=/out/bin/siw.ko m

	[ "$TB_DEV" != rxe ] || ko=/out/bin/rdma_rxe.ko
	[ ! -d "/sys/module/$(basename "$ko" .ko)" ] || return 0
	for m in ib_core iw_cm ib_uverbs libcrc32c udp_tunnel ip6_udp_tunnel; do
		modprobe -q "$m"
	done
	insmod "$ko"
}

# tb_device: puts that device on eth0.
tb_device()
{
	tb_driver || tb_fatal "no driver for $TB_DEV"
	rdma link add "${TB_DEV}0" type "$TB_DEV" netdev eth0 || tb_fatal "no ${TB_DEV}0"
	tb_wait 10 grep -q ACTIVE "/sys/class/infiniband/${TB_DEV}0/ports/1/state" || tb_fatal "${TB_DEV}0 stays down"
}

# tb_cut: what this end sends over eth0 reaches nobody any more, as if a cable was cut.
# eth0 itself stays up, so nobody is told.
tb_cut()
{
	ip neigh replace "$(tb_other)" lladdr 52:54:00:00:00:00 dev eth0 nud permanent
}

# tb_heal: undoes tb_cut.
tb_heal()
{
	ip neigh del "$(tb_other)" dev eth0
}

# tb_other: prints the address of the other end on eth0.
tb_other()
{
	if [ "$TB_ROLE" = client ]; then echo "$TB_SERVER_IP"; else echo "${TB_SERVER_IP%.*}.2"; fi
}

# tb_ko ours|stock|before: prints the path of that module.
tb_ko()
{
	case $1 in
	ours) echo "$TB_OURS" ;;
	stock) echo "$TB_PRISTINE" ;;
	before) echo "$TB_BEFORE" ;;
	*) return 1 ;;
	esac
}

# tb_srcversion: prints the srcversion of the rpcrdma that is loaded.
tb_srcversion()
{
	cat /sys/module/rpcrdma/srcversion 2> /dev/null
}

# tb_is_loaded ours|stock|before: the rpcrdma that runs is that one.
tb_is_loaded()
{
	local ko

	ko=$(tb_ko "$1") || return 1
	[ -d /sys/module/rpcrdma ] || { echo "rpcrdma is not loaded"; return 1; }
	[ "$(tb_srcversion)" = "$(modinfo -F srcversion "$ko")" ] || { echo "the loaded rpcrdma is not $ko"; return 1; }
}

# tb_load_ledger: loads the ledger, where the bed's rpcrdma is built for it.
tb_load_ledger()
{
	local copy=0

	case $TB_MODULE in
	ledger) ;;
	copy) copy=1 ;;
	*) return 0 ;;
	esac
	[ ! -d /sys/module/rpcrdma_ledger ] || return 0
	insmod /out/bin/rpcrdma_ledger.ko copy=$copy
}

# tb_load ours|stock|before [PARAMETER...]: loads that rpcrdma and makes sure that it
# is the one that runs.
tb_load()
{
	local kind=$1 ko m

	ko=$(tb_ko "$kind") || { echo "tb_load: ours, stock or before, not '$kind'"; return 1; }
	shift
	for m in sunrpc rdma_cm ib_core; do
		modprobe -q "$m"
	done
	[ "$kind" != ours ] || tb_load_ledger || return 1
	# which mutant this end is (see the tests' folder mutants)
	[ "$kind" != ours ] || [ ! -e /run/tb/mutant ] || set -- "$@" "mutant=$(< /run/tb/mutant)"
	insmod "$ko" "$@" || { echo "insmod $ko $* failed: $(dmesg | tail -2)"; return 1; }
	tb_is_loaded "$kind" || return 1
	[ "$kind" != ours ] || [ -z "${TB_EAGER:-}" ] || echo "$TB_EAGER" | tee /sys/kernel/debug/rpcrdma2/settings/{client,server}_eager > /dev/null
}

# tb_transports: prints the ids of the transports over RDMA that sunrpc knows of here, of either
# direction. What an rpcrdma that is gone left behind is not among them: its files call functions
# of that module. Debian's leaves one for each connection that had a backchannel.
tb_transports()
{
	local d

	for d in /sys/kernel/debug/sunrpc/rpc_xprt/*; do
		grep -qsxF "${d##*/}" /run/tb/strays || ! grep -qs '^netid: rdma' "$d/info" || echo "${d##*/}"
	done
}

# tb_unload: removes rpcrdma; nothing may be mounted and nfsd must be stopped.
tb_unload()
{
	local id there

	[ -d /sys/module/rpcrdma ] || return 0
	there=$(tb_transports)
	tb_wait 30 rmmod rpcrdma || { rmmod rpcrdma; return 1; }
	for id in $there; do
		[ ! -e "/sys/kernel/debug/sunrpc/rpc_xprt/$id" ] || echo "$id" >> /run/tb/strays
	done
}

# tb_nfsdcld_has NAME: the daemon that keeps what nfsd knows of its clients has that open.
tb_nfsdcld_has()
{
	local pid

	for pid in $(pgrep -x nfsdcld); do
		find "/proc/$pid/fd" -lname "*$1" 2> /dev/null | grep -q . && return
	done
	return 1
}

# tb_nfsdcld: starts that daemon, and waits until it looks out for nfsd, which waits for a
# second only, and then keeps what it knows where a reboot takes it.
tb_nfsdcld()
{
	nfsdcld && tb_wait 30 tb_nfsdcld_has inotify
}

# tb_disk: what the server exports, and what nfsd knows of its clients, is on a disk
# from now on and survives tb_reboot. A file says so to the machine that boots next.
tb_disk()
{
	mkdir -p /disk
	modprobe -q ext4
	[ -e /out/disk.made ] || mkfs.ext4 -q /dev/vdc || return 1
	touch /out/disk.made
	mount /dev/vdc /disk || return 1
	mkdir -p /disk/export /disk/nfsdcld /var/lib/nfs/nfsdcld
	mount --bind /disk/export /export && mount --bind /disk/nfsdcld /var/lib/nfs/nfsdcld
}

# tb_disk_begin: exports the disk instead of a tmpfs, and tells no client that
# something is stored before it is. Clients have to mount anew.
tb_disk_begin()
{
	tb_nfsd_stop || return 1
	pkill -x nfsdcld
	exportfs -f
	tb_disk && chmod 777 /export && rm -rf /export/* || return 1
	sed -i 's/,async)/,sync)/' /etc/exports
	tb_nfsdcld && exportfs -ra && tb_nfsd_start
}

# tb_disk_end: undoes it, also after a reboot.
tb_disk_end()
{
	tb_nfsd_stop || return 1
	pkill -x nfsdcld
	exportfs -f
	rm -f /out/disk.made
	umount /export /var/lib/nfs/nfsdcld /disk || return 1
	sed -i 's/,sync)/,async)/' /etc/exports
	tb_nfsdcld && exportfs -ra && tb_nfsd_start
}

# tb_nfsd_prepare: exports /export (a tmpfs, or on the disk that tb_disk has made)
# and starts what nfsd needs; once.
tb_nfsd_prepare()
{
	local how=async grace=10

	modprobe nfsd || return 1
	mount -t nfsd nfsd /proc/fs/nfsd
	mkdir -p /run/rpc_pipefs /var/lib/nfs/v4recovery /export
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
	mount -t tmpfs -o size=700m tmpfs /export
	if [ -e /out/disk.made ]; then
		tb_disk || return 1
		how=sync
	fi
	chmod 777 /export
	echo "/export *(rw,fsid=0,no_root_squash,no_subtree_check,insecure,sec=sys,$how)" > /etc/exports
	touch /var/lib/nfs/etab /var/lib/nfs/rmtab
	rpcbind -w || return 1
	tb_nfsdcld 2> /dev/null || true
	exportfs -ra || return 1
	rpc.mountd -p 20048 || return 1
	# A client that could not connect for a while tries again after up to 30 seconds. The
	# grace period ends when all clients have claimed what they had.
	[ ! -e /out/rebooted.server ] || grace=60
	echo "$grace" > /proc/fs/nfsd/nfsv4gracetime
	echo 10 > /proc/fs/nfsd/nfsv4leasetime
	# nfsd delegates nothing until lockd's grace period is over, too.
	modprobe -q lockd
	echo 3 > /proc/sys/fs/nfs/nlm_timeout
	echo 3 > /proc/sys/fs/nfs/nlm_grace_period
	rpc.statd --no-notify 2> /dev/null || true
}

# tb_nfsd_start [grace]: starts nfsd on RDMA and TCP; without a grace period,
# unless clients are to reclaim what they held.
tb_nfsd_start()
{
	echo '+3 +4 +4.1 +4.2' > /proc/fs/nfsd/versions
	rpc.nfsd --rdma=20049 --tcp "${TB_NFSD_THREADS:-8}" || return 1
	grep -q '^rdma 20049' /proc/fs/nfsd/portlist || return 1
	# EBUSY where there was nobody to wait for
	[ "${1:-}" = grace ] || echo Y > /proc/fs/nfsd/v4_end_grace 2> /dev/null || grep -q Y /proc/fs/nfsd/v4_end_grace || return 1
	[ ! -e /out/disk.made ] || tb_nfsdcld_has nfsd/cld || { echo "nfsd keeps nothing of its clients on the disk"; return 1; }
}

# tb_nfsd_stop: stops all threads of nfsd and closes its listeners.
tb_nfsd_stop()
{
	rpc.nfsd 0
	tb_wait 60 grep -qx 0 /proc/fs/nfsd/threads
}

# tb_healthy: this end is as a test expects to find it.
tb_healthy()
{
	case $TB_ROLE in
	client)
		! grep -q ' nfs4\? ' /proc/mounts || { echo "still mounted: $(grep ' nfs4\? ' /proc/mounts)"; return 1; }
		tb_is_loaded "$TB_CLIENT" || return 1
		tb_server tb_healthy
		;;
	server)
		grep -q '^rdma 20049' /proc/fs/nfsd/portlist || { echo "nfsd does not listen on RDMA"; return 1; }
		tb_is_loaded "$TB_SERVER" || return 1
		tb_wait 30 tb_unconnected || { echo "connections are left: $(tb_connections)"; return 1; }
		;;
	esac
}

# tb_connections: prints what the server says of its connections over RDMA, but for what
# it has counted none of.
tb_connections()
{
	cat /sys/kernel/debug/rpcrdma2/server/*/state 2> /dev/null | grep -v ': 0$'
}

# tb_unconnected: the server has none, as after the last unmount.
tb_unconnected()
{
	[ -z "$(tb_connections)" ]
}

# tb_agent: answers tb_server for as long as the virtual machine lives. With nofork the
# agent has the connection itself: a socat in between may miss the agent's end.
tb_agent()
{
	exec socat -t 900 "TCP-LISTEN:${TB_AGENT#*:},reuseaddr,fork" EXEC:/repo/testbed/agent,nofork
}

# tb_server COMMANDS: runs them in a bash on the server with this library and
# prints their output; returns their exit status, 255 if the server is gone.
tb_server()
{
	local out rc

	out=$(exec socat -t 900 - "TCP:$TB_AGENT,connect-timeout=30,keepalive,keepidle=10,keepintvl=5,keepcnt=4" 2> /dev/null <<< "$1")
	rc=${out##*$'\n'tb-status }
	[ "$rc" != "$out" ] || { printf '%s\n' "$out"; return 255; }
	out=${out%$'\n'tb-status *}
	printf '%s' "$out"
	return "$rc"
}

# tb_header FILE KEY: prints what the header of a test says, one value a line.
tb_header()
{
	sed -n "/^\$/q; s/^# $2: //p" "$1"
}

# tb_splats [TEST]: prints what the kernel of this virtual machine has complained
# about since the last call, unless testbed/splat.allow explains it, or the test
# expects it.
tb_splats()
{
	local all=/run/tb/dmesg seen=/run/tb/dmesg.seen fresh=/run/tb/dmesg.fresh patterns=/run/tb/patterns n=0
	local test=/repo/tools/testing/selftests/rpcrdma/${1:-}.sh

	[ -e "$patterns" ] || grep '^[^#]' /repo/testbed/splat.patterns > "$patterns"
	dmesg > "$all"
	[[ $(head -1 "$all") == *'Linux version'* ]] || echo "$TB_ROLE: WARNING: the kernel log has lost its beginning"
	[ ! -e "$seen" ] || n=$(< "$seen")
	tail -n "+$((n + 1))" "$all" > "$fresh"
	wc -l < "$all" > "$seen"
	grep -qEf "$patterns" "$fresh" || return 0
	{ ! [ -f "$test" ] || tb_header "$test" expects; } > /run/tb/expected
	python3 /repo/testbed/splats.py "$TB_ROLE" /repo/testbed/splat.patterns /repo/testbed/splat.allow /run/tb/expected < "$fresh"
}

# tb_kmsg TEXT: puts that into the kernel log, from where tb_splats takes it.
tb_kmsg()
{
	echo "<4>$1" > /dev/kmsg
}

# tb_leaks: looks twice for leaked memory, where the kernel can.
tb_leaks()
{
	local k=/sys/kernel/debug/kmemleak n

	[ -e "$k" ] || return 0
	for n in 1 2; do
		echo scan > "$k" || tb_kmsg "kmemleak: it cannot scan"
	done
	cat "$k" > /run/tb/leaks
	while read -r n; do tb_kmsg "$n"; done < /run/tb/leaks
}

# tb_lockdep: says so if lockdep has given up watching, where the kernel has it.
tb_lockdep()
{
	! grep -qs '^ *debug_locks: *0' /proc/lockdep_stats || tb_kmsg "INFO: lockdep is turned off."
}

# tb_finish: the last look at this kernel; its log goes to /out.
tb_finish()
{
	tb_leaks
	tb_lockdep
	tb_splats
	dmesg > "/out/dmesg.$TB_ROLE"
}

# tb_server_role: the life of the server.
tb_server_role()
{
	local e

	tb_net
	tb_device
	# shellcheck disable=SC2086
	e=$(tb_load "$TB_SERVER" $TB_SERVER_PARAMS) || tb_fatal "$e"
	# shellcheck disable=SC2046
	e=$(tb_nfsd_prepare 2>&1 && tb_nfsd_start $([ ! -e /out/rebooted.server ] || echo grace) 2>&1) || tb_fatal "nfsd does not start: $e"
	tb_log "server is up: rpcrdma $TB_SERVER $(tb_srcversion)" > /dev/console
	[ -z "$TB_SHELL" ] || tb_shell &
	tb_agent
}

# tb_client_role: the life of the client; $TB_RUN is what it is there for.
tb_client_role()
{
	local e

	tb_net
	tb_device
	# shellcheck disable=SC2086
	e=$(tb_load "$TB_CLIENT" $TB_CLIENT_PARAMS) || tb_fatal "$e"
	modprobe -q nfsv4
	rpcbind -w
	rpc.statd --no-notify 2> /dev/null || true
	# it may have started anew for the sake of its timer
	tb_wait 300 eval '[ -e /out/fatal ] || tb_server true' || tb_fatal "the server does not answer"
	[ ! -e /out/fatal ] || tb_poweroff
	tb_log "client is up: rpcrdma $TB_CLIENT $(tb_srcversion)" > /dev/console
	if [ -n "$TB_SHELL" ]; then
		tb_shell
		echo 0 > /out/status
	else
		# shellcheck disable=SC2086
		bash $TB_RUN >> /out/output 2>&1 < /dev/null
		echo $? > /out/status
	fi
	{ tb_server 'tb_finish'; tb_finish; } > /out/splats 2>&1
	tb_server '(sleep 0.5; tb_poweroff) > /dev/null 2>&1 &' > /dev/null
	echo yes > /out/finished
}

# tb_alone_role: one virtual machine without a peer, for KUnit and the like.
tb_alone_role()
{
	# shellcheck disable=SC2086
	bash $TB_RUN > /out/output 2>&1 < /dev/null
	echo $? > /out/status
	tb_finish > /out/splats 2>&1
	echo yes > /out/finished
}

# tb_shell: a prompt on the serial console until the person leaves it.
tb_shell()
{
	echo '. /repo/testbed/lib.sh; . /repo/testbed/welcome' > /root/.bashrc
	cd /root || return
	setsid -w bash -c 'exec bash -i < /dev/ttyS0 > /dev/ttyS0 2>&1'
}
