#include "cmd/style.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse.h"

enum { WIDEST = 10000 };

static unsigned terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t count = 0;

	if (columns && !parse_count(columns, &count, NULL) && count > 0 && count <= WIDEST)
		return (unsigned)count;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void cmd_style(struct show_style *style)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	*style = (struct show_style){
		.width = terminal_width(),
		.color = isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb"),
		.program = program_invocation_name,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
}
