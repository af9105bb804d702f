#include "values.h"

#include <sstream>

#include "names.h"
#include "scalar/convert.h"

namespace op_build {

namespace {

// The types of InitValue's ScalarVar, by their numbers.
constexpr ge::DataType kInitTypes[] = {ge::DT_UINT64, ge::DT_INT64, ge::DT_UINT32, ge::DT_INT32, ge::DT_UINT16,
                                       ge::DT_INT16,  ge::DT_UINT8, ge::DT_INT8,   ge::DT_FLOAT, ge::DT_FLOAT16};

bool HasInitType(const ops::ParamModel& param) {
    return static_cast<size_t>(param.initValue.scalar_type) < sizeof(kInitTypes) / sizeof(kInitTypes[0]);
}

}  // namespace

const char* InitTypeName(const ops::ParamModel& param) {
    return HasInitType(param) ? TypeName(kInitTypes[static_cast<size_t>(param.initValue.scalar_type)]) : nullptr;
}

InitBytes InitBytesOf(const ops::ParamModel& param) {
    InitBytes init{0, 0};
    if (!param.initValueSet) {
        return init;
    }
    if (!HasInitType(param)) {
        return InitBytes{1, 0};
    }
    const ge::DataType type = kInitTypes[static_cast<size_t>(param.initValue.scalar_type)];
    const bool isReal = type == ge::DT_FLOAT || type == ge::DT_FLOAT16;
    const bool isNatural = TypeName(type)[0] == 'u';
    scalar::Convert(&param.initValue.scalar_num,
                    isReal      ? ge::DT_FLOAT
                    : isNatural ? ge::DT_UINT64
                                : ge::DT_INT64,
                    type, &init.pattern);
    init.bytes = static_cast<uint32_t>(ge::GetSizeByDataType(type));
    return init;
}

std::string DefaultText(const ops::AttrModel& attr, char open, char close) {
    std::ostringstream text;
    text << std::boolalpha;
    const auto list = [&](const auto& values) {
        text << open;
        const char* separator = "";
        for (const auto& value : values) {
            text << separator << value;
            separator = ",";
        }
        text << close;
    };
    switch (attr.type) {
        case ops::AttrType::kBool:
            text << attr.boolValue;
            break;
        case ops::AttrType::kFloat:
            text << attr.floatValue;
            break;
        case ops::AttrType::kInt:
            text << attr.intValue;
            break;
        case ops::AttrType::kString:
            text << attr.stringValue;
            break;
        case ops::AttrType::kListBool: {
            std::vector<std::string> words;
            for (const bool value : attr.bools) {
                words.push_back(value ? "true" : "false");
            }
            list(words);
            break;
        }
        case ops::AttrType::kListFloat:
            list(attr.floats);
            break;
        case ops::AttrType::kListInt:
            list(attr.ints);
            break;
        case ops::AttrType::kListListInt:
        case ops::AttrType::kNone:
            break;
    }
    return text.str();
}

}  // namespace op_build
