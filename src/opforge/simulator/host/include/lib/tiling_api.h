// The name under which some op_host sources include tiling/tiling_api.h.
#ifndef OPFORGE_LIB_TILING_API_H
#define OPFORGE_LIB_TILING_API_H
#include "tiling/tiling_api.h"
#endif
