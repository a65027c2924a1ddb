/* The directory for the files of a run: below $TMPDIR or /tmp, gone when the run is. */
#ifndef CMD_SCRATCH_H
#define CMD_SCRATCH_H

/* Makes it and removes what killed runs of the same user left behind. NULL where nothing can be written. */
char *scratch_make(void);
void scratch_remove(char *path); /* with all in it; frees; NULL is fine */

#endif
