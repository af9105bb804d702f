#include "names.h"

#include <cctype>
#include <charconv>
#include <cstdio>

namespace op_build {

namespace {
bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
}  // namespace

std::string SnakeCase(const std::string& opType) {
    std::string snake;
    for (size_t i = 0; i < opType.size(); ++i) {
        const bool nextIsLower = i + 1 < opType.size() && std::islower(static_cast<unsigned char>(opType[i + 1]));
        if (i > 0 && IsUpper(opType[i]) && opType[i - 1] != '_' && (!IsUpper(opType[i - 1]) || nextIsLower)) {
            snake += '_';
        }
        snake += Lower(opType[i]);
    }
    return snake;
}

std::string LowerCamel(const std::string& name) {
    std::string camel;
    for (size_t i = 0; i < name.size(); ++i) {
        if (i == 0) {
            camel += Lower(name[i]);
        } else if (name[i] == '_') {
            ++i;
            if (i < name.size()) {
                camel += Upper(name[i]);
            }
        } else {
            camel += name[i];
        }
    }
    return camel;
}

std::string UpperCase(const std::string& name) {
    std::string upper;
    for (const char c : name) {
        upper += Upper(c);
    }
    return upper;
}

std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            quoted += escape;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string ShortestText(float value) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

const char* TypeName(ge::DataType type) {
    switch (type) {
        case ge::DT_FLOAT:
            return "float32";
        case ge::DT_FLOAT16:
            return "float16";
        case ge::DT_INT8:
            return "int8";
        case ge::DT_INT16:
            return "int16";
        case ge::DT_INT32:
            return "int32";
        case ge::DT_INT64:
            return "int64";
        case ge::DT_UINT1:
            return "uint1";
        case ge::DT_UINT8:
            return "uint8";
        case ge::DT_UINT16:
            return "uint16";
        case ge::DT_UINT32:
            return "uint32";
        case ge::DT_UINT64:
            return "uint64";
        case ge::DT_BOOL:
            return "bool";
        case ge::DT_DOUBLE:
            return "double";
        case ge::DT_DUAL:
            return "dual";
        case ge::DT_DUAL_SUB_INT8:
            return "dual_sub_int8";
        case ge::DT_DUAL_SUB_UINT8:
            return "dual_sub_uint8";
        case ge::DT_STRING:
            return "string";
        case ge::DT_COMPLEX32:
            return "complex32";
        case ge::DT_COMPLEX64:
            return "complex64";
        case ge::DT_COMPLEX128:
            return "complex128";
        case ge::DT_QINT8:
            return "qint8";
        case ge::DT_QINT16:
            return "qint16";
        case ge::DT_QINT32:
            return "qint32";
        case ge::DT_QUINT8:
            return "quint8";
        case ge::DT_QUINT16:
            return "quint16";
        case ge::DT_RESOURCE:
            return "resource";
        case ge::DT_STRING_REF:
            return "string_ref";
        case ge::DT_INT4:
            return "int4";
        case ge::DT_INT2:
            return "int2";
        case ge::DT_BF16:
            return "bfloat16";
        case ge::DT_HIFLOAT8:
            return "hifloat8";
        case ge::DT_FLOAT8_E4M3FN:
            return "float8_e4m3fn";
        case ge::DT_FLOAT8_E5M2:
            return "float8_e5m2";
        case ge::DT_FLOAT8_E8M0:
            return "float8_e8m0";
        case ge::DT_FLOAT6_E3M2:
            return "float6_e3m2";
        case ge::DT_FLOAT6_E2M3:
            return "float6_e2m3";
        case ge::DT_FLOAT4_E2M1:
            return "float4_e2m1";
        case ge::DT_FLOAT4_E1M2:
            return "float4_e1m2";
        default:
            return "unknow";
    }
}

const char* FormatName(ge::Format format) {
    static const char* const names[] = {
        "NCHW",
        "NHWC",
        "ND",
        "NC1HWC0",
        "FRACTAL_Z",
        "NC1C0HWPAD",
        "NHWC1C0",
        "FSR_NCHW",
        "FRACTAL_DECONV",
        "C1HWNC0",
        "FRACTAL_DECONV_TRANSPOSE",
        "FRACTAL_DECONV_SP_STRIDE_TRANS",
        "NC1HWC0_C04",
        "FRACTAL_Z_C04",
        "CHWN",
        "FRACTAL_DECONV_SP_STRIDE8_TRANS",
        "HWCN",
        "NC1KHKWHWC0",
        "BN_WEIGHT",
        "FILTER_HWCK",
        "HASHTABLE_LOOKUP_LOOKUPS",
        "HASHTABLE_LOOKUP_KEYS",
        "HASHTABLE_LOOKUP_VALUE",
        "HASHTABLE_LOOKUP_OUTPUT",
        "HASHTABLE_LOOKUP_HITS",
        "C1HWNCoC0",
        "MD",
        "NDHWC",
        "FRACTAL_ZZ",
        "FRACTAL_NZ",
        "NCDHW",
        "DHWCN",
        "NDC1HWC0",
        "FRACTAL_Z_3D",
        "CN",
        "NC",
        "DHWNC",
        "FRACTAL_Z_3D_TRANSPOSE",
        "FRACTAL_ZN_LSTM",
        "FRACTAL_Z_G",
        "RESERVED",
        "ALL",
        "NULL",
        "ND_RNN_BIAS",
        "FRACTAL_ZN_RNN",
        "NYUV",
        "NYUV_A",
        "NCL",
        "FRACTAL_Z_WINO",
        "C1HWC0",
        "FRACTAL_NZ_C0_16",
        "FRACTAL_NZ_C0_32",
        "FRACTAL_NZ_C0_2",
        "FRACTAL_NZ_C0_4",
        "FRACTAL_NZ_C0_8",
    };
    const size_t index = static_cast<size_t>(format);
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "unknow";
}

}  // namespace op_build
