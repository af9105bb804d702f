// Tensor descriptions, data buffers and attributes of the older single-operator interface.
#include <string>
#include <vector>

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "capture.h"
#include "error_message.h"
#include "exports.h"
#include "format_cast.h"

// A tensor as a program sees it, and as it lies in memory: the same until aclSetTensorFormat and aclSetTensorShape.
struct aclTensorDesc {
    aclDataType type;
    std::vector<int64_t> dims;
    aclFormat format;
    std::vector<int64_t> storageDims;
    aclFormat storageFormat;
    std::string name;
    aclMemType placement = ACL_MEMTYPE_DEVICE;
};

struct aclDataBuffer {
    void* data;
    size_t size;
};

// The names of the attributes that were set; their values have no reader, as the operator that runs has none.
struct aclopAttr {
    std::vector<std::string> names;
};

namespace {

aclError Remember(aclopAttr* attr, const char* name) {
    if (attr == nullptr || name == nullptr) {
        return sim::Fail(ACL_ERROR_INVALID_PARAM, "aclopSetAttr: no attribute object or no name");
    }
    attr->names.emplace_back(name);
    return ACL_SUCCESS;
}

// The one built-in operator that torch_npu needs of this interface: npu_format_cast asks for it as Identity.
aclError Execute(const char* opType, int inputs, const aclTensorDesc* const inputDescs[],
                 const aclDataBuffer* const inputData[], int outputs, const aclTensorDesc* const outputDescs[],
                 const aclDataBuffer* const outputData[], aclrtStream stream) {
    const std::string name = opType == nullptr ? "" : opType;
    if ((name == "Identity" || name == "TransData") && inputs == 1 && outputs == 1) {
        const aclTensorDesc &from = *inputDescs[0], &to = *outputDescs[0];
        const aclDataBuffer &source = *inputData[0], &target = *outputData[0];
        if (from.storageFormat == to.storageFormat) {
            return aclrtMemcpyAsync(target.data, target.size, source.data, source.size, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                    stream);
        }
        const auto cast = [from, to, source, target] {
            return sim::CastFormat({from.dims, from.storageDims, from.storageFormat, source.data, source.size},
                                   {to.dims, to.storageDims, to.storageFormat, target.data, target.size},
                                   aclDataTypeSize(from.type));
        };
        return sim::Captures(stream) ? sim::Record(stream, name, cast) : cast();
    }
    return sim::Fail(
        ACL_ERROR_OP_NOT_FOUND,
        "the simulated toolkit has no built-in operator '%s'; custom operators and the ATen operators that "
        "PyTorch has on the CPU work on its device",
        name.c_str());
}

}  // namespace

SIM_EXPORT size_t aclDataTypeSize(aclDataType type) {
    switch (type) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0:
            return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
            return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32:
            return 4;
        case ACL_DOUBLE:
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_COMPLEX64:
            return 8;
        case ACL_COMPLEX128:
            return 16;
        default:
            return 0;
    }
}

SIM_EXPORT aclTensorDesc* aclCreateTensorDesc(aclDataType type, int dimCount, const int64_t* dims, aclFormat format) {
    if (dimCount < 0 || (dimCount > 0 && dims == nullptr)) {
        sim::Fail(ACL_ERROR_INVALID_PARAM, "aclCreateTensorDesc: %d dimensions without values", dimCount);
        return nullptr;
    }
    const std::vector<int64_t> sizes(dims, dims + dimCount);
    return new aclTensorDesc{type, sizes, format, sizes, format, "", ACL_MEMTYPE_DEVICE};
}
SIM_EXPORT void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }
SIM_EXPORT aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    return desc == nullptr ? ACL_FORMAT_UNDEFINED : desc->format;
}
SIM_EXPORT aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
    return desc == nullptr ? ACL_DT_UNDEFINED : desc->type;
}
SIM_EXPORT size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc == nullptr ? 0 : desc->dims.size(); }
SIM_EXPORT aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dim) {
    if (desc == nullptr || index >= desc->dims.size()) {
        return sim::Fail(ACL_ERROR_INVALID_PARAM, "aclGetTensorDescDimV2: there is no dimension %zu", index);
    }
    *dim = desc->dims[index];
    return ACL_SUCCESS;
}
SIM_EXPORT void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    desc->name = name == nullptr ? "" : name;
}
SIM_EXPORT aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
    desc->storageFormat = format;
    return ACL_SUCCESS;
}
SIM_EXPORT aclError aclSetTensorShape(aclTensorDesc* desc, int dimCount, const int64_t* dims) {
    desc->storageDims.assign(dims, dims + dimCount);
    return ACL_SUCCESS;
}
SIM_EXPORT aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType type) {
    desc->placement = type;
    return ACL_SUCCESS;
}

SIM_EXPORT aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return new aclDataBuffer{data, size}; }
SIM_EXPORT aclError aclDestroyDataBuffer(const aclDataBuffer* buffer) {
    delete buffer;
    return ACL_SUCCESS;
}
SIM_EXPORT void* aclGetDataBufferAddr(const aclDataBuffer* buffer) {
    return buffer == nullptr ? nullptr : buffer->data;
}
SIM_EXPORT size_t aclGetDataBufferSizeV2(const aclDataBuffer* buffer) { return buffer == nullptr ? 0 : buffer->size; }

SIM_EXPORT aclopAttr* aclopCreateAttr(void) { return new aclopAttr; }
SIM_EXPORT void aclopDestroyAttr(const aclopAttr* attr) { delete attr; }
SIM_EXPORT aclError aclopSetAttrBool(aclopAttr* a, const char* name, uint8_t) { return Remember(a, name); }
SIM_EXPORT aclError aclopSetAttrInt(aclopAttr* a, const char* name, int64_t) { return Remember(a, name); }
SIM_EXPORT aclError aclopSetAttrFloat(aclopAttr* a, const char* name, float) { return Remember(a, name); }
SIM_EXPORT aclError aclopSetAttrString(aclopAttr* a, const char* name, const char*) { return Remember(a, name); }
SIM_EXPORT aclError aclopSetAttrDataType(aclopAttr* a, const char* name, aclDataType) { return Remember(a, name); }
SIM_EXPORT aclError aclopSetAttrListBool(aclopAttr* a, const char* name, int, const uint8_t*) {
    return Remember(a, name);
}
SIM_EXPORT aclError aclopSetAttrListInt(aclopAttr* a, const char* name, int, const int64_t*) {
    return Remember(a, name);
}
SIM_EXPORT aclError aclopSetAttrListFloat(aclopAttr* a, const char* name, int, const float*) {
    return Remember(a, name);
}
SIM_EXPORT aclError aclopSetAttrListListInt(aclopAttr* a, const char* name, int, const int*, const int64_t* const*) {
    return Remember(a, name);
}

// Compile options steer the compiler of built-in operators, which does not exist here.
SIM_EXPORT aclError aclSetCompileopt(aclCompileOpt, const char*) { return ACL_SUCCESS; }
SIM_EXPORT size_t aclGetCompileoptSize(aclCompileOpt) { return 1; }
SIM_EXPORT aclError aclGetCompileopt(aclCompileOpt, char* value, size_t length) {
    if (value != nullptr && length > 0) {
        value[0] = '\0';
    }
    return ACL_SUCCESS;
}
SIM_EXPORT aclError aclopSetCompileFlag(aclOpCompileFlag) { return ACL_SUCCESS; }

SIM_EXPORT aclError aclopCompileAndExecute(const char* opType, int inputs, const aclTensorDesc* const inputDescs[],
                                           const aclDataBuffer* const inputData[], int outputs,
                                           const aclTensorDesc* const outputDescs[], aclDataBuffer* const outputData[],
                                           const aclopAttr*, aclopEngineType, aclopCompileType, const char*,
                                           aclrtStream stream) {
    return Execute(opType, inputs, inputDescs, inputData, outputs, outputDescs, outputData, stream);
}
SIM_EXPORT aclError aclopCompileAndExecuteV2(const char* opType, int inputs, aclTensorDesc* inputDescs[],
                                             aclDataBuffer* inputData[], int outputs, aclTensorDesc* outputDescs[],
                                             aclDataBuffer* outputData[], aclopAttr*, aclopEngineType, aclopCompileType,
                                             const char*, aclrtStream stream) {
    return Execute(opType, inputs, inputDescs, inputData, outputs, outputDescs, outputData, stream);
}

// Dumps are written by the device's software; nothing here writes any, and asking for none is fine.
SIM_EXPORT aclError aclmdlInitDump(void) { return ACL_SUCCESS; }
SIM_EXPORT aclError aclmdlSetDump(const char*) { return ACL_SUCCESS; }
SIM_EXPORT aclError aclmdlFinalizeDump(void) { return ACL_SUCCESS; }
