// ge::TypeUtils: names of dtypes and formats, for messages.
#ifndef OPFORGE_GRAPH_UTILS_TYPE_UTILS_H
#define OPFORGE_GRAPH_UTILS_TYPE_UTILS_H

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

extern "C" {
// "DT_FLOAT16"; "UNDEFINED" for what has no name.
__attribute__((visibility("default"))) const char* sim_type_name(int32_t type);
}

namespace ge {

class TypeUtils {
public:
    static std::string DataTypeToSerialString(DataType type) { return sim_type_name(type); }
    static std::string FormatToSerialString(Format format) { return sim_format_name(format); }
    // False where an element has no whole number of bytes.
    static bool GetDataTypeLength(DataType type, uint32_t& length) {
        const int size = GetSizeByDataType(type);
        const bool whole = size > 0 && size < kDataTypeSizeBitOffset;
        if (whole) {
            length = static_cast<uint32_t>(size);
        }
        return whole;
    }
    static AscendString DataTypeToAscendString(const DataType& type) { return AscendString(sim_type_name(type)); }
    static AscendString FormatToAscendString(const Format& format) { return AscendString(sim_format_name(format)); }
};

}  // namespace ge
#endif
