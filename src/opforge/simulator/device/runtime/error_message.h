// How a function of the runtime fails: it leaves a message on this thread and returns a code.
#pragma once

#include "acl/acl_base.h"

namespace sim {

// Leaves the printf-formatted message for aclGetRecentErrMsg and returns `code`.
aclError Fail(aclError code, const char* format, ...) __attribute__((format(printf, 2, 3)));

// The same with a text of any length that is ready.
aclError FailWith(aclError code, const char* text);

// The refusal of a handle (stream, event, context) that is NULL or was destroyed.
aclError FailHandle(const char* function, const char* kind, const void* handle);

}  // namespace sim
