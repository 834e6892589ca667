// SPDX-License-Identifier: GPL-2.0
/* Server role: the MOUNT protocol on TCP, for the kernel's own mount client. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"

/* Where it listens, 0 for any port */
int mountd_port;

/**
 * mountd_open - listen on a free TCP port
 * @s: the server
 *
 * Return: 0, or -1.
 */
int mountd_open(struct srv *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(mountd_port) };
	int on = 1;
	socklen_t len = sizeof(at);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->mount_conn); i++)
		s->mount_conn[i] = -1;
	s->mount_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (s->mount_fd < 0 ||
	    setsockopt(s->mount_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(s->mount_fd, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(s->mount_fd, 4) ||
	    getsockname(s->mount_fd, (struct sockaddr *)&at, &len))
		return -1;
	s->mount_port = ntohs(at.sin_port);
	return 0;
}

/**
 * mountd_serve - answer the calls waiting on a connection
 * @s: the server
 * @fd: the connection
 *
 * A call is so short that it arrives in one piece.
 *
 * Return: false at the end of the connection.
 */
static bool mountd_serve(struct srv *s, int fd)
{
	u8 call[4096], mark[4];
	ssize_t n = recv(fd, call, sizeof(call), MSG_DONTWAIT);

	if (n == 0)
		return false;
	if (n < 4)
		return true;
	nap_short();
	if (nfs3_call(&s->rep, call + 4, n - 4))
		return false;
	memcpy(mark, &(u32){ htonl(0x80000000 | s->rep.b.len) }, 4);
	return write(fd, mark, 4) == 4 &&
	       write(fd, s->rep.b.p, s->rep.b.len) == (ssize_t)s->rep.b.len;
}

/**
 * mountd_poll - take what has happened on the TCP side
 * @s: the server
 */
void mountd_poll(struct srv *s)
{
	int fd = accept4(s->mount_fd, NULL, NULL, SOCK_NONBLOCK);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->mount_conn); i++) {
		int *c = &s->mount_conn[i];

		if (*c < 0 && fd >= 0) {
			*c = fd;
			fd = -1;
		}
		if (*c >= 0 && !mountd_serve(s, *c)) {
			close(*c);
			*c = -1;
		}
	}
	if (fd >= 0)
		close(fd);
}

/**
 * mountd_close - stop serving MOUNT
 * @s: the server
 */
void mountd_close(struct srv *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->mount_conn); i++)
		if (s->mount_conn[i] >= 0)
			close(s->mount_conn[i]);
	if (s->mount_fd >= 0)
		close(s->mount_fd);
}
