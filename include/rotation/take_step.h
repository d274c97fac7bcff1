#ifndef ROTATION_TAKE_STEP_H
#define ROTATION_TAKE_STEP_H

#include "base/compiler.h"
#include "base/error.h"
#include "rotation/replica.h"
#include "rotation/rotation.h"

/*
 * Takes a step by what the look has found, which any but ROTATION_SIGN uses up. Returns 1 where it was taken, 0 where another was
 * faster: look again.
 */
MUST_CHECK int take_step(enum rotation_step step, struct look *look, struct replica *replica, struct error *err);

#endif
