// For those who name its folder to the compiler.
#ifndef OPFORGE_ALOG_PUB_H
#define OPFORGE_ALOG_PUB_H
#include "base/alog_pub.h"
#endif
