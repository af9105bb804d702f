// Descriptors of the older single-operator interface, by CANN's names. torch_npu links them; the simulated runtime
// keeps what they describe so that a refused call can name its tensors.
#ifndef OPFORGE_ACL_OP_H
#define OPFORGE_ACL_OP_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclopAttr aclopAttr;
typedef enum aclEngineType { ACL_ENGINE_SYS, ACL_ENGINE_AICORE, ACL_ENGINE_VECTOR } aclopEngineType;

aclTensorDesc* aclCreateTensorDesc(aclDataType type, int dimCount, const int64_t* dims, aclFormat format);
void aclDestroyTensorDesc(const aclTensorDesc* desc);
aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dim);
void aclSetTensorDescName(aclTensorDesc* desc, const char* name);
aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
aclError aclSetTensorShape(aclTensorDesc* desc, int dimCount, const int64_t* dims);
aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType type);

aclopAttr* aclopCreateAttr(void);
void aclopDestroyAttr(const aclopAttr* attr);
aclError aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t value);
aclError aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t value);
aclError aclopSetAttrFloat(aclopAttr* attr, const char* name, float value);
aclError aclopSetAttrString(aclopAttr* attr, const char* name, const char* value);
aclError aclopSetAttrDataType(aclopAttr* attr, const char* name, aclDataType value);
aclError aclopSetAttrListBool(aclopAttr* attr, const char* name, int count, const uint8_t* values);
aclError aclopSetAttrListInt(aclopAttr* attr, const char* name, int count, const int64_t* values);
aclError aclopSetAttrListFloat(aclopAttr* attr, const char* name, int count, const float* values);
aclError aclopSetAttrListListInt(aclopAttr* attr, const char* name, int count, const int* lengths,
                                 const int64_t* const* values);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
