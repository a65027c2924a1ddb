/* What standard output can show: asked from the terminal, the locale and the environment. */
#ifndef CMD_STYLE_H
#define CMD_STYLE_H

#include "report/style.h"

/* Width: $COLUMNS, else the terminal's, else 80. Colours only on a terminal that is not "dumb", and never when NO_COLOR
 * is set to anything (https://no-color.org). The program as it was called. The rest of *style is left false. */
void cmd_style(struct show_style *style);

#endif
