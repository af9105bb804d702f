// The objects an aclnn call takes: tensors, scalars, arrays, lists and the executor between the two phases.
// Pages: "aclCreateTensor" and its neighbours (aclnn common interfaces).
#ifndef OPFORGE_ACLNN_ACL_META_H
#define OPFORGE_ACLNN_ACL_META_H

#include "aclnn/aclnn_base.h"

#ifndef __cplusplus
#include <stdbool.h>
#endif

#define OPFORGE_ACL_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

// Null where a dimension is negative or the tensor's view does not fit its storage.
OPFORGE_ACL_API aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                           const int64_t* stride, int64_t offset, aclFormat format,
                                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData);
OPFORGE_ACL_API aclScalar* aclCreateScalar(void* value, aclDataType dataType);
OPFORGE_ACL_API aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
OPFORGE_ACL_API aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);
OPFORGE_ACL_API aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);
OPFORGE_ACL_API aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);
OPFORGE_ACL_API aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

OPFORGE_ACL_API aclnnStatus aclDestroyTensor(const aclTensor* tensor);
OPFORGE_ACL_API aclnnStatus aclDestroyScalar(const aclScalar* scalar);
OPFORGE_ACL_API aclnnStatus aclDestroyIntArray(const aclIntArray* array);
OPFORGE_ACL_API aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
OPFORGE_ACL_API aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);
// Lists own what they list.
OPFORGE_ACL_API aclnnStatus aclDestroyTensorList(const aclTensorList* array);
OPFORGE_ACL_API aclnnStatus aclDestroyScalarList(const aclScalarList* array);

// The dims and strides are new arrays, for the caller to delete[].
OPFORGE_ACL_API aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum);
OPFORGE_ACL_API aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                                               uint64_t* storageDimsNum);
OPFORGE_ACL_API aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum);
OPFORGE_ACL_API aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);
OPFORGE_ACL_API aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);
OPFORGE_ACL_API aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);
OPFORGE_ACL_API aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr);
OPFORGE_ACL_API aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr);
OPFORGE_ACL_API aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
OPFORGE_ACL_API aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
OPFORGE_ACL_API aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
OPFORGE_ACL_API aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size);
OPFORGE_ACL_API aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size);

// A repeatable executor survives its second phase and is destroyed by hand.
OPFORGE_ACL_API aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
OPFORGE_ACL_API aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);
// New addresses for a repeatable executor's tensors, by the argument's place among inputs or outputs.
OPFORGE_ACL_API aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                  void* addr);
OPFORGE_ACL_API aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                   void* addr);
// The same for a tensor of a list.
OPFORGE_ACL_API aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                         const size_t relativeIndex, aclTensorList* tensors,
                                                         void* addr);
OPFORGE_ACL_API aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                          const size_t relativeIndex, aclTensorList* tensors,
                                                          void* addr);

// The simulator's own, for leak tests: how many objects of a kind ("aclTensor", "aclOpExecutor") are alive in this
// process; -1 for a kind that does not exist.
OPFORGE_ACL_API int64_t opforgeSimLive(const char* kind);

#ifdef __cplusplus
}
#endif
#endif
