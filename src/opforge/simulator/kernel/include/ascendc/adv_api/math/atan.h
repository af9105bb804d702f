// A part of kernel_operator.h, which operators include by this name beside it.
#ifndef ASCENDC_ADV_API_MATH_ATAN_H
#define ASCENDC_ADV_API_MATH_ATAN_H

#include "kernel_operator.h"

#endif
