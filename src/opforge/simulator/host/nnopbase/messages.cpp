#include "messages.h"

#include "op_build/names.h"
#include "sim_launch.h"

namespace nnopbase {

void Report(const char* code, const std::string& text) {
    sim_set_error_message((std::string(code) + ": " + text).c_str());
}

aclnnStatus Fail(aclnnStatus status, const char* code, const std::string& text) {
    Report(code, text + " (" + std::to_string(status) + ")");
    return status;
}

std::string TypeText(ge::DataType type) { return op_build::TypeName(type); }

std::string FormatText(ge::Format format) { return op_build::FormatName(format); }

std::string ShapeText(const std::vector<int64_t>& dims) {
    std::string text = "[";
    for (const int64_t dim : dims) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(dim);
    }
    return text + "]";
}

}  // namespace nnopbase
