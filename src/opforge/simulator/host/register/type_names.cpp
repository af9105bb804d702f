// The names ge::TypeUtils gives.
#include <map>
#include <string>

#include "graph/utils/type_utils.h"
#include "op_build/names.h"

const char* sim_type_name(int32_t type) {
    // DT_ and the ini spelling in capitals, but for those that differ.
    static const std::map<int32_t, std::string>* names = [] {
        auto* made = new std::map<int32_t, std::string>;
        for (int32_t value = 0; value < ge::DT_MAX; ++value) {
            const std::string spelled = op_build::TypeName(static_cast<ge::DataType>(value));
            if (spelled != "unknow") {
                (*made)[value] = "DT_" + op_build::UpperCase(spelled);
            }
        }
        (*made)[ge::DT_FLOAT] = "DT_FLOAT";
        (*made)[ge::DT_BF16] = "DT_BF16";
        (*made)[ge::DT_UNDEFINED] = "DT_UNDEFINED";
        return made;
    }();
    const auto found = names->find(type);
    return found == names->end() ? "UNDEFINED" : found->second.c_str();
}

const char* sim_format_name(int32_t format) {
    const std::string name = op_build::FormatName(static_cast<ge::Format>(format));
    return name == "unknow" ? "UNDEFINED" : op_build::FormatName(static_cast<ge::Format>(format));
}
