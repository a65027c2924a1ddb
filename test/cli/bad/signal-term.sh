#!/bin/sh
# SIGTERM in mid-run.
. "$(dirname "$0")/lib.sh"

signal_in_mid_run TERM 1 130 143

exit 0
