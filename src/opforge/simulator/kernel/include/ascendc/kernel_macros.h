// CANN's own part of kernel_operator.h, which some operators include by this name beside it.
#ifndef ASCENDC_KERNEL_MACROS_H
#define ASCENDC_KERNEL_MACROS_H

#include "kernel_operator.h"

#endif
