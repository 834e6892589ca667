#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# style.sh: is everything written as the kernel's maintainers expect it?
#
# sparse and W=1 on the assembled tree, checkpatch --strict on our files and
# on the patches, kernel-doc on our files, shellcheck on all scripts, who calls
# whom (rooms.py), and whether what the pages cite is there (cited.py). K= names a
# kernel of scripts/kernels to take headers from; checkpatch is that of the newest. Of a file
# or patch that checkpatch had nothing to say about before, it is not asked again, nor are
# scripts looked at if none has changed since; AFRESH=1 asks for all. Prints what is wrong;
# the last line is the verdict.

. "$(dirname "$0")/lib.sh"

cd "$TOP"
src=$(kernel_source)
kdir=$(stock_kdir)
newest=$(KSRC='' K=$(awk '!/^#/ && NF { name = $1 } END { print name }' scripts/kernels) \
	bash -c '. scripts/lib.sh; kernel_source')
tree=$BUILD/style
log=$BUILD/style.log
good=$CACHE/style-good
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

# known NAME: nothing was wrong with that before.
known()
{
	[ -z "${AFRESH:-}" ] && grep -qxF "$1" "$good" 2> /dev/null
}

# clean NAME: nothing is wrong with that.
clean()
{
	{ printf '%s\n' "$1" >> "$good"; } 2> /dev/null || true
}

# checkpatch FILE IGNORED [-f]: prints what it says about FILE, and keeps in mind if that
# is nothing: of this content, under this name, by this checkpatch. FILE is read from
# standard input unless it is a source, because checkpatch takes a file that git knows
# for one.
checkpatch()
{
	local name said rc=0
	local options=(--no-tree --strict --terse --quiet --no-summary --ignore "$2")

	name=$(key "$judge" "${options[*]}" "named $1" "$1")
	! known "$name" || return 0
	if [ -n "${3:-}" ]; then
		said=$("$newest/scripts/checkpatch.pl" "${options[@]}" -f "$1" 2>&1) || rc=$?
	else
		said=$("$newest/scripts/checkpatch.pl" "${options[@]}" - < "$1" 2>&1 | sed "s,^[^:]*:,$1:,") || rc=$?
	fi
	if [ -n "$said" ]; then
		printf '%s\n' "$said"
	elif [ $rc != 0 ]; then
		printf '%s: checkpatch ends with %d\n' "$1" "$rc"
	else
		clean "$name"
	fi
}

# checkpatch_c: traces are laid out as all trace headers are, which
# checkpatch does not know; MAINTAINERS is kept by hand.
checkpatch_c()
{
	local f

	kernel_c | grep -v '^include/trace/' | while read -r f; do
		checkpatch "$f" FILE_PATH_CHANGES,CONST_STRUCT -f
	done
}

# checkpatch_patches: commits that they name are those of a history that is not here.
checkpatch_patches()
{
	local p

	for p in patches/*.patch patches/*/*.patch testbed/*.patch; do
		checkpatch "$p" MISSING_SIGN_OFF,FILE_PATH_CHANGES,NO_AUTHOR_SIGN_OFF,UNKNOWN_COMMIT_ID
	done
}

kerneldoc()
{
	kernel_c | xargs "$src/scripts/kernel-doc" -none -Wall 2>&1 || true
}

# scripts: prints all of them.
scripts()
{
	local f

	git ls-files -co --exclude-standard | while read -r f; do
		[ -f "$f" ] || continue
		case $f in
		*.sh) printf '%s\n' "$f" ;;
		*) head -c 64 "$f" | grep -aqE '^#!.*/(ba)?sh' && printf '%s\n' "$f" ;;
		esac
	done
}

# shell: they source each other, so it is all of them or none.
shell()
{
	local files rules name options=(-x -P SCRIPTDIR -S style)

	mapfile -t files < <(scripts)
	mapfile -t rules < <(git ls-files -co --exclude-standard -- '*.shellcheckrc')
	name=$(key "$(shellcheck --version)" "${options[*]}" "${files[*]}" "${files[@]}" "${rules[@]}")
	! known "$name" || return 0
	if shellcheck "${options[@]}" "${files[@]}" 2>&1; then
		clean "$name"
	else
		echo "shellcheck ends with $?"
	fi
}

judge=$(cd "$newest/scripts" && key checkpatch.pl spelling.txt const_structs.checkpatch)
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
{ python3 -m doctest scripts/layers.py && scripts/layers.py check; } > "$log" 2>&1 || true
report "Documentation/layers.svg" "$log"
{ python3 -m doctest scripts/seen.py && scripts/seen.py check; } > "$log" 2>&1 || true
report "the kernels in README.md" "$log"
[ "$bad" = 0 ] || { printf 'style: %d kinds of complaint\n' "$bad"; exit 1; }
printf 'style: clean\n'
