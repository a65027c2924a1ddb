# What the tests of bad conditions share; each sources this file. ASSAY and WARDEN name the programs.
#
# A test runs the real program under the warden (no process may stay), in directories of its own (no file may stay), and
# checks exit code, words and the book. What cannot be produced here is skipped (77) with the reason.
set -u
: "${ASSAY:?}" "${WARDEN:?}"
# Away from the build directory, which an unprivileged user may not be able to reach.
work=$(mktemp -d)
mkdir "$work/home" "$work/tmp" "$work/cwd"
chmod 755 "$work"
chmod 1777 "$work/tmp" "$work/cwd"
cp "$ASSAY" "$work/assay"
cp "${ASSAY%/*}/assay-hello" "$work/assay-hello"
cp "$WARDEN" "$work/warden"
assay=$work/assay
book=$work/home/book.db
export HOME="$work/home" TMPDIR="$work/tmp" LC_ALL=C COLUMNS=100
unset XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME ASSAY_BOOK LANG LANGUAGE
cd "$work/cwd" || exit 1
: >"$work/before"
undo=:

clean_up() {
	$undo
	cd /
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# A few processes of the scripted benches: seconds, and real workers all the same.
short='run self.known --rounds 6 --budget 2s --quiet'
# Certain not to be over before it is disturbed.
long='run --set classic --quiet'

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAILED: $*"
	for file in "$work/out" "$work/err"; do
		[ ! -s "$file" ] || { echo "--- ${file##*/}"; head -n 40 "$file"; }
	done
	exit 1
}

need_root() {
	[ "$(id -u)" = 0 ] || skip 'needs root'
}

# A mount namespace of our own, and the right to mount there.
need_mounts() {
	need_root
	need_command unshare mount
	unshare -m true 2>/dev/null || skip 'no mount namespace may be made here'
}

need_command() {
	for command in "$@"; do
		command -v "$command" >/dev/null || skip "needs the program $command"
	done
}

# attempt COMMAND…: to the end; $code, $work/out, $work/err. Nothing may be left behind, and nothing may crash.
attempt() {
	code=0
	"$work/warden" "$work/pid" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
	[ $code != 99 ] || fail "$* left a process behind"
	case $code in
	132 | 134 | 135 | 136 | 139) fail "$* crashed with code $code" ;;
	esac
}

expect_code() {
	for expected in "$@"; do
		[ "$code" != "$expected" ] || return 0
	done
	fail "exit code is $code, expected $*"
}

# One clear reason: "assay: …" or "assay VERB: …" on standard error, naming the thing.
expect_reason() {
	grep -qE "^assay[ a-z]*: .*$1" "$work/err" || fail "no line 'assay: …$1…' on standard error"
	[ "$(grep -cE '^assay[ a-z]*: ' "$work/err")" -le 3 ] || fail 'more than three lines of error for one fault'
}

# The last run of the book as JSON in $work/shown.
load_latest() {
	"$assay" show latest --json --book "$book" >"$work/shown" 2>"$work/show.err" ||
		fail "assay show latest fails: $(cat "$work/show.err")"
}

# Processes with a value in the last run of the book, 0 when there is none.
measured() {
	"$assay" show latest --json --book "$book" 2>/dev/null | tr ',' '\n' | grep -c '"outcome": *"ok"'
}

runs_kept() {
	"$assay" runs --json --book "$book" 2>/dev/null | grep -c '"id": *"'
}

expect_measured() {
	load_latest
	[ "$(measured)" -ge "$1" ] || fail "the book has $(measured) measured processes, expected $1 or more"
	grep -q '"verdict": *"\(ok\|noisy\|untrusted\)"' "$work/shown" || fail 'no point with a value in the book'
}

# Either it measured (code 0; 4 when the machine was too noisy), or it says why not and the code is not 0.
expect_figures_or_reason() {
	case $code in
	0 | 4) expect_measured 1 ;;
	1) expect_reason . ;;
	*) fail "exit code is $code, expected 0, 1 or 4" ;;
	esac
}

# Lists what may be in the working directory as arguments.
expect_nothing_left() {
	[ -z "$(ls -A "$work/tmp")" ] || fail "left in TMPDIR: $(ls -A "$work/tmp")"
	for file in $(ls -A "$work/cwd"); do
		case " $* " in
		*" $file "*) ;;
		*) fail "left in the working directory: $file" ;;
		esac
	done
	# Shared memory belongs to the whole machine: only what is new and not the fixture of a unit test counts.
	new=$(find /dev/shm -mindepth 1 -maxdepth 1 -newer "$work/before" ! -name 'assay-machine-*' 2>/dev/null)
	[ -z "$new" ] || fail "left in /dev/shm: $new"
}

# start COMMAND…: in the background; the pid of the command in $pid.
start() {
	rm -f "$work/pid"
	"$work/warden" "$work/pid" "$@" >"$work/out" 2>"$work/err" </dev/null &
	warden_pid=$!
	tries=0
	until [ -s "$work/pid" ]; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || fail "$* did not start"
		sleep 0.02
	done
	pid=$(cat "$work/pid")
}

# Until something that was measured is in the book.
wait_for_data() {
	tries=0
	until [ "$(measured)" -ge "${1:-1}" ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || fail 'nothing reached the book within a minute'
		kill -0 "$pid" 2>/dev/null || fail 'the run ended before it could be disturbed'
		sleep 0.2
	done
}

finish() {
	code=0
	wait "$warden_pid" || code=$?
	[ $code != 99 ] || fail 'a process was left behind'
}

# A signal in mid-run: what was measured stays, the run is told to be incomplete, nothing is left behind.
signal_in_mid_run() {
	# shellcheck disable=SC2086 # a list of words
	start "$assay" $long --book "$book"
	wait_for_data 3
	before=$(measured)
	kill -"$1" "$pid"
	finish
	shift
	expect_code "$@"
	expect_nothing_left
	expect_measured "$before"
	grep -q '"complete": *false' "$work/shown" || fail 'the book says that the run is complete'
	"$assay" show latest --book "$book" >"$work/out" 2>&1 || fail 'show fails'
	grep -qi 'incomplete\|not complete\|interrupted' "$work/out" || fail 'show does not say that the run is incomplete'
}
