// For those who name its folder to the compiler.
#ifndef OPFORGE_DLOG_PUB_H
#define OPFORGE_DLOG_PUB_H
#include "base/dlog_pub.h"
#endif
