#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# style.sh: is everything written as the kernel's maintainers expect it?
#
# sparse and W=1 on the assembled tree, checkpatch --strict on our files and
# on the patches, kernel-doc on our files, shellcheck on all scripts, who calls
# whom (rooms.py), and whether what the pages cite is there (cited.py). K= names a
# kernel of scripts/kernels to take headers and checkpatch from. Prints what is
# wrong; the last line is the verdict.

. "$(dirname "$0")/lib.sh"

cd "$TOP"
src=$(kernel_source)
kdir=$(stock_kdir)
tree=$BUILD/style
log=$BUILD/style.log
bad=0
need sparse sparse
need shellcheck shellcheck
mkdir -p "$BUILD"

# report TITLE FILE: FILE holds complaints, or is empty.
report()
{
	if [ -s "$2" ]; then
		printf 'not ok - %s\n' "$1"
		sed 's/^/    /' "$2"
		bad=$((bad + 1))
	else
		printf 'ok - %s\n' "$1"
	fi
}

# our_c: C files that run in the kernel.
our_c()
{
	find net include -name '*.[ch]'
}

# kernel_c: those, and what the tests build for the kernel.
kernel_c()
{
	our_c
	find tools/testing/selftests/rpcrdma/{ledger,mutants} -name '*.[ch]'
}

# compile: only complaints about our own files count; upstream's are upstream's.
compile()
{
	"$TOP/scripts/assemble.sh" "$tree"
	our_c | (cd "$tree" && xargs touch)
	# Debian 13's sparse is older than 7.3: it takes module_param() for no constant expression
	kmake "$kdir" -s -k -j"$(nproc)" M="$tree" W=1 C=1 CF='-Wsparse-error -D__typeof_unqual__=__typeof__' \
		modules 2>&1 | grep -v 'error: bad constant expression$' |
		grep -E '(xprtrdma/v2/[a-z0-9_/]*|versions|rdma2)\.[ch]:[0-9]+' || true
}

# checkpatch_c: traces are laid out as all trace headers are, which
# checkpatch does not know; MAINTAINERS is kept by hand.
checkpatch_c()
{
	kernel_c | grep -v '^include/trace/' |
		xargs "$src/scripts/checkpatch.pl" --no-tree --strict --terse --quiet \
			--no-summary --ignore FILE_PATH_CHANGES,CONST_STRUCT -f || true
}

# checkpatch_patches: read from standard input, because checkpatch takes a
# file that git knows for source code.
checkpatch_patches()
{
	local p

	for p in patches/*.patch patches/*/*.patch testbed/*.patch; do
		"$src/scripts/checkpatch.pl" --no-tree --strict --terse --quiet --no-summary \
			--ignore MISSING_SIGN_OFF,FILE_PATH_CHANGES,NO_AUTHOR_SIGN_OFF - < "$p" |
			sed "s,^[^:]*:,$p:," || true
	done
}

kerneldoc()
{
	kernel_c | xargs "$src/scripts/kernel-doc" -none -Wall 2>&1 || true
}

shell()
{
	git ls-files -co --exclude-standard | while read -r f; do
		[ -f "$f" ] || continue
		case $f in
		*.sh) printf '%s\n' "$f" ;;
		*) head -c 64 "$f" | grep -aqE '^#!.*/(ba)?sh' && printf '%s\n' "$f" ;;
		esac
	done | xargs shellcheck -x -P SCRIPTDIR -S style 2>&1 || true
}

compile > "$log"
report "sparse and W=1" "$log"
checkpatch_c > "$log" 2>&1
report "checkpatch --strict, files" "$log"
checkpatch_patches > "$log" 2>&1
report "checkpatch --strict, patches" "$log"
kerneldoc > "$log" 2>&1
report "kernel-doc" "$log"
shell > "$log"
report "shellcheck" "$log"
{ python3 -m doctest scripts/settings.py && scripts/settings.py check; } > "$log" 2>&1 || true
report "Documentation/settings.rst" "$log"
{ python3 -m doctest scripts/cited.py && scripts/cited.py; } > "$log" 2>&1 || true
report "what pages cite" "$log"
{ python3 -m doctest scripts/counters.py && scripts/counters.py check; } > "$log" 2>&1 || true
report "Documentation/counters.rst" "$log"
python3 tools/testing/selftests/rpcrdma/conformance/conformance.py check 2>&1 | grep -v -e '^ok' -e '^#' > "$log" || true
report "ids that sources name" "$log"
scripts/rooms.py > "$log" 2>&1 || true
report "calls go downwards" "$log"
[ "$bad" = 0 ] || { printf 'style: %d kinds of complaint\n' "$bad"; exit 1; }
printf 'style: clean\n'
