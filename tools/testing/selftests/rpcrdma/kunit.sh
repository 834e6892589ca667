#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The KUnit suites run inside the debug kernel against its rpcrdma.ko.
#
# bed: pair
# kernels: debug
# devices: rxe
# timeout: 180

[ -f /run/tb/bed ] || { echo '1..0 # SKIP needs the test bed; tools/testing/kunit/kunit.py does the same'; exit 4; }
# shellcheck source=/dev/null
. /repo/testbed/lib.sh

built=/out/bin
out=$(tb_is_loaded ours) || { echo "Bail out! $out"; exit 1; }

# suite KO: loads one module of suites and prints what they found.
suite()
{
	local ko=$1 dir

	insmod "$ko" || { echo "not ok - insmod $ko"; return 1; }
	for dir in /sys/kernel/debug/kunit/*/; do
		cat "$dir/results"
	done
	rmmod "$(basename "$ko" .ko)"
}

bad=0
for ko in "$built"/*_kunit.ko; do
	[ -f "$ko" ] || { echo "Bail out! no suites in $built"; exit 1; }
	suite "$ko" > /run/tb/kunit || bad=1
	cat /run/tb/kunit
	# A suite of which no case was run is "ok", too.
	grep -q '^ \+ok ' /run/tb/kunit || bad=1
	! grep -q '^ *not ok ' /run/tb/kunit || bad=1
done
exit "$bad"
