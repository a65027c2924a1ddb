/* One run at a time: two would measure each other. */
#ifndef CMD_LOCK_H
#define CMD_LOCK_H

#include <stdbool.h>

/* True when no other assay is measuring on this machine (as far as this network namespace can tell). The claim lasts
 * until the process ends, however it ends; it leaves no file. */
bool lock_claim(void);

#endif
