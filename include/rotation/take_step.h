/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_TAKE_STEP_H
#define ROTATION_TAKE_STEP_H

#include "base/compiler.h"
#include "base/error.h"
#include "rotation/replica.h"
#include "rotation/rotation.h"

/*
 * Takes a step, based on what the look has found; after any step but ROTATION_SIGN the look is out of date. Returns 1
 * if the step was taken, 0 if another replica was faster (look again), or -1. Internal to src/rotation, and used only
 * by the thread of certificates.h.
 */
MUST_CHECK int take_step(enum rotation_step step, struct look *look, struct replica *replica, struct error *err);

#endif
