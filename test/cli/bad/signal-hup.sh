#!/bin/sh
# The terminal goes away in mid-run.
. "$(dirname "$0")/lib.sh"

signal_in_mid_run HUP 1 129 130

exit 0
