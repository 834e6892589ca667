# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced from the top of the project by tests that need no virtual machine and look at
# what is installed: results, and the kernel that modules are for. They end with
# exit "$bad".

nr=0
bad=0
# shellcheck source=/dev/null
headers=$(. scripts/lib.sh; stock_kdir)
# shellcheck disable=SC2034 # for those who source this
release=$(cat "$headers/include/config/kernel.release")

# t NAME COMMAND...: one result: COMMAND succeeds.
t()
{
	local name=$1 out

	shift
	nr=$((nr + 1))
	if out=$("$@" 2>&1); then
		echo "ok $nr $name"
	else
		# shellcheck disable=SC2001 # every line
		sed 's/^/# /' <<< "$out"
		echo "not ok $nr $name"
		# shellcheck disable=SC2034 # for those who source this
		bad=1
	fi
}
