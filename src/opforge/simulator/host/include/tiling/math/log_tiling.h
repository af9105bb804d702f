// The tiling functions of Log, Log2 and Log10.
#ifndef OPFORGE_TILING_MATH_LOG_TILING_H
#define OPFORGE_TILING_MATH_LOG_TILING_H

#include "lib/adv_tiling_api.h"

#endif
