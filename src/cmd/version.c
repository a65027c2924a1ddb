#include "cmd/version.h"

#include <hwloc.h>
#include <jansson.h>
#include <sqlite3.h>
#include <zlib.h>

#include "base/text.h"
#include "cmd/verb.h"

int version_print(void)
{
	auto_text struct text out = { 0 };

	text_add(&out, "assay %s\n", ASSAY_VERSION);
	text_add(&out, "built with %s; hwloc %s, SQLite %s, jansson %s, zlib %s, RPC %s\n", __VERSION__, HWLOC_VERSION,
		 sqlite3_libversion(), JANSSON_VERSION, zlibVersion(), ASSAY_HAVE_RPC ? "yes (libtirpc)" : "no");
	return verb_print(text_get(&out));
}
