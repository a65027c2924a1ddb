#!/bin/sh
# A CPU quota of a tenth: figures that say so, or a reason; never a hang.
. "$(dirname "$0")/lib.sh"

need_root
group=
for base in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup /sys/fs/cgroup/unified; do
	mkdir "$base/assay-test-$$" 2>/dev/null || continue
	group=$base/assay-test-$$
	if [ -e "$group/cpu.cfs_quota_us" ] && echo 10000 >"$group/cpu.cfs_quota_us" 2>/dev/null; then
		break
	elif [ -e "$group/cpu.max" ] && echo '10000 100000' >"$group/cpu.max" 2>/dev/null; then
		break
	fi
	rmdir "$group"
	group=
done
[ -n "$group" ] || skip 'neither cpu.cfs_quota_us nor cpu.max can be written here'
undo="rmdir $group"
attempt sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$assay" $short --book "$book"
expect_figures_or_reason
if [ $code != 1 ]; then
	grep -qi 'throttl\|quota' "$work/shown" || fail 'nothing in the record speaks of the quota'
fi
expect_nothing_left

exit 0
