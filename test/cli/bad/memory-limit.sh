#!/bin/sh
# At most 512 MiB of address space: what fits is measured, the working sets follow the limit or say why not.
. "$(dirname "$0")/lib.sh"

attempt sh -c 'ulimit -v 524288 && exec "$@"' sh "$assay" $short --book "$book"
expect_code 0 4
expect_measured 6
attempt sh -c 'ulimit -v 524288 && exec "$@"' sh "$assay" run mem.latency --rounds 1 --budget 20s --quiet --book "$book"
expect_figures_or_reason
expect_nothing_left

exit 0
