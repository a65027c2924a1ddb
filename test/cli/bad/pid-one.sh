#!/bin/sh
# As process 1 of a PID namespace, as in a container: the same figures, and every child is waited for.
. "$(dirname "$0")/lib.sh"

need_root
need_command unshare
unshare -pf --mount-proc true 2>/dev/null || skip 'no PID namespace may be made here'
attempt unshare -pf --mount-proc "$assay" $short --book "$book"
expect_code 0 4
expect_measured 6
attempt unshare -pf --mount-proc "$assay" run ipc.pipe --rounds 6 --budget 3s --quiet --book "$book"
expect_code 0 4
expect_measured 6
expect_nothing_left

exit 0
