#include "error_message.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "exports.h"

namespace {

struct Message {
    std::string pending;  // what aclGetRecentErrMsg returns next
    std::string shown;    // what it returned last: the caller may still read it
    aclError last_code = ACL_SUCCESS;
};

// Leaked on purpose: torch_npu asks for messages from threads that outlive this library's static objects.
Message& message() {
    thread_local Message* instance = new Message;
    return *instance;
}

}  // namespace

namespace sim {

aclError fail(aclError code, const char* format, ...) {
    char buffer[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return fail_with(code, buffer);
}

aclError fail_with(aclError code, const char* text) {
    message().pending = text;
    message().last_code = code;
    return code;
}

aclError fail_handle(const char* function, const char* kind, const void* handle) {
    return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no live %s of this process", function, handle, kind);
}

}  // namespace sim

SIM_EXPORT void sim_set_error_message(const char* text) { message().pending = text == nullptr ? "" : text; }

// As CANN's: reading takes the message away, so that the next failure does not show an old one.
SIM_EXPORT const char* aclGetRecentErrMsg(void) {
    message().shown.swap(message().pending);
    message().pending.clear();
    return message().shown.c_str();
}

SIM_EXPORT aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return message().last_code; }

SIM_EXPORT aclError aclrtGetLastError(aclrtLastErrLevel) {
    const aclError code = message().last_code;
    message().last_code = ACL_SUCCESS;
    return code;
}
