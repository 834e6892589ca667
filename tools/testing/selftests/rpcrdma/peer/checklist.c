// SPDX-License-Identifier: GPL-2.0
/*
 * The ids of the conformance checklist: ../conformance/ids.tsv says what each of
 * them is, sections.tsv which sections it stands on. Both are in the program.
 */
#include <stdbool.h>
#include <string.h>

#include "checklist.h"

asm(".section .rodata\n"
    ".global checklist_ids, checklist_ids_end\n"
    ".global checklist_sections, checklist_sections_end\n"
    "checklist_ids: .incbin \"" CHECKLIST "/ids.tsv\"\n"
    "checklist_ids_end: .byte 0\n"
    "checklist_sections: .incbin \"" CHECKLIST "/sections.tsv\"\n"
    "checklist_sections_end: .byte 0\n"
    ".previous\n");

/**
 * next_line - go to the next line
 * @p: a line
 *
 * Return: the one behind it, or the end.
 */
static const char *next_line(const char *p)
{
	p += strcspn(p, "\n");
	return *p ? p + 1 : p;
}

/**
 * find - find the line of an id
 * @text: where to look
 * @id: the id
 * @title: gets the last line before it that begins with "= ", or NULL
 *
 * Return: what stands behind the id, or NULL.
 */
static const char *find(const char *text, const char *id, const char **title)
{
	size_t n = strlen(id);

	for (; *text; text = next_line(text)) {
		if (title && !strncmp(text, "= ", 2))
			*title = text + 2;
		if (!strncmp(text, id, n) && text[n] == '\t')
			return text + n + 1;
	}
	return NULL;
}

/**
 * aside - say what a name is that is no requirement
 * @out: where to
 * @id: the name
 *
 * Return: 0, or -1 if it is none that the checklist knows of.
 */
static int aside(FILE *out, const char *id)
{
	if (!strncmp(id, "A-", 2))
		fprintf(out, "%s: a decision, where the texts conflict or are silent", id);
	else if (!strncmp(id, "C.7-", 4))
		fprintf(out, "%s: that state of a connection or of a request", id);
	else if (*id == 'E' && id[1] >= '1' && id[1] <= '9')
		fprintf(out, "%s: one of the examples", id);
	else
		return -1;
	return 0;
}

/**
 * checklist_say - say what an id is, and what it stands on
 * @out: where to
 * @id: the id
 *
 * Return: 0, or -1 if it is unknown.
 */
int checklist_say(FILE *out, const char *id)
{
	const char *title = "", *what = find(checklist_ids, id, &title);
	const char *on = find(checklist_sections, id, NULL);

	if (!what)
		return aside(out, id);
	fprintf(out, "%s: %.*s (%.*s", id, (int)strcspn(what, "\t"), what,
		(int)strcspn(title, "\n"), title);
	if (on)
		fprintf(out, "; %.*s", (int)strcspn(on, "\n"), on);
	fputc(')', out);
	return 0;
}

/**
 * checklist_texts - say what the abbreviations of texts stand for
 * @out: where to
 */
void checklist_texts(FILE *out)
{
	const char *p;

	for (p = checklist_sections; *p; p = next_line(p))
		if (!strncmp(p, "= ", 2))
			fprintf(out, "  %.*s\n", (int)strcspn(p + 2, "\n"), p + 2);
}
