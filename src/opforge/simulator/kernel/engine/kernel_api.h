// The kernel API's own header of engine entry points, reached from inside the library.
#ifndef OPFORGE_SIM_KERNEL_API_H
#define OPFORGE_SIM_KERNEL_API_H

#include "kernel_type.h"

#endif
