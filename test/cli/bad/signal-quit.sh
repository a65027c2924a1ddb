#!/bin/sh
# Ctrl-\ in mid-run is an end like the others: what was measured is kept, nothing is left behind.
. "$(dirname "$0")/lib.sh"

signal_in_mid_run QUIT 131

exit 0
