/* Help that cannot drift: generated from the verbs' option rows and the benches' structs. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/text.h"
#include "cmd/verb.h"
#include "harness/bench.h"

void help_overview(struct text *out);                         /* `assay --help` */
void help_verb(const struct verb *verb, struct text *out);    /* `assay VERB --help` */
void help_bench(const struct bench *bench, struct text *out); /* `assay help BENCH` */

/* A page that explains a word of the output. False when there is no such topic. */
bool help_topic(const char *name, struct text *out);
const char *help_topic_name(size_t index);    /* NULL past the last */
const char *help_topic_summary(size_t index);

#endif
