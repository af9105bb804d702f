// CANN's own part of kernel_operator.h for ascend910b, which some operators include by this name beside it.
#ifndef OPFORGE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H
#define OPFORGE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H

#include "kernel_operator.h"

#endif
