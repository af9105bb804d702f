// By its name in newer sources: what kernel_operator.h has of it.
#ifndef ASCENDC_UTILS_DEBUG_ASC_DUMP_H
#define ASCENDC_UTILS_DEBUG_ASC_DUMP_H

#include "kernel_operator.h"

#endif
