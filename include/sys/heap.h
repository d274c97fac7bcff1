#ifndef SYS_HEAP_H
#define SYS_HEAP_H

#include <stddef.h>

/*
 * Keeps the C library from holding on to freed memory: between blocks in use it would stay with the process, beside all
 * that the budget lets requests take anew.
 */

/* To be called once, before other threads run. */
void heap_init(void);

/* Gives back what was only needed to start. */
void heap_started(void);

/*
 * Tells that bytes were freed. Now and then gives what is free back to the system, a matter of a millisecond.
 * Thread-safe.
 */
void heap_freed(size_t bytes);

#endif
