// How the runtime says what went wrong: a message for aclGetRecentErrMsg, and the code.
#ifndef OPFORGE_NNOPBASE_MESSAGES_H
#define OPFORGE_NNOPBASE_MESSAGES_H

#include <string>
#include <vector>

#include "codes.h"
#include "graph/types.h"

namespace nnopbase {

// Leaves "code: text" for aclGetRecentErrMsg. Codes are CANN's: EZ1001 parameter, EZ1013 configuration, EZ9999 inner.
void Report(const char* code, const std::string& text);
// The same, with the status to return.
aclnnStatus Fail(aclnnStatus status, const char* code, const std::string& text);

std::string TypeText(ge::DataType type);                  // "float16": also how binary lists spell it
std::string FormatText(ge::Format format);                // "ND"
std::string ShapeText(const std::vector<int64_t>& dims);  // "[2, 3]"

}  // namespace nnopbase
#endif
