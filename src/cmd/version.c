#include "cmd/version.h"

#include <hwloc.h>
#include <jansson.h>
#include <sqlite3.h>
#include <zlib.h>

#include "base/text.h"
#include "cmd/verb.h"

/* clang's version begins with its name, gcc's does not have it. */
#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

int version_print(void)
{
	auto_text struct text out = { 0 };

	text_add(&out, "assay %s\n", ASSAY_VERSION);
	text_add(&out, "built with %s%s; hwloc %s, SQLite %s, jansson %s, zlib %s, RPC %s\n", COMPILER, __VERSION__,
		 HWLOC_VERSION, sqlite3_libversion(), JANSSON_VERSION, zlibVersion(), ASSAY_HAVE_RPC ? "yes (libtirpc)" : "no");
	return verb_print(text_get(&out));
}
