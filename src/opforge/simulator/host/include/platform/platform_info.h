// The name under which older op_host sources include the platform table.
#ifndef OPFORGE_PLATFORM_PLATFORM_INFO_H
#define OPFORGE_PLATFORM_PLATFORM_INFO_H
#include "platform/platform_infos_def.h"
#endif
