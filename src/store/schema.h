/* Is this file a book, and of which version; and making a new one. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/sql.h"

enum {
	BOOK_APPLICATION_ID = 0x41534159, /* "ASAY", at offset 68 of the file */
	BOOK_SCHEMA_VERSION = 1,
};

/* 0 for a book and for an empty database (*ret_empty tells which); -EMEDIUMTYPE, -EPROTONOSUPPORT, -EUCLEAN. */
int schema_check(struct book *book, bool *ret_empty, struct err *err);

/* Makes the tables unless somebody else just did. */
int schema_create(struct book *book, struct err *err);

#endif
