# SPDX-License-Identifier: MIT
# Patches for another project's tree: what scripts/make-series and scripts/make-qemu-series have in common. The callers set OUT, and TREE, a git
# tree with the files that change. The same sources give the same bytes.

BY="ANPU developers <anpu@localhost>"
export GIT_AUTHOR_DATE="2026-01-01T00:00:00Z" GIT_COMMITTER_DATE="2026-01-01T00:00:00Z"

in_tree()
{
	git -C "$TREE" -c user.name="${BY% <*}" -c user.email="$(sed 's/.*<\(.*\)>/\1/' <<<"$BY")" -c core.hooksPath=/dev/null \
		-c commit.gpgsign=false -c core.autocrlf=false "$@"
}

# commit SUBJECT: what is new in the tree; the body is standard input
commit()
{
	in_tree add -A && { printf '%s\n\n' "$1"; cat; printf '\nSigned-off-by: %s\n' "$BY"; } | in_tree commit -q -F -
}

# page_as_rst PAGE LICENCE: a page of Documentation as reStructuredText, without links to files that the other tree does not have
page_as_rst()
{
	printf '.. SPDX-License-Identifier: %s\n\n' "$2"
	pandoc -f gfm -t rst --columns=80 "$TOP/Documentation/$1.md" |
		sed -E 's/`([^`<]*) <[^>]*\.(md|h|c)(#[^>]*)?>`__/\1/g; s/[[:space:]]+$//'
}

# write_series PATCHES SUBJECT TEXT: the last commits of the tree, and a letter before them, in OUT/series
write_series()
{
	in_tree format-patch -q --cover-letter --subject-prefix="PATCH" -o "$OUT/series" --root "HEAD~$1..HEAD"
	sed -i -e "s#\*\*\* SUBJECT HERE \*\*\*#$2#" -e "s#\*\*\* BLURB HERE \*\*\*#$3#" "$OUT"/series/0000-*
}
