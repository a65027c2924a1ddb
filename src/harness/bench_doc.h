/* The comment at the head of every bench's file, for `assay help BENCH`; made by bench/docs.awk while building. */
#ifndef HARNESS_BENCH_DOC_H
#define HARNESS_BENCH_DOC_H

struct bench_doc {
	const char *name; /* of the bench */
	/* A paragraph a line, empty lines between; lines that begin with two blanks are rows of a table: name, two blanks
	 * or more, words. */
	const char *text;
};

/* Ended by a row without a name. */
extern const struct bench_doc bench_docs[];

#endif
