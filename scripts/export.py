#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes series of patches for the kernel out of hooks and our own files.

export.py SOURCE PATCHES OUT AUTHOR

SOURCE is a kernel's source, PATCHES the folder of its hooks, AUTHOR "Name <mail>", who
signs all of them off. patches/manifest says what is in which patch; export.sh calls this.
OUT gets a folder for each series, whose patches "git am" takes in the order of their
names, and tree, a git repository of the transport's files, with a commit for each.

It fails if one of our files is in no patch or in two, if a hook is left over, if a patch
has more code than a patch may have, or if the last commit is not what assemble.sh makes.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
MANIFEST = TOP / "patches/manifest"
MAKEFILES = ("net/sunrpc/xprtrdma/Makefile", "net/sunrpc/xprtrdma/v2/tests/Makefile")
MOST_CODE = 500
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


class Entry:
    """A patch that is to be made: its words, the hooks that are applied, the files that are added."""

    def __init__(self, subject=None, hook=None):
        self.subject = subject
        self.hook = hook
        self.text = []
        self.apply = [hook] if hook else []
        self.files = []


class Series:
    """A folder of patches."""

    def __init__(self, folder, title):
        self.folder = folder
        self.title = title
        self.text = []
        self.kinds = []
        self.entries = []


def manifest(text):
    """Returns the series that a manifest describes.

    >>> one, = manifest("# x\\nseries a A b\\n\\tc\\nhook 0101\\npatch d: e\\n\\tf\\n\\n\\tg\\nfile h i\\napply 0300\\n")
    >>> one.folder, one.title, one.text, [e.hook for e in one.entries]
    ('a', 'A b', ['c'], ['0101', None])
    >>> e = one.entries[1]
    >>> e.subject, e.text, e.files, e.apply
    ('d: e', ['f', '', 'g'], ['h', 'i'], ['0300'])
    """
    got = []
    where = None
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line or line[0] == "\t":
            if where:
                where.text.append(line[1:])
            continue
        word, _, rest = line.partition(" ")
        if word == "series":
            got.append(Series(*rest.split(" ", 1)))
            where = got[-1]
        elif word == "hooks":
            got[-1].kinds += rest.split()
        elif word in ("hook", "patch"):
            where = Entry(**{"subject" if word == "patch" else "hook": rest})
            got[-1].entries.append(where)
        elif word == "file":
            where.files += rest.split()
        elif word == "apply":
            where.apply += rest.split()
        else:
            sys.exit(f"manifest: what is '{line}'?")
    for s in got:
        for x in [s, *s.entries]:
            while x.text and not x.text[-1]:
                x.text.pop()
    return got


def split(patch):
    """Returns the words of a hook and what it does to each file.

    >>> words, parts = split("Subject: [PATCH] a: b\\n\\nc\\n---\\n x | 1 +\\n\\n--- a/x\\n+++ b/x\\n@@\\n+y\\n--- a/z\\n+++ b/z\\n@@\\n")
    >>> words
    'a: b\\n\\nc\\n'
    >>> list(parts)
    ['x', 'z']
    """
    head, _, body = patch.partition("\n---\n")
    words = re.sub(r"^Subject: \[PATCH\] ", "", head) + "\n"
    parts = re.split(r"(?m)^(?=--- (?:a/|/dev/null))", body)[1:]
    return words, {re.search(r"^\+\+\+ b/(\S+)", p, re.M).group(1): p for p in parts}


def present(text, exists):
    """Returns a Makefile without objects and folders that are not there.

    >>> print(present("# a\\nx-y := a.o b.o \\\\\\n\\tc.o\\n# b\\nx-y += d.o \\\\\\n\\te.o\\n\\n# c\\nobj-y += f/\\n", lambda n: n in ("a.c", "b.c", "e.c")))
    # a
    x-y := a.o b.o
    # b
    x-y += e.o
    <BLANKLINE>
    """
    lines, out = re.sub(r"[ \t]*\\\n", "\\\n", text).split("\n"), []
    logical, rest = [], []
    for line in lines:
        rest.append(line)
        if not line.endswith("\\"):
            logical.append(rest)
            rest = []
    comments = []
    for group in logical:
        if group[0].startswith("#") and "SPDX" not in group[0]:
            comments += group
            continue
        dropped = False
        kept = []
        for line in group:
            words = re.findall(r"\s*\S+", line.removesuffix("\\"))
            stay = [w for w in words if not _missing(w.strip(), exists)]
            dropped |= len(stay) < len(words)
            kept.append("".join(stay))
        if dropped:
            kept = [k for k in kept if k.strip()]
            if not kept or re.fullmatch(r"\S+ [:+]?=", kept[0].strip()) and len(kept) == 1:
                comments = []
                continue
            if re.fullmatch(r"\S+ [:+]?=", kept[0].strip()):
                kept[0:2] = [kept[0].rstrip() + " " + kept[1].strip()]
        if group != [""] or not (out and out[-1] == ""):
            out += comments + [" \\\n".join(kept)]
        comments = []
    return "\n".join(out + comments)


def _missing(word, exists):
    if word.endswith(".o") and word != "rpcrdma.o":
        return not exists(word[:-1] + "c")
    return word.endswith("/") and not exists(word + "Makefile")


def code(text):
    """Returns the lines of a file that are neither empty nor comments.

    >>> code("// a\\n/* b\\n * c\\n */\\nint d; /* e */\\n\\n}\\n")
    ['int d; ', '}']
    """
    return [line for line in COMMENT.sub("", text).splitlines() if line.strip()]


def run(*args, **kwargs):
    """Runs a command; returns what it prints."""
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **kwargs).stdout


class Export:
    """One run."""

    def __init__(self, source, patches, out, author):
        self.source, self.out, self.author = Path(source), Path(out).resolve(), author
        self.tree = self.out / "tree"
        name, mail = re.fullmatch(r"(.+?) *<(\S+@\S+)>", author).groups()
        self.env = dict(os.environ, GIT_AUTHOR_NAME=name, GIT_AUTHOR_EMAIL=mail, GIT_COMMITTER_NAME=name, GIT_COMMITTER_EMAIL=mail,
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        names = [n for n in (Path(patches) / "series").read_text(encoding="utf-8").split("\n") if n and n[0] != "#"]
        self.hooks = {n[:4]: split((Path(patches) / n).read_text(encoding="utf-8")) for n in names}
        self.own = {str(p.relative_to(TOP)) for d in ("net", "include") for p in (TOP / d).rglob("*")
                    if p.suffix in (".c", ".h") or p.name in ("Makefile", ".kunitconfig")}
        self.makefiles = {}
        self.problems = []

    def git(self, *args, **kwargs):
        """Runs git in the tree."""
        return run("git", "-C", str(self.tree), *args, env=self.env, **kwargs)

    def patch(self, number):
        """Applies a hook, but for Makefiles, which list_objects() writes."""
        for name, part in self.hooks.pop(number)[1].items():
            if name in MAKEFILES:
                continue
            run("patch", "-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch", cwd=self.tree, input=part)

    def write(self, name, text):
        """Puts a file into the tree."""
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def list_objects(self):
        """Has Makefiles list what is there."""
        for name, text in self.makefiles.items():
            folder = self.tree / name
            if name == MAKEFILES[0] or folder.is_file():
                self.write(name, present(text, lambda n, f=folder.parent: (f / n).is_file()))

    def begin(self):
        """Makes the tree, with the files of the transport and those that the patches touch."""
        touched = {n for _, parts in self.hooks.values() for n in parts}
        touched |= {str(p.relative_to(self.source)) for p in (self.source / "net/sunrpc/xprtrdma").glob("*.[ch]")}
        self.tree.mkdir(parents=True)
        run("git", "init", "-q", str(self.tree), env=self.env)
        for name in sorted(touched):
            if (self.source / name).is_file():
                self.write(name, (self.source / name).read_text(encoding="utf-8"))
        for number in sorted(self.hooks):
            for name, part in self.hooks[number][1].items():
                if name in MAKEFILES:
                    run("patch", "-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch", cwd=self.tree, input=part)
        self.makefiles[MAKEFILES[0]] = (self.tree / MAKEFILES[0]).read_text(encoding="utf-8")
        self.makefiles[MAKEFILES[1]] = (TOP / MAKEFILES[1]).read_text(encoding="utf-8")
        self.write(MAKEFILES[0], (self.source / MAKEFILES[0]).read_text(encoding="utf-8"))
        self.git("add", "-A")
        self.git("commit", "-qm", "What the kernel has")

    def length(self):
        """Returns how much code the last commit adds, apart from tests."""
        count = 0
        for name in self.git("diff", "--name-only", "HEAD~1").split():
            if "/v2/tests/" in name:
                continue
            was = subprocess.run(["git", "-C", str(self.tree), "show", f"HEAD~1:{name}"], capture_output=True, text=True, check=False)
            if was.returncode:
                count += len(code((self.tree / name).read_text(encoding="utf-8")))
            else:
                diff = self.git("diff", "-U0", "HEAD~1", "--", name)
                count += len(code("\n".join(x[1:] for x in diff.splitlines() if x[:1] == "+" and x[:3] != "+++")))
        return count

    def commit(self, entry):
        """Makes one patch."""
        words = f"{entry.subject}\n\n" + "\n".join(entry.text) + "\n" if entry.subject else self.hooks[entry.hook][0]
        for number in entry.apply:
            self.patch(number)
        for name in entry.files:
            if name not in self.own:
                sys.exit(f"manifest: {name} is no file of ours, or is in two patches")
            self.own.remove(name)
            self.write(name, (TOP / name).read_text(encoding="utf-8"))
        self.list_objects()
        self.git("add", "-A")
        self.git("commit", "-q", "-F", "-", input=f"{words.rstrip()}\n\nSigned-off-by: {self.author}\n")
        subject = words.split("\n", 1)[0]
        count = self.length()
        if count >= MOST_CODE:
            self.problems.append(f"{subject}: {count} lines of code")
        print(f"{count:5} {subject}")

    def series(self, series):
        """Makes one series."""
        base = self.git("rev-parse", "HEAD").strip()
        entries = [Entry(hook=n) for kind in series.kinds for n in sorted(self.hooks) if n.startswith(kind)] + series.entries
        for entry in entries:
            self.commit(entry)
        folder = self.out / series.folder
        self.git("format-patch", "-q", "-o", str(folder), "--numbered", base)
        stat = self.git("diff", "--stat", base)
        (folder / "cover-letter.txt").write_text(
            f"From: {self.author}\nSubject: [PATCH 0/{len(entries)}] {series.title}\n\n" + "\n".join(series.text) +
            f"\n\nThe patches are for {self.version()}.\n\n" + "".join(f"  {s}\n" for s in self.git(
                "log", "--reverse", "--format=%s", f"{base}..").splitlines()) + f"\n{stat}", encoding="utf-8")

    def version(self):
        """Returns which kernel the source is of."""
        text = (self.source / "Makefile").read_text(encoding="utf-8")
        return "v" + ".".join(re.search(rf"(?m)^{k} = (\d+)", text).group(1) for k in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))

    def run(self):
        """Makes all series. Returns whether that went well."""
        all_series = manifest(MANIFEST.read_text(encoding="utf-8"))
        self.begin()
        for series in all_series:
            self.series(series)
        self.problems += [f"{name} is in no patch" for name in sorted(self.own)]
        self.problems += [f"hook {number} is in no patch" for number in sorted(self.hooks)]
        for problem in self.problems:
            print(f"export.py: {problem}", file=sys.stderr)
        return not self.problems


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip())
    sys.exit(not Export(*sys.argv[1:]).run())
