/* A recorded machine as the root of everything that is read, for one test. */
#ifndef RECORDED_H
#define RECORDED_H

extern const char recorded_manifests[];

void recorded_begin(const char *name); /* fails the test when the manifest cannot be unpacked */
void recorded_end(void);

/* Names of all manifests, NULL-terminated. */
extern const char *const recorded_names[];

#endif
