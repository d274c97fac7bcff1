/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_PROCESS_H
#define NET_PROCESS_H

#include "base/buf.h"

/*
 * Adds what every Prometheus client reports about its process, under the usual names: process_cpu_seconds_total,
 * memory, descriptors and the start time. What /proc does not have is left out. Thread-safe.
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
void process_render(struct buf *page);

#endif
