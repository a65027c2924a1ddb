/* Help that cannot drift: generated from the verbs' option rows and the benches' structs. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/text.h"
#include "cmd/verb.h"
#include "harness/bench.h"
#include "report/style.h"

void help_overview(struct text *out);                         /* `assay --help` */
void help_verb(const struct verb *verb, struct text *out);    /* `assay VERB --help` */
void help_bench(const struct bench *bench, struct text *out); /* `assay help BENCH` */

/* The benches of a folder ("mem"), as `assay help mem` lists them. False when there is none. */
bool help_folder(const char *name, struct text *out);

/* Help has one width everywhere, so that it can be compared with the man pages. */
struct show_style help_style(void);

/* A page whose lines are paragraphs; those that begin with two blanks are rows, whose words hang under themselves. */
void help_add_page(struct text *out, const struct show_style *style, const char *page);

/* A page that explains a word of the output. False when there is no such topic. */
bool help_topic(const char *name, struct text *out);
const char *help_topic_name(size_t index);    /* NULL past the last */
const char *help_topic_summary(size_t index);

#endif
