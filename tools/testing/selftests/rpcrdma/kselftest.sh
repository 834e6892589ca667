#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftest's own runner runs what can run on one machine, without our test bed, says of
# the rest why it does not, and leaves the machine as it was. scripts/kselftest.sh makes
# what it runs, as kernel people do.
#
# bed: vm
# kernels: stock
# devices: -
# except: stock--
# without: 7.3
# module: test
# smp: 2
# timeout: 1500

[ -f /run/tb/bed ] || { echo '1..0 # SKIP needs the test bed: see Documentation/developer.rst'; exit 4; }
# shellcheck source=/dev/null
. /repo/testbed/lib.sh

made=/build/kselftest
dir=/run/tb/kselftest
bad=0
nr=0

# t NAME COMMAND...: one result.
t()
{
	local name=$1 rc='ok'

	shift
	nr=$((nr + 1))
	"$@" > /run/tb/t 2>&1 || { rc='not ok'; bad=1; }
	sed 's/^/# /' /run/tb/t
	echo "$rc $nr $name"
}

# hidden COMMAND...: does it where nothing tells of the test bed.
hidden()
{
	local rc=0

	mv /run/tb/bed /run/tb/bed.hidden
	"$@" || rc=$?
	mv /run/tb/bed.hidden /run/tb/bed
	return "$rc"
}

# machine: prints what tests could leave behind.
machine()
{
	cat /proc/mounts
	ip -o link | cut -d: -f2
	rdma link
	cat /proc/fs/nfsd/{threads,portlist,nfsv4leasetime}
	ls -d /export
	pgrep -c '^(rpc\.|rpcbind|nfsd)'
	grep -rs . /proc/sys/sunrpc /sys/kernel/debug/rpcrdma2/settings --exclude='rdma_stat_*' --exclude=transports
	grep -hs . /sys/kernel/debug/rpcrdma2/{client,server}/*/state
}

# same: the machine is as it was.
same()
{
	machine > /run/tb/after 2>&1
	diff /run/tb/before /run/tb/after
}

# came_to PATTERN NAME: the runner says so of that test.
came_to()
{
	grep -E "^(not )?ok [0-9]+ selftests: rpcrdma: $2( |\$)" /run/tb/runner | tee /run/tb/line
	grep -qE "^ok [0-9]+ selftests: rpcrdma: $2$1\$" /run/tb/line
}

out=$(tb_load ours) || { echo "Bail out! $out"; exit 1; }
# it may be made anew meanwhile
rm -rf $dir
cp -r $made $dir || { echo "Bail out! there is no $made: scripts/kselftest.sh"; exit 1; }
TB_DEV=siw tb_driver
modprobe -q nfsd
mount -t nfsd nfsd /proc/fs/nfsd
# what every test sets otherwise
echo 1 > /proc/sys/sunrpc/rdma_max_version
machine > /run/tb/before 2>&1
mapfile -t names < <(sed 's/^rpcrdma://' $dir/kselftest-list.txt)
echo "1..$((${#names[@]} + 3))"
hidden $dir/run_kselftest.sh -c rpcrdma 2>&1 | tee /run/tb/runner | sed -u 's/^/# /'
for name in "${names[@]}"; do
	if grep -q '^# alone: yes$' "$dir/rpcrdma/$name"; then
		t "$name runs" came_to '' "$name"
	else
		t "$name is skipped" came_to ' # SKIP' "$name"
	fi
done
t "some say that they need two machines" grep -q '^# 1..0 # SKIP needs two machines: see Documentation/developer.rst$' /run/tb/runner
t "the machine is as it was" same
hidden $dir/run_kselftest.sh -o 20 -t rpcrdma:big-tree.sh 2>&1 | tee /run/tb/runner | sed -u 's/^/# /'
t "a test that takes too long is ended, and leaves the machine so" eval 'grep "^not ok 1 .* # TIMEOUT" /run/tb/runner && same'
exit "$bad"
