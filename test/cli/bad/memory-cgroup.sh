#!/bin/sh
# At most 512 MiB for the control group: working sets follow the limit, and nobody is killed for want of memory.
. "$(dirname "$0")/lib.sh"

need_root
group=
for base in /sys/fs/cgroup/memory /sys/fs/cgroup /sys/fs/cgroup/unified; do
	mkdir "$base/assay-test-$$" 2>/dev/null || continue
	group=$base/assay-test-$$
	if [ -e "$group/memory.limit_in_bytes" ] && echo 512M >"$group/memory.limit_in_bytes" 2>/dev/null; then
		break
	elif [ -e "$group/memory.max" ] && echo 512M >"$group/memory.max" 2>/dev/null; then
		break
	fi
	rmdir "$group"
	group=
done
[ -n "$group" ] || skip 'neither memory.limit_in_bytes nor memory.max can be written here'
undo="rmdir $group"
attempt sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$assay" run mem.bw --rounds 1 --budget 20s --quiet --book "$book"
expect_code 0 4
load_latest
grep -q 'mem.bw:copy/size=\(128m\|96m\|64m\)' "$work/shown" || fail 'the working set does not follow the limit'
grep -q 'last-level cache' "$work/shown" || fail 'a cut working set is not told'
expect_nothing_left

exit 0
