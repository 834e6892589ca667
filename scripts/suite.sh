# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Packages of a Debian suite that is not the one installed here: looked up and
# downloaded with an apt of their own below the cache, so that nothing on this machine
# changes. The mirrors are those that this machine's apt knows; only the
# name of the release differs.

# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

SUITE=trixie
SUITE_APT=$CACHE/$SUITE-apt
# Where this machine's apt keeps what it is told
ETC_APT=${ETC_APT:-/etc/apt}
# Lists of packages are asked for again when they are that many minutes old
SUITE_FRESH=720

# suite_sources RELEASE: prints this machine's sources of Debian, for the suite
# instead of RELEASE, with the suite's backports and its source packages.
suite_sources()
{
	local files

	mapfile -t files < <(grep -lsE "^(Suites:|deb ).*\b$1\b" "$ETC_APT"/sources.list "$ETC_APT"/sources.list.d/*.{sources,list} || true)
	[ ${#files[@]} -gt 0 ] || die "apt of this machine has no sources of Debian's $1"
	awk '
		/^#/ { next }
		/^Types:/ { print "Types: deb deb-src"; next }
		/^Suites:/ { gsub(from "( |$)", "&" from "-backports ") }
		/^deb / && $3 == from { print; deb_src(); $3 = from "-backports" }
		/^deb / { print; deb_src(); next }
		{ print }
		function deb_src() { print "deb-src" substr($0, 4) }' from="$1" "${files[@]}" | sed "s/\b$1\b/$SUITE/g"
}

# suite_sources_file: prints the path of these sources, made when needed.
suite_sources_file()
{
	local release ext=sources file

	# shellcheck source=/dev/null
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	! suite_sources "$release" | grep -q '^deb ' || ext=list
	file=$SUITE_APT/debian.$ext
	mkdir -p "$SUITE_APT"
	suite_sources "$release" > "$file.$$"
	mv "$file.$$" "$file"
	printf '%s\n' "$file"
}

# suite_config: prints the path of a configuration of apt that touches nothing of this
# machine's own.
suite_config()
{
	local file=$SUITE_APT/apt.conf sources

	sources=$(suite_sources_file)
	mkdir -p "$SUITE_APT"/{lists,cache/archives}/partial
	touch "$SUITE_APT/status"
	cat > "$file.$$" <<-END
		Dir::Etc::sourcelist "$sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State::lists "$SUITE_APT/lists";
		Dir::State::status "$SUITE_APT/status";
		Dir::Cache "$SUITE_APT/cache";
		APT::Sandbox::User "root";
	END
	mv "$file.$$" "$file"
	printf '%s\n' "$file"
}

# suite_apt COMMAND [ARGUMENT...]: apt-get, apt-cache of the suite.
suite_apt()
{
	APT_CONFIG=$SUITE_APT/apt.conf "$@" 2> "$SUITE_APT/errors.$$" || {
		cat "$SUITE_APT/errors.$$" >&2
		rm -f "$SUITE_APT/errors.$$"
		return 1
	}
	rm -f "$SUITE_APT/errors.$$"
}

# suite_update: gets the lists of packages, unless they are fresh. Old ones are better
# than none.
suite_update()
{
	local stamp=$SUITE_APT/updated

	need_cache
	[ -z "$(find "$stamp" -mmin "-$SUITE_FRESH" 2> /dev/null)" ] || return 0
	suite_config > /dev/null
	if suite_apt apt-get -qq update; then
		touch "$stamp"
	else
		[ -e "$stamp" ] || die "apt-get update failed: see above; this machine needs a mirror that has Debian's $SUITE"
		step "no fresh lists of $SUITE: using those of $(date -r "$stamp" +%F)"
	fi
}

# suite_release VERSION SUITE: prints the newest release of that kernel in the suite,
# as 7.3.4+deb13-amd64.
suite_release()
{
	local names

	names=$(suite_apt apt-cache search --names-only "^linux-headers-${1//./\\.}\.[0-9]+\+deb[0-9]+-amd64\$" | cut -d' ' -f1)
	[ -n "$names" ] || die "$2 has no kernel $1"
	sort -V <<< "${names//linux-headers-/}" | tail -1
}

# suite_version PACKAGE: prints the version of a package that would be taken.
suite_version()
{
	suite_apt apt-cache policy "$1" | awk '/Candidate:/ { print $2 }'
}

# suite_unpack DIR PACKAGE...: downloads packages and unpacks them into DIR; does not
# install them.
suite_unpack()
{
	local dir=$1 debs deb

	shift
	debs=$(mktemp -d "$CACHE/tmp.XXXXXX")
	(cd "$debs" && suite_apt apt-get -qq download "$@") || die "cannot download $* of $SUITE"
	for deb in "$debs"/*.deb; do
		dpkg -x "$deb" "$dir"
	done
	rm -rf "$debs"
}
