// ops::OpDef and its parts: the declaration of an op in op_host. Pages: "OpDef", "OpParamDef", "OpAttrDef",
// "OpAICoreDef", "OpAICoreConfig", "OP_ADD" (Utils-API, op prototype registration).
//
// Exported functions take plain pointers and counts; the std:: forms that op_host uses are inline on top of them.
// So one libregister serves op_host code built with either string ABI of libstdc++, as C++11 or later.
#ifndef OPFORGE_REGISTER_OP_DEF_H
#define OPFORGE_REGISTER_OP_DEF_H

#include <cstdint>
#include <vector>

#include "graph/operator.h"
#include "register/op_impl_registry.h"

namespace optiling {
typedef ge::graphStatus (*OP_CHECK_FUNC)(const ge::Operator& op, ge::AscendString& result);
typedef ge::graphStatus (*PARAM_GENERALIZE_FUNC)(const ge::Operator& op, const ge::AscendString& generalize_config,
                                                 ge::AscendString& generalized_op_params);
}  // namespace optiling

#define OPFORGE_HOST_API __attribute__((visibility("default")))

namespace ops {

struct OpModel;
struct ParamModel;
struct AttrModel;
struct ConfigModel;

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection : uint32_t {
    CATEGORY = 0,
    BRIEF = 1,
    CONSTRAINTS = 2,
    RESTRICTIONS = 3,
    SEE = 4,
    THIRDPARTYFWKCOMPAT = 5,
    SECTION_MAX
};

enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = 0xFFFFFFFFu
};

// A typed number; kept as the widest type of its kind.
union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t value) : value_u64(value) {}
    explicit ScalarNum(int64_t value) : value_i64(value) {}
    explicit ScalarNum(float value) : value_u64(0) { value_f32 = value; }
};

struct ScalarVar {
    ScalarType scalar_type;
    ScalarNum scalar_num;
    ScalarVar() : scalar_type(ScalarType::INVALID_DTYPE) {}
    ScalarVar(ScalarType type, uint64_t number) : scalar_type(type), scalar_num(Typed(type, number)) {}
    ScalarVar(ScalarType type, int64_t number) : scalar_type(type), scalar_num(Typed(type, number)) {}
    ScalarVar(ScalarType type, int number) : scalar_type(type), scalar_num(Typed(type, int64_t(number))) {}
    ScalarVar(ScalarType type, unsigned number) : scalar_type(type), scalar_num(Typed(type, uint64_t(number))) {}
    ScalarVar(ScalarType type, float number) : scalar_type(type), scalar_num(Typed(type, number)) {}
    ScalarVar(ScalarType type, double number) : scalar_type(type), scalar_num(Typed(type, number)) {}
    bool operator==(const ScalarVar& other) const {
        return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
    }

private:
    template <typename T>
    static ScalarNum Typed(ScalarType type, T number) {
        switch (type) {
            case ScalarType::FLOAT32:
            case ScalarType::FLOAT16:
                return ScalarNum(static_cast<float>(number));
            case ScalarType::UINT64:
            case ScalarType::UINT32:
            case ScalarType::UINT16:
            case ScalarType::UINT8:
                return ScalarNum(static_cast<uint64_t>(number));
            default:
                return ScalarNum(static_cast<int64_t>(number));
        }
    }
};

class OPFORGE_HOST_API OpParamDef {
public:
    OpParamDef& ParamType(Option param_type);
    // Column i of all tensors is one supported combination.
    OpParamDef& DataType(const std::vector<ge::DataType>& types) { return SetTypes(types.data(), types.size(), false); }
    // Combines freely with the other tensors.
    OpParamDef& DataTypeList(const std::vector<ge::DataType>& types) {
        return SetTypes(types.data(), types.size(), true);
    }
    OpParamDef& Format(const std::vector<ge::Format>& formats) {
        return SetFormats(formats.data(), formats.size(), false);
    }
    OpParamDef& FormatList(const std::vector<ge::Format>& formats) {
        return SetFormats(formats.data(), formats.size(), true);
    }
    OpParamDef& UnknownShapeFormat(const std::vector<ge::Format>& formats) {
        return SetUnknownShapeFormats(formats.data(), formats.size());
    }
    OpParamDef& ValueDepend(Option value_depend) { return ValueDepend(value_depend, DependScope::ALL); }
    OpParamDef& ValueDepend(Option value_depend, DependScope scope);
    OpParamDef& IgnoreContiguous();
    OpParamDef& AutoContiguous();
    OpParamDef& Scalar();
    OpParamDef& ScalarList();
    OpParamDef& To(ge::DataType type);
    OpParamDef& To(const char* name);
    OpParamDef& Version(uint32_t version);
    // What an output holds before the kernel, once tiling calls SetNeedAtomic(true). The plain form takes 0 only.
    OpParamDef& InitValue(uint64_t value);
    OpParamDef& InitValue(const ScalarVar& value);
    OpParamDef& OutputShapeDependOnCompute();
    OpParamDef& Follow(const char* param_name) { return Follow(param_name, FollowType::ALL); }
    OpParamDef& Follow(const char* param_name, FollowType type);
    OpParamDef& Comment(const char* comment);

private:
    friend struct ParamModel;
    explicit OpParamDef(ParamModel* model) : model_(model) {}
    OpParamDef& SetTypes(const ge::DataType* types, size_t count, bool list);
    OpParamDef& SetFormats(const ge::Format* formats, size_t count, bool list);
    OpParamDef& SetUnknownShapeFormats(const ge::Format* formats, size_t count);
    ParamModel* model_;
};

class OPFORGE_HOST_API OpAttrDef {
public:
    OpAttrDef& AttrType(Option attr_type);
    OpAttrDef& Bool();
    OpAttrDef& Bool(bool value);
    OpAttrDef& Float();
    OpAttrDef& Float(float value);
    OpAttrDef& Int();
    OpAttrDef& Int(int64_t value);
    OpAttrDef& String();
    OpAttrDef& String(const char* value);
    OpAttrDef& ListBool();
    OpAttrDef& ListBool(const std::vector<bool>& value) {
        ListBool();
        for (size_t i = 0; i < value.size(); ++i) {
            AppendBool(value[i]);
        }
        return *this;
    }
    OpAttrDef& ListFloat();
    OpAttrDef& ListFloat(const std::vector<float>& value) { return SetListFloat(value.data(), value.size()); }
    OpAttrDef& ListListInt();
    OpAttrDef& ListListInt(const std::vector<std::vector<int64_t>>&) { return ListListInt(); }
    OpAttrDef& ListInt();
    OpAttrDef& ListInt(const std::vector<int64_t>& value) { return SetListInt(value.data(), value.size()); }
    OpAttrDef& Version(uint32_t version);
    OpAttrDef& Comment(const char* comment);

private:
    friend struct AttrModel;
    explicit OpAttrDef(AttrModel* model) : model_(model) {}
    OpAttrDef& SetListFloat(const float* values, size_t count);
    OpAttrDef& SetListInt(const int64_t* values, size_t count);
    void AppendBool(bool value);
    AttrModel* model_;
};

class OPFORGE_HOST_API OpAICoreConfig {
public:
    OpAICoreConfig();
    OpAICoreConfig(const char* soc);
    OpAICoreConfig(const OpAICoreConfig& other);
    OpAICoreConfig& operator=(const OpAICoreConfig& other);
    ~OpAICoreConfig();
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
    OpAICoreConfig& DynamicFormatFlag(bool flag);
    OpAICoreConfig& DynamicRankSupportFlag(bool flag);
    OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
    OpAICoreConfig& NeedCheckSupportFlag(bool flag);
    OpAICoreConfig& PrecisionReduceFlag(bool flag);
    OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

private:
    friend class OpAICoreDef;
    ConfigModel* model_;
};

class OPFORGE_HOST_API OpAICoreDef {
public:
    OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
    // Called by graph mode only; kept so that real sources compile.
    OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSupportInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetOpSpecInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef& SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC) { return *this; }
    OpAICoreDef& LaunchWithZeroEleOutputTensors(bool launch);
    OpAICoreDef& AddConfig(const char* soc);
    OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

private:
    friend struct OpModel;
    explicit OpAICoreDef(OpModel* model) : model_(model) {}
    OpModel* model_;
};

class OPFORGE_HOST_API OpDef {
public:
    explicit OpDef(const char* type);
    OpDef(const OpDef& other);
    OpDef& operator=(const OpDef& other);
    ~OpDef();
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAttrDef& Attr(const char* name);
    OpDef& Comment(CommentSection section, const char* comment);
    OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
    OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
    OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
    OpAICoreDef& AICore();
    OpDef& FormatMatchMode(FormatCheckOption option);
    OpDef& EnableFallBack();
    template <typename T = void>
    OpDef& AICPU() {
        static_assert(sizeof(T*) == 0, "OpDef::AICPU: the simulator runs AI Core operators only");
        return *this;
    }
    template <typename T = void>
    OpDef& HostCPU() {
        static_assert(sizeof(T*) == 0, "OpDef::HostCPU: the simulator runs AI Core operators only");
        return *this;
    }
    template <typename T = void>
    OpDef& MC2() {
        static_assert(sizeof(T*) == 0, "OpDef::MC2: the simulator has no communication operators");
        return *this;
    }

private:
    friend class OpAdder;
    OpModel* model_;
};

// What OP_ADD registers beside the definition: the functions, in the libraries that the runtime loads for them.
enum OpAddParts { OP_ADD_DEFINITION = 0, OP_ADD_TILING = 1, OP_ADD_PROTO = 2 };

class OPFORGE_HOST_API OpAdder {
public:
    OpAdder(const OpDef& definition, unsigned parts);
    ~OpAdder();

private:
    OpAdder(const OpAdder&);
    OpAdder& operator=(const OpAdder&);
};

}  // namespace ops

#ifdef OP_TILING_LIB
#define OPFORGE_OP_ADD_TILING ::ops::OP_ADD_TILING
#else
#define OPFORGE_OP_ADD_TILING 0u
#endif
#ifdef OP_PROTO_LIB
#define OPFORGE_OP_ADD_PROTO ::ops::OP_ADD_PROTO
#else
#define OPFORGE_OP_ADD_PROTO 0u
#endif

// CANN ignores the second argument, a type of compile info that need not exist.
#define OP_ADD(op_type, ...)                                                    \
    static const ::ops::OpAdder __attribute__((unused)) g_##op_type##_op_adder( \
        op_type(#op_type), static_cast<unsigned>(OPFORGE_OP_ADD_TILING) | OPFORGE_OP_ADD_PROTO)

#endif
