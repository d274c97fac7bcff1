/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/socket.h>
#include <unistd.h>

#include "net/deadlines.h"
#include "suites.h"
#include "unit.h"

enum { PLACES = 16, KEPT = 2, PEERS_MAX = 64 };

/* A port and its connections, each a pair of sockets. */
struct port {
	struct deadlines deadlines;
	atomic_ulong missed, evicted;
	struct deadline places[PEERS_MAX];
	int clients[PEERS_MAX];
	unsigned count;
};

static void port_init(struct port *port, bool at_once)
{
	struct deadlines_config config = {.seconds = 600,
					  .places = PLACES,
					  .at_once = at_once,
					  .missed = &port->missed,
					  .evicted = &port->evicted};
	struct error err;

	*port = (struct port){0};
	CU_ASSERT(deadlines_init(&port->deadlines, &config, &err) == 0);
}

static void port_release(struct port *port)
{
	for (unsigned i = 0; i < port->count; i++) {
		const int fd = port->places[i].fd;

		deadline_leave(&port->deadlines, &port->places[i]);
		close(fd);
		close(port->clients[i]);
	}
	deadlines_release(&port->deadlines);
}

/* Opens a connection and takes it to the state. Returns its number. */
static unsigned connect_as(struct port *port, enum deadline_state state)
{
	const unsigned i = port->count++;
	struct deadline *place = &port->places[i];
	int fds[2] = {-1, -1};

	CU_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	port->clients[i] = fds[1];
	deadline_enter(&port->deadlines, place, fds[0]);
	if (state != DEADLINE_NEW)
		deadline_handshake(&port->deadlines, place);
	if (state != DEADLINE_NEW && state != DEADLINE_HANDSHAKING)
		deadline_stop(&port->deadlines, place, DEADLINE_UNASKED);
	if (state == DEADLINE_RUNNING || state == DEADLINE_IDLE)
		deadline_start(&port->deadlines, place);
	if (state == DEADLINE_IDLE)
		deadline_stop(&port->deadlines, place, DEADLINE_IDLE);
	return i;
}

static void connect_many(struct port *port, enum deadline_state state, unsigned count)
{
	while (count-- > 0)
		connect_as(port, state);
}

static bool is_open(const struct port *port, unsigned i)
{
	char byte;

	return recv(port->clients[i], &byte, 1, MSG_DONTWAIT) < 0;
}

static unsigned count_open(const struct port *port, unsigned from)
{
	unsigned open = 0;

	for (unsigned i = from; i < port->count; i++)
		open += is_open(port, i);
	return open;
}

static void a_crowd_that_stops_never_evicts_a_few_that_got_further(void)
{
	static const enum deadline_state steps[] = {DEADLINE_NEW, DEADLINE_HANDSHAKING, DEADLINE_UNASKED,
						    DEADLINE_IDLE};

	for (size_t few = 1; few < ARRAY_LEN(steps); few++) {
		for (size_t crowd = 0; crowd < few; crowd++) {
			struct port port;

			port_init(&port, false);
			connect_many(&port, steps[few], KEPT);
			usleep(2000); /* ages are counted in milliseconds */
			connect_many(&port, steps[crowd], 40);
			CU_ASSERT(is_open(&port, 0) && is_open(&port, 1));
			CU_ASSERT(atomic_load(&port.evicted) == 42 - (PLACES - KEPT));
			CU_ASSERT(count_open(&port, 0) == PLACES - KEPT);
			port_release(&port);
		}
	}
}

static void the_oldest_of_a_crowd_goes_first(void)
{
	struct port port;

	port_init(&port, false);
	connect_many(&port, DEADLINE_NEW, PLACES - KEPT + 1);
	CU_ASSERT(!is_open(&port, 0) && count_open(&port, 1) == PLACES - KEPT);
	port_release(&port);
}

static void the_older_of_two_crowds_goes_first(void)
{
	struct port port;

	port_init(&port, false);
	connect_many(&port, DEADLINE_UNASKED, 5);
	usleep(2000);
	connect_many(&port, DEADLINE_NEW, PLACES - KEPT - 5 + 3);
	CU_ASSERT(!is_open(&port, 0) && !is_open(&port, 1) && !is_open(&port, 2));
	CU_ASSERT(count_open(&port, 3) == PLACES - KEPT);
	port_release(&port);
}

static void idle_connections_go_after_those_that_never_asked(void)
{
	struct port port;

	port_init(&port, false);
	connect_many(&port, DEADLINE_IDLE, PLACES - KEPT - 1);
	connect_as(&port, DEADLINE_UNASKED);
	connect_as(&port, DEADLINE_NEW);
	CU_ASSERT(!is_open(&port, PLACES - KEPT - 1) && atomic_load(&port.evicted) == 1);
	connect_as(&port, DEADLINE_NEW);
	CU_ASSERT(!is_open(&port, 0) && is_open(&port, 1) && atomic_load(&port.evicted) == 2);
	port_release(&port);
}

static void those_at_work_stay(void)
{
	struct port port;

	port_init(&port, false);
	connect_many(&port, DEADLINE_RUNNING, PLACES);
	CU_ASSERT(count_open(&port, 0) == PLACES && atomic_load(&port.evicted) == 0);
	port_release(&port);
}

static void if_requests_take_no_time_the_oldest_at_work_goes(void)
{
	struct port port;

	port_init(&port, true);
	connect_many(&port, DEADLINE_RUNNING, PLACES - KEPT + 1);
	CU_ASSERT(!is_open(&port, 0) && count_open(&port, 1) == PLACES - KEPT);
	port_release(&port);
}

/* Otherwise each step of a handshake would give a client its time again. */
static void a_handshake_is_as_old_as_its_connection(void)
{
	struct port port;
	unsigned first, second;

	port_init(&port, false);
	first = connect_as(&port, DEADLINE_NEW);
	usleep(2000);
	second = connect_as(&port, DEADLINE_HANDSHAKING);
	deadline_handshake(&port.deadlines, &port.places[first]);
	CU_ASSERT(port.deadlines.lists[DEADLINE_HANDSHAKING].oldest == &port.places[first]);
	CU_ASSERT(port.deadlines.lists[DEADLINE_HANDSHAKING].newest == &port.places[second]);
	CU_ASSERT(port.places[first].since < port.places[second].since);
	port_release(&port);
}

static void nothing_is_waited_for_when_no_time_runs(void)
{
	struct port port;

	port_init(&port, false);
	CU_ASSERT(deadlines_wait_for_none(&port.deadlines));
	connect_as(&port, DEADLINE_IDLE);
	connect_as(&port, DEADLINE_UNASKED);
	CU_ASSERT(deadlines_wait_for_none(&port.deadlines));
	port_release(&port);
}

int add_deadlines_suite(void)
{
	static const struct unit_test tests[] = {
		{"a crowd that stops never evicts a few that got further",
		 a_crowd_that_stops_never_evicts_a_few_that_got_further},
		{"the oldest of a crowd goes first", the_oldest_of_a_crowd_goes_first},
		{"the older of two crowds goes first", the_older_of_two_crowds_goes_first},
		{"idle connections go after those that never asked", idle_connections_go_after_those_that_never_asked},
		{"those at work stay", those_at_work_stay},
		{"if requests take no time the oldest at work goes", if_requests_take_no_time_the_oldest_at_work_goes},
		{"a handshake is as old as its connection", a_handshake_is_as_old_as_its_connection},
		{"nothing is waited for when no time runs", nothing_is_waited_for_when_no_time_runs},
		{0},
	};

	return add_suite("deadlines", tests);
}
