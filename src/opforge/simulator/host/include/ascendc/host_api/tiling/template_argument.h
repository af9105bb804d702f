// ASCENDC_TPL_*: template parameters of a kernel, the combinations it is compiled for, and the tiling key of each.
// Pages: Utils-API/Tiling模板编程: "模板参数定义", "GET_TPL_TILING_KEY", "ASCENDC_TPL_SEL_PARAM".
//
// One header for both sides. In a kernel (asc_opc defines ASCENDC_TPL_KERNEL) the macros leave their arguments in the
// preprocessed text as a string, which asc_opc reads; on the host they are the tables behind GET_TPL_TILING_KEY.
#ifndef OPFORGE_ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H
#define OPFORGE_ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H

#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_AICORE 8
#define ASCENDC_TPL_VECTORCORE 9
#define ASCENDC_TPL_MIX_AICORE 10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11
#define ASCENDC_TPL_MAX 12

// Bits that a parameter takes in the key.
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_DTYPE 0
#define ASCENDC_TPL_FORMAT 1
#define ASCENDC_TPL_UINT 2
#define ASCENDC_TPL_BOOL 3

// "The data type (or format) of input x": only combinations that have it are compiled.
#define ASCENDC_TPL_INPUT_BIAS 100000000
#define ASCENDC_TPL_OUTPUT_BIAS 900000000
#define ASCENDC_TPL_INPUT(x) (ASCENDC_TPL_INPUT_BIAS + (x))
#define ASCENDC_TPL_OUTPUT(x) (ASCENDC_TPL_OUTPUT_BIAS + (x))

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#ifdef ASCENDC_TPL_KERNEL

#define ASCENDC_TPL_DTYPE_DECL(x, ...) sim_tpl(DTYPE, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) sim_tpl(DATATYPE, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) sim_tpl(FORMAT, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, ...) sim_tpl(UINT, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) sim_tpl(BOOL, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) sim_tpl(SHARED_KERNEL_TYPE, sim_##x, __VA_ARGS__)

#define ASCENDC_TPL_DTYPE_SEL(x, ...) sim_tpl(DTYPE, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) sim_tpl(DATATYPE, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) sim_tpl(FORMAT, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) sim_tpl(UINT, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) sim_tpl(BOOL, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) sim_tpl(SHARED_KERNEL_TYPE, sim_##x, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) sim_tpl(KERNEL_TYPE, sim_, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) sim_tpl(DETERMINISTIC, sim_, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) sim_tpl(TILING_STRUCT, sim_, 0)
#define ASCENDC_TPL_ARGS_SEL(...) sim_tpl(ARGS, __VA_ARGS__)

#define OPFORGE_TPL_TEXT(...) #__VA_ARGS__
#define OPFORGE_TPL_NOTE(name, ...) static_assert(sizeof(OPFORGE_TPL_TEXT(__VA_ARGS__)) != 0, name)
#define ASCENDC_TPL_ARGS_DECL(op_type, ...) OPFORGE_TPL_NOTE("ASCENDC_TPL_ARGS_DECL", __VA_ARGS__)
#define ASCENDC_TPL_SEL(...) OPFORGE_TPL_NOTE("ASCENDC_TPL_SEL", __VA_ARGS__)

#else

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include "graph/types.h"

#define ASCENDC_TPL_KERNEL_TYPE 4
#define ASCENDC_TPL_DETERMINISTIC 5
#define ASCENDC_TPL_SHARED_KERNEL_TYPE 6

constexpr uint64_t INVALID_TILING_KEY = 0xFFFFFFFFFFFFFFFF;

// One declared or selected parameter; of a UINT the values are written out one by one.
struct ParamStruct {
    const char* name;
    uint32_t paramType;
    uint8_t bitWidth;
    std::vector<uint64_t> vals;
    const char* macroType;
    ParamStruct(const char* param_name, uint32_t type, uint8_t bits, const std::vector<uint64_t>& values,
                const char* macro)
        : name(param_name), paramType(type), bitWidth(bits), vals(values), macroType(macro) {
        if (paramType == ASCENDC_TPL_UINT) {
            WriteOut(values);
        }
    }

private:
    void WriteOut(const std::vector<uint64_t>& values) {
        vals.clear();
        const uint64_t mode = values.empty() ? ASCENDC_TPL_UI_LIST : values[0];
        size_t next = 1;
        if (mode != ASCENDC_TPL_UI_LIST && values.size() > 1) {
            next = 2;
            for (uint64_t range = 0; range < values[1] && next + 1 < values.size(); ++range, next += 2) {
                for (uint64_t value = values[next]; value <= values[next + 1]; ++value) {
                    vals.push_back(value);
                }
            }
        }
        if (mode != ASCENDC_TPL_UI_RANGE) {
            for (; next < values.size(); ++next) {
                vals.push_back(values[next]);
            }
        }
    }
};
typedef std::vector<ParamStruct> TilingDeclareParams;
typedef std::vector<std::vector<ParamStruct>> TilingSelectParams;

#define OPFORGE_TPL_PARAM(x, kind, bits, macro, ...) \
    ParamStruct { #x, kind, bits, {__VA_ARGS__}, macro }
#define ASCENDC_TPL_DTYPE_DECL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_DTYPE, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_DTYPE, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_FORMAT, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_UINT, bits, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_BOOL, 1, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
    OPFORGE_TPL_PARAM(x, ASCENDC_TPL_SHARED_KERNEL_TYPE, 8, "DECL", __VA_ARGS__)

#define ASCENDC_TPL_DTYPE_SEL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_DTYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_DTYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_FORMAT, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_UINT, 0, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) OPFORGE_TPL_PARAM(x, ASCENDC_TPL_BOOL, 1, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
    OPFORGE_TPL_PARAM(x, ASCENDC_TPL_SHARED_KERNEL_TYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) OPFORGE_TPL_PARAM(, ASCENDC_TPL_KERNEL_TYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) OPFORGE_TPL_PARAM(, ASCENDC_TPL_DETERMINISTIC, 1, "SEL", __VA_ARGS__)
// Says nothing about the key.
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) OPFORGE_TPL_PARAM(, ASCENDC_TPL_KERNEL_TYPE, 0, "SEL", 0)

#define ASCENDC_TPL_ARGS_DECL(op_type, ...) \
    static const TilingDeclareParams g_tilingDeclareParams { __VA_ARGS__ }
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...) \
    static const TilingSelectParams g_tilingSelectParams { __VA_ARGS__ }

namespace AscendC {

// Whether the parameters that take part in the key have the given values in this combination.
inline bool Selects(const TilingDeclareParams& declared, const std::vector<ParamStruct>& selected,
                    const std::vector<uint64_t>& values) {
    for (size_t i = 0; i < declared.size(); ++i) {
        bool found = false;
        for (const ParamStruct& param : selected) {
            bool named = param.paramType == declared[i].paramType;
            for (size_t c = 0; named && (c == 0 || declared[i].name[c - 1] != '\0'); ++c) {
                named = param.name[c] == declared[i].name[c];
            }
            for (size_t v = 0; named && v < param.vals.size(); ++v) {
                found = found || param.vals[v] == values[i];
            }
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// Each parameter in its bits, the first one lowest; of a UINT its place among the declared values.
inline uint64_t EncodeTilingKey(const TilingDeclareParams& declared, const TilingSelectParams& selected,
                                const std::vector<uint64_t>& values) {
    if (values.size() != declared.size()) {
        fprintf(stderr, "[ERROR] GET_TPL_TILING_KEY has %zu values, ASCENDC_TPL_ARGS_DECL %zu parameters\n",
                values.size(), declared.size());
        return INVALID_TILING_KEY;
    }
    bool chosen = false;
    for (const std::vector<ParamStruct>& combination : selected) {
        chosen = chosen || Selects(declared, combination, values);
    }
    uint64_t key = 0;
    unsigned bits = 0;
    for (size_t i = 0; chosen && i < declared.size(); ++i) {
        uint64_t code = values[i];
        if (declared[i].paramType == ASCENDC_TPL_UINT) {
            code = 0;
            while (code < declared[i].vals.size() && declared[i].vals[code] != values[i]) {
                ++code;
            }
            chosen = code < declared[i].vals.size();
        }
        key |= bits < 64 ? code << bits : 0;
        bits += declared[i].bitWidth;
    }
    if (!chosen) {
        fprintf(stderr, "[ERROR] GET_TPL_TILING_KEY: no ASCENDC_TPL_ARGS_SEL has this combination:");
        for (size_t i = 0; i < values.size(); ++i) {
            fprintf(stderr, " %s=%llu", declared[i].name, static_cast<unsigned long long>(values[i]));
        }
        fprintf(stderr, "\n");
        return INVALID_TILING_KEY;
    }
    if (bits > 64) {
        fprintf(stderr, "[ERROR] GET_TPL_TILING_KEY: the parameters take %u bits, a tiling key has 64\n", bits);
        return INVALID_TILING_KEY;
    }
    return key;
}

}  // namespace AscendC

// The values may be of any integer or enumeration type, and a comma may follow the last one, as in CANN's braces.
namespace opforge_tpl {
struct Value {
    template <typename T>
    Value(T given) : number(static_cast<uint64_t>(given)) {}
    uint64_t number;
};

inline std::vector<uint64_t> Values(std::initializer_list<Value> values) {
    std::vector<uint64_t> numbers;
    for (const Value& value : values) {
        numbers.push_back(value.number);
    }
    return numbers;
}
}  // namespace opforge_tpl

#define GET_TPL_TILING_KEY(...) \
    AscendC::EncodeTilingKey(g_tilingDeclareParams, g_tilingSelectParams, opforge_tpl::Values({__VA_ARGS__}))
#define ASCENDC_TPL_SEL_PARAM(context, ...)                           \
    do {                                                              \
        const uint64_t opforge_key = GET_TPL_TILING_KEY(__VA_ARGS__); \
        (context)->SetTilingKey(opforge_key);                         \
    } while (0)

#endif
#endif
