#include "error_message.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "exports.h"

namespace {

struct Message {
    std::string pending;  // what aclGetRecentErrMsg returns next
    std::string shown;    // what it returned last: the caller may still read it
    aclError lastCode = ACL_SUCCESS;
};

// Leaked on purpose: torch_npu asks for messages from threads that outlive this library's static objects.
Message& CurrentMessage() {
    thread_local Message* instance = new Message;
    return *instance;
}

}  // namespace

namespace sim {

aclError Fail(aclError code, const char* format, ...) {
    char buffer[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return FailWith(code, buffer);
}

aclError FailWith(aclError code, const char* text) {
    CurrentMessage().pending = text;
    CurrentMessage().lastCode = code;
    return code;
}

aclError FailHandle(const char* function, const char* kind, const void* handle) {
    return Fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is not a live %s of this process", function, handle, kind);
}

}  // namespace sim

SIM_EXPORT void sim_set_error_message(const char* text) { CurrentMessage().pending = text == nullptr ? "" : text; }

// As CANN's: reading takes the message away, so that the next failure does not show an old one.
SIM_EXPORT const char* aclGetRecentErrMsg(void) {
    CurrentMessage().shown.swap(CurrentMessage().pending);
    CurrentMessage().pending.clear();
    return CurrentMessage().shown.c_str();
}

SIM_EXPORT aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return CurrentMessage().lastCode; }

SIM_EXPORT aclError aclrtGetLastError(aclrtLastErrLevel) {
    const aclError code = CurrentMessage().lastCode;
    CurrentMessage().lastCode = ACL_SUCCESS;
    return code;
}
