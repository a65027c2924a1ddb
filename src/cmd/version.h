/* What `assay --version` says: version and what was built in. */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

int version_print(void); /* exit code */

#endif
