// A part of kernel_operator.h, which operators include by this name beside it.
#ifndef ASCENDC_KERNEL_CUBE_INTF_H
#define ASCENDC_KERNEL_CUBE_INTF_H

#include "kernel_operator.h"

#endif
