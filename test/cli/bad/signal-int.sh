#!/bin/sh
# Ctrl-C in mid-run.
. "$(dirname "$0")/lib.sh"

signal_in_mid_run INT 130

exit 0
