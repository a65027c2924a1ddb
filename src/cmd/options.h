/* Command line → config struct, by a verb's option rows. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/verb.h"

/* Fills config. *ret_first: index of the first argument behind the options (options may also follow arguments, which
 * are then moved behind them, as getopt_long(3) does). *ret_help: --help was given. -EINVAL with a sentence. */
int options_parse(const struct verb *verb, int argc, char **argv, void *config, int *ret_first, bool *ret_help,
		  struct err *err);

enum { OPTION_RANGE = 64 };

/* "1 … 1000", "100 ms … 24 h": of a row whose `high` is not 0. out is returned. */
char *option_range(char out[OPTION_RANGE], const struct option_row *row);

#endif
