/* unpack MANIFEST DIRECTORY: for the golden tests of the command line. */
#include <stdio.h>

#include "unpack.h"

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: unpack MANIFEST DIRECTORY\n");
		return 2;
	}
	return unpack_into(argv[1], argv[2]) < 0;
}
