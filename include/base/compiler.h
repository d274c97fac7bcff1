/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

/*
 * What gcc and clang offer beyond C11, under names that say what it is for.
 */

/* The caller has to use the result. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Arguments are checked against a printf format; both numbers count from 1. */
#define PRINTF_LIKE(string_index, first_index) __attribute__((format(printf, string_index, first_index)))

/* Runs fn(&variable) when the variable goes out of scope. The destructor must accept empty and half-built objects. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* Hands a pointer over: yields it and sets the variable to NULL, so that CLEANUP has nothing to free. */
#define STEAL(pointer)                                   \
	__extension__({                                  \
		__typeof__(pointer) stolen_ = (pointer); \
		(pointer) = NULL;                        \
		stolen_;                                 \
	})

/*
 * Is not zeroed at its declaration: for large buffers on a hot path that are written before they are read. All other
 * variables start as zeros, by a compiler flag that the Makefile sets.
 */
#if defined(__clang__) || __GNUC__ >= 12
#define UNINITIALIZED __attribute__((uninitialized))
#else
#define UNINITIALIZED
#endif

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#endif
