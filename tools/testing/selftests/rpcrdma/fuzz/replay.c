// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the inputs that are named on the command line, each with the target whose name
 * its folder has: all targets in one program, whose coverage is measured.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Longer ones are not kept */
#define MAX_INPUT	65536

#define TARGET(name)	int fuzz_##name(const uint8_t *data, size_t size);
#include "targets.h"
#undef TARGET

/**
 * struct target - a target
 * @name: its name
 * @run: runs an input
 */
struct target {
	const char	*name;
	int		(*run)(const uint8_t *data, size_t size);
};

static const struct target targets[] = {
#define TARGET(name)	{ #name, fuzz_##name },
#include "targets.h"
};

/**
 * find - find the target that an input is for
 * @path: path of the input: .../NAME/INPUT
 *
 * Return: the target, or NULL
 */
static const struct target *find(const char *path)
{
	const char *end = strrchr(path, '/'), *begin = end;
	size_t i, len;

	while (begin && begin > path && begin[-1] != '/')
		begin--;
	for (i = 0; begin && i < ARRAY_SIZE(targets); i++) {
		len = strlen(targets[i].name);
		if (len == (size_t)(end - begin) && !strncmp(begin, targets[i].name, len))
			return &targets[i];
	}
	return NULL;
}

/**
 * replay - run an input
 * @path: its path
 */
static void replay(const char *path)
{
	const struct target *target = find(path);
	FILE *f = fopen(path, "rb");
	u8 *data = malloc(MAX_INPUT);
	size_t size;

	if (!target || !f || !data) {
		fprintf(stderr, "%s: no input of a target\n", path);
		exit(1);
	}
	size = fread(data, 1, MAX_INPUT, f);
	fclose(f);
	/* said beforehand, for what ends the process */
	printf("%s\n", path);
	fflush(stdout);
	target->run(data, size);
	free(data);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
