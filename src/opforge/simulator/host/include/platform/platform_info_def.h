// The name under which operator repositories include it.
#ifndef OPFORGE_PLATFORM_PLATFORM_INFO_DEF_H
#define OPFORGE_PLATFORM_PLATFORM_INFO_DEF_H
#include "platform/platform_infos_def.h"
#endif
