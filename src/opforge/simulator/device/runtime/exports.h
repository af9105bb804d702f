// What every file of the runtime that exports a C function includes.
#pragma once

#include "acl/acl_rt.h"

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))

// These declare functions without a visibility of their own.
#pragma GCC visibility push(default)
#include "sim_capture.h"
#include "sim_launch.h"
#pragma GCC visibility pop
