#!/bin/sh
# A network namespace whose loopback is down: what needs it is skipped with the reason, the rest is measured.
. "$(dirname "$0")/lib.sh"

need_root
need_command unshare
unshare -n true 2>/dev/null || skip 'no network namespace may be made here'
name=$("$assay" list --json | grep -oE '"name": *"net\.[a-z_]+' | head -n 1 | sed 's/.*"//')
[ -n "$name" ] || name=$("$assay" list --json | grep -oE '"name": *"[a-z]+\.(tcp|udp)[a-z_]*' | head -n 1 | sed 's/.*"//')
[ -n "$name" ] || skip 'this build has no bench that needs the loopback'
attempt unshare -n "$assay" run "$name" --rounds 1 --budget 5s --quiet --book "$book"
expect_code 1
load_latest
grep -q '"verdict": *"skipped"' "$work/shown" || fail "$name is not skipped"
grep -qi 'loopback\| lo ' "$work/shown" || fail 'the reason does not name the loopback'
attempt unshare -n "$assay" run "$name" self.known --rounds 6 --budget 5s --quiet --book "$book"
expect_code 0 4
expect_measured 6
expect_nothing_left

exit 0
