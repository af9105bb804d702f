// By its name in newer sources: what kernel_operator.h has of it.
#ifndef ASCENDC_BASIC_API_KERNEL_BASIC_INTF_H
#define ASCENDC_BASIC_API_KERNEL_BASIC_INTF_H

#include "kernel_operator.h"

#endif
