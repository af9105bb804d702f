// A part of kernel_operator.h, which operators include by this name beside it.
#ifndef ASCENDC_LIB_MATH_KERNEL_OPERATOR_TAN_INTF_H
#define ASCENDC_LIB_MATH_KERNEL_OPERATOR_TAN_INTF_H

#include "kernel_operator.h"

#endif
