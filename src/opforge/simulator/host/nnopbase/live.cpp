// How many of the objects that a program makes and destroys are alive.
#include <cstring>

#include "executor.h"
#include "meta.h"

namespace nnopbase {
namespace {

struct Kind {
    const char* name;
    const std::atomic<int64_t>* count;
};

const Kind kKinds[] = {
    {"aclTensor", &Live<aclTensor>::count},       {"aclTensorList", &Live<aclTensorList>::count},
    {"aclScalar", &Live<aclScalar>::count},       {"aclScalarList", &Live<aclScalarList>::count},
    {"aclIntArray", &Live<aclIntArray>::count},   {"aclFloatArray", &Live<aclFloatArray>::count},
    {"aclBoolArray", &Live<aclBoolArray>::count}, {"aclOpExecutor", &Live<aclOpExecutor>::count},
};

}  // namespace
}  // namespace nnopbase

int64_t opforgeSimLive(const char* kind) {
    for (const nnopbase::Kind& known : nnopbase::kKinds) {
        if (kind != nullptr && std::strcmp(kind, known.name) == 0) {
            return known.count->load();
        }
    }
    return -1;
}
