// The older compile-and-execute interface, by CANN's names. The simulator has no built-in operators, so execution is
// refused with a message that names the operator.
#ifndef OPFORGE_ACL_OP_COMPILER_H
#define OPFORGE_ACL_OP_COMPILER_H

#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum aclCompileType { ACL_COMPILE_SYS, ACL_COMPILE_UNREGISTERED } aclopCompileType;
typedef enum aclCompileFlag { ACL_OP_COMPILE_DEFAULT, ACL_OP_COMPILE_FUZZ } aclOpCompileFlag;
typedef enum {
    ACL_PRECISION_MODE,
    ACL_AICORE_NUM,
    ACL_AUTO_TUNE_MODE,
    ACL_OP_SELECT_IMPL_MODE,
    ACL_OPTYPELIST_FOR_IMPLMODE,
    ACL_OP_DEBUG_LEVEL,
    ACL_DEBUG_DIR,
    ACL_OP_COMPILER_CACHE_MODE,
    ACL_OP_COMPILER_CACHE_DIR,
    ACL_OP_PERFORMANCE_MODE,
    ACL_OP_JIT_COMPILE,
    ACL_OP_DETERMINISTIC,
    ACL_CUSTOMIZE_DTYPES,
    ACL_OP_PRECISION_MODE,
    ACL_ALLOW_HF32,
    ACL_PRECISION_MODE_V2,
    ACL_OP_DEBUG_OPTION
} aclCompileOpt;

aclError aclSetCompileopt(aclCompileOpt option, const char* value);
size_t aclGetCompileoptSize(aclCompileOpt option);
aclError aclGetCompileopt(aclCompileOpt option, char* value, size_t length);
aclError aclopSetCompileFlag(aclOpCompileFlag flag);
aclError aclopCompileAndExecute(const char* opType, int inputCount, const aclTensorDesc* const inputDescs[],
                                const aclDataBuffer* const inputs[], int outputCount,
                                const aclTensorDesc* const outputDescs[], aclDataBuffer* const outputs[],
                                const aclopAttr* attr, aclopEngineType engine, aclopCompileType compile,
                                const char* opPath, aclrtStream stream);
aclError aclopCompileAndExecuteV2(const char* opType, int inputCount, aclTensorDesc* inputDescs[],
                                  aclDataBuffer* inputs[], int outputCount, aclTensorDesc* outputDescs[],
                                  aclDataBuffer* outputs[], aclopAttr* attr, aclopEngineType engine,
                                  aclopCompileType compile, const char* opPath, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
