# SPDX-License-Identifier: MIT
# Functions that all parts of scripts/setup and the QEMU build scripts share: messages, timing, logged steps, checks.
# Sourced by bash with TOP set.

export LC_ALL=C
BUILD=${ANPU_BUILD:-$TOP/build}
CACHE=$BUILD/cache
LOGS=$BUILD/logs

say()
{
	printf '%s\n' "$*" >&2
}

# Prints one sentence for the user and exits.
die()
{
	say "$PROGRAM: $*"
	exit 1
}

now_ms()
{
	local t=${EPOCHREALTIME/[.,]/}
	echo $((t / 1000))
}

# seconds_since MS: as "1.2 s"
seconds_since()
{
	local ms=$(($(now_ms) - $1))
	printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# end_group PID: ends a job with all that it started, and returns when nothing of it is left
end_group()
{
	local tries
	[ "$1" ] || return 0
	kill -TERM -- "-$1" 2>/dev/null
	for ((tries = 0; tries < 50; tries++)); do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL -- "-$1" 2>/dev/null
}

# step TEXT NAME COMMAND...: runs a command with its output in build/logs/NAME.log, says what it does, every few
# seconds that it is still at it, and how long it took. Returns the command's status and explains nothing.
step()
{
	local text=$1 log=$LOGS/$2.log start pid status=0 beat=0 last
	shift 2
	mkdir -p "$LOGS"
	start=$(now_ms)
	say "  $text"
	# The command runs in a process group of its own, so that Ctrl-C ends all of it and leaves no half-made files to be written to.
	pid=
	trap 'end_group "$pid"; exit 130' INT TERM HUP
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	while kill -0 $pid 2>/dev/null; do
		sleep 0.1
		beat=$((beat + 1))
		if ((beat % 50 == 0)); then
			last=$(tail -c 200 "$log" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | cut -c 1-70)
			say "    $(seconds_since "$start")${last:+: $last}"
		fi
	done
	wait $pid || status=$?
	trap - INT TERM HUP
	((status)) || say "    done in $(seconds_since "$start")"
	return $status
}

# explain LOG WHAT: the end after a step that failed
explain()
{
	! grep -q 'No space left' "$1" || die "$2 failed: the disk is full; free some space and run it again"
	tail -n 5 "$1" >&2
	die "$2 failed; all of its messages are in $1"
}

# need_space MEGABYTES WHAT
need_space()
{
	local free
	mkdir -p "$BUILD" 2>/dev/null || die "cannot create $BUILD: check its owner and permissions"
	free=$(($(df -Pk "$BUILD" | awk 'NR == 2 { print $4 }') / 1024))
	((free >= $1)) || die "$2 needs about $1 MB in $BUILD, where only $free MB are free:" \
		"free some space, or make build a link to a directory on another disk"
}

# tree_digest DIR...: names, sizes and times of all files, as one line. Sees whatever a user or a full disk breaks,
# without reading gigabytes at every start.
tree_digest()
{
	find "$@" \( -type f -o -type l \) -printf '%p %s %T@\n' 2>/dev/null | sort | sha256sum | cut -d ' ' -f 1
}

# stamp_write NAME TREE...: remembers that step NAME made these trees. stamp_valid NAME TREE... asks.
stamp_write()
{
	local name=$1
	shift
	mkdir -p "$CACHE"
	{ tree_digest "$@"; cat; } >"$CACHE/$name.stamp.new"
	mv "$CACHE/$name.stamp.new" "$CACHE/$name.stamp"
}

stamp_valid()
{
	local stamp=$CACHE/$1.stamp
	shift
	[ -s "$stamp" ] && [ "$(head -n 1 "$stamp")" = "$(tree_digest "$@")" ]
}

# announce_repair NAME: called when step NAME has to run; says so if it had been done before.
announce_repair()
{
	[ ! -e "$CACHE/$1.stamp" ] || say "  the $1 files in build/ are damaged or incomplete: making them again"
	rm -f "$CACHE/$1.stamp"
}

# lock_build NAME WHAT: until the script ends, no other one in this tree does WHAT
lock_build()
{
	mkdir -p "$CACHE" 2>/dev/null || die "cannot create $CACHE: check the owner and permissions of $TOP"
	exec 9>"$CACHE/$1.lock"
	flock -n 9 || { say "  waiting for another $2 in this tree"; flock 9; }
}
