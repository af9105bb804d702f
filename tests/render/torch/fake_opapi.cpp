// A libcust_opapi.so that computes nothing and notes everything: what the adapter passes, and what it gives back.
//
// fake_fail says what goes wrong next: 1 phase one, 2 phase two, 3 more workspace than there is, 4 a kernel that is not
// there, 5 to 7 the shape that a kernel says: too many elements, another rank, none; 8 an argument that is null,
// without a word; 9 no file of the package; 10 + n the n-th thing that is created.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct aclTensor {
    std::string text;
};
struct aclOpExecutor {
    int number;
};

namespace {
std::atomic<int> live{0};
std::atomic<int> executed{0};
int fail = 0;
int created = 0;
std::mutex lock;
std::string written;

std::string list(const int64_t* values, uint64_t count) {
    std::string text = "[";
    for (uint64_t i = 0; i < count; ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text + "]";
}

// Phase one makes an executor, phase two or aclDestroyAclOpExecutor destroys it.
aclOpExecutor* prepared() {
    ++live;
    return new aclOpExecutor{1};
}
int finished(aclOpExecutor* executor, bool right) {
    --live;
    right = right && executor->number == 1;
    delete executor;
    executed += right ? 1 : 1000;
    return 0;
}

void note(const std::string& line) {
    const std::lock_guard<std::mutex> guard(lock);
    written += line + "\n";
}
}  // namespace

EXPORT void fake_fail(int what) {
    fail = what;
    created = 0;
}
EXPORT int fake_live() { return live; }
EXPORT int fake_executed() { return executed; }
EXPORT const char* fake_log() { return written.c_str(); }

EXPORT aclTensor* aclCreateTensor(const int64_t* sizes, uint64_t rank, int dtype, const int64_t* strides,
                                  int64_t offset, int format, const int64_t* storage, uint64_t storageRank,
                                  void* data) {
    if (fail == 10 + created++) {
        return nullptr;
    }
    ++live;
    return new aclTensor{list(sizes, rank) + " dtype " + std::to_string(dtype) + " strides " + list(strides, rank) +
                         " offset " + std::to_string(offset) + " format " + std::to_string(format) + " storage " +
                         list(storage, storageRank) + (data != nullptr ? " somewhere" : " nowhere")};
}
EXPORT int aclDestroyTensor(const aclTensor* tensor) {
    --live;
    delete tensor;
    return 0;
}

// Everything else that is made: the text says what it holds. Lists own what they list.
namespace {
template <typename Object>
Object* made(const std::string& text) {
    if (fail == 10 + created++) {
        return nullptr;
    }
    ++live;
    return new Object{text};
}
template <typename Object>
int destroyed(const Object* object) {
    --live;
    delete object;
    return 0;
}
template <typename Value>
std::string array(const Value* values, uint64_t count) {
    std::string text = "{";
    for (uint64_t i = 0; i < count; ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text + "}";
}
}  // namespace
struct aclScalar {
    std::string text;
};
struct aclIntArray {
    std::string text;
};
struct aclFloatArray {
    std::string text;
};
struct aclBoolArray {
    std::string text;
};
struct aclTensorList {
    std::string text;
    std::vector<const aclTensor*> items{};
};
struct aclScalarList {
    std::string text;
    std::vector<const aclScalar*> items{};
};
EXPORT aclScalar* aclCreateScalar(void* value, int dtype) {
    uint64_t bits = 0;
    std::memcpy(&bits, value, dtype == 1 || dtype == 27 ? 2 : 4);
    char text[64];
    std::snprintf(text, sizeof(text), "%#llx of dtype %d", static_cast<unsigned long long>(bits), dtype);
    return made<aclScalar>(text);
}
EXPORT int aclDestroyScalar(const aclScalar* scalar) { return destroyed(scalar); }
EXPORT aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) {
    return values == nullptr ? nullptr : made<aclIntArray>(array(values, count));
}
EXPORT int aclDestroyIntArray(const aclIntArray* values) { return destroyed(values); }
EXPORT aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count) {
    return values == nullptr ? nullptr : made<aclFloatArray>(array(values, count));
}
EXPORT int aclDestroyFloatArray(const aclFloatArray* values) { return destroyed(values); }
EXPORT aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t count) {
    return values == nullptr ? nullptr : made<aclBoolArray>(array(values, count));
}
EXPORT int aclDestroyBoolArray(const aclBoolArray* values) { return destroyed(values); }
EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* tensors, uint64_t count) {
    auto* list = made<aclTensorList>(std::to_string(count) + " tensors");
    if (list != nullptr) {
        list->items.assign(tensors, tensors + count);
    }
    return list;
}
EXPORT int aclDestroyTensorList(const aclTensorList* list) {
    for (const aclTensor* tensor : list->items) {
        aclDestroyTensor(tensor);
    }
    return destroyed(list);
}
EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* scalars, uint64_t count) {
    auto* list = made<aclScalarList>(std::to_string(count) + " scalars");
    if (list != nullptr) {
        list->items.assign(scalars, scalars + count);
    }
    return list;
}
EXPORT int aclDestroyScalarList(const aclScalarList* list) {
    for (const aclScalar* scalar : list->items) {
        aclDestroyScalar(scalar);
    }
    return destroyed(list);
}
// Only of what is repeatable, says the documentation of aclDestroyAclOpExecutor.
EXPORT int aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    executor->number = 2;
    return 0;
}
EXPORT int aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    live -= executor->number == 2 ? 1 : 1000;
    delete executor;
    return 0;
}
// What the kernel of Found says of its output: two elements.
EXPORT int aclGetViewShape(const aclTensor*, int64_t** sizes, uint64_t* rank) {
    if (fail == 7) {
        return 161001;
    }
    *rank = fail == 6 ? 2 : 1;
    *sizes = new int64_t[2]{fail == 5 ? 9 : 2, 1};
    return 0;
}
EXPORT const char* aclGetRecentErrMsg() { return fail != 0 && fail != 8 ? "the fake was told to fail" : nullptr; }

EXPORT int aclnnGatedPairGetWorkspaceSize(const aclTensor* x, const aclTensor* gate, double alpha, int64_t beta,
                                          const aclTensor* y, const aclTensor* larger, uint64_t* bytes,
                                          aclOpExecutor** executor) {
    switch (fail) {
        case 1:
            return 161002;
        case 4:
            return 561003;
        case 8:
            return 161001;
        case 9:
            return 561107;
        default:
            break;
    }
    note("x " + x->text);
    note("gate " + gate->text);
    note("alpha " + std::to_string(alpha) + " beta " + std::to_string(beta));
    note("y " + y->text);
    note("larger " + larger->text);
    *bytes = fail == 3 ? uint64_t{1} << 50 : 1000;
    *executor = prepared();
    return 0;
}
EXPORT int aclnnGatedPair(void* workspace, uint64_t bytes, aclOpExecutor* executor, void* stream) {
    if (fail == 2) {
        finished(executor, true);
        --executed;
        return 507035;
    }
    return finished(executor, workspace != nullptr && bytes == 1000 && stream != nullptr);
}

EXPORT int aclnnLongNamesGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                                          const aclTensor*, double attribute, char* text, bool flag, const aclTensor*,
                                          uint64_t* bytes, aclOpExecutor** executor) {
    note("attribute " + std::to_string(attribute) + " text " + text + (flag ? " true" : " false"));
    *bytes = 0;
    *executor = prepared();
    return 0;
}
EXPORT int aclnnLongNames(void* workspace, uint64_t bytes, aclOpExecutor* executor, void*) {
    return finished(executor, workspace == nullptr && bytes == 0);
}

EXPORT int aclnnTwoGatesGetWorkspaceSize(const aclTensor* x, const aclTensor* wFirst, const aclTensor* rest,
                                         const aclTensor* shiftOptional, double scale, const aclTensor* y,
                                         const aclTensor* z, uint64_t* bytes, aclOpExecutor** executor) {
    note("x " + x->text);
    note("w_first " + wFirst->text);
    note("rest " + rest->text);
    note(shiftOptional != nullptr ? "shift " + shiftOptional->text : "no shift");
    note("scale " + std::to_string(scale));
    note("y " + y->text);
    note("z " + z->text);
    *bytes = 0;
    *executor = prepared();
    return 0;
}
EXPORT int aclnnTwoGates(void* workspace, uint64_t bytes, aclOpExecutor* executor, void*) {
    return finished(executor, workspace == nullptr && bytes == 0);
}

// Ops with every kind of argument.
namespace {
int ready(uint64_t* bytes, aclOpExecutor** executor) {
    if (fail == 1) {
        return 161002;
    }
    *bytes = 0;
    *executor = prepared();
    return 0;
}
}  // namespace
#define PHASE_TWO(name)                                                                \
    EXPORT int name(void* workspace, uint64_t bytes, aclOpExecutor* executor, void*) { \
        return finished(executor, workspace == nullptr && bytes == 0);                 \
    }
EXPORT int aclnnConcatGetWorkspaceSize(const aclTensorList* xs, const aclTensor* y, const aclTensor* z, uint64_t* bytes,
                                       aclOpExecutor** executor) {
    note("xs " + xs->text);
    for (const aclTensor* item : xs->items) {
        note("  " + item->text);
    }
    note("y " + y->text);
    note("z " + z->text);
    return ready(bytes, executor);
}
PHASE_TWO(aclnnConcat)
EXPORT int aclnnApartGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclTensor*, const aclTensorList*,
                                      const aclTensor*, const aclTensor*, uint64_t* bytes, aclOpExecutor** executor) {
    return ready(bytes, executor);
}
PHASE_TWO(aclnnApart)
EXPORT int aclnnListsGetWorkspaceSize(const aclTensor*, const aclTensorList* more, const aclIntArray* axes,
                                      const aclFloatArray* w, int64_t k, const aclFloatArray* f, const aclIntArray* i,
                                      const aclBoolArray* b, char* s, const aclTensor* y, const aclTensor* n,
                                      uint64_t* bytes, aclOpExecutor** executor) {
    note("more " + (more != nullptr ? more->text : "none") + " axes " + axes->text + " w " +
         (w != nullptr ? w->text : "none") + " k " + std::to_string(k) + " f " + f->text + " i " + i->text + " b " +
         b->text + " s " + s);
    note("y " + y->text);
    note("n " + n->text);
    return ready(bytes, executor);
}
PHASE_TWO(aclnnLists)
EXPORT int aclnnScaledGetWorkspaceSize(const aclTensor*, const aclScalar* alpha, const aclScalarList* betas,
                                       const aclScalar* c, const aclTensor*, uint64_t* bytes,
                                       aclOpExecutor** executor) {
    note("alpha " + alpha->text + " betas " + betas->text + " c " + (c != nullptr ? c->text : "none"));
    for (const aclScalar* item : betas->items) {
        note("  " + item->text);
    }
    return ready(bytes, executor);
}
PHASE_TWO(aclnnScaled)
EXPORT int aclnnAddIntoGetWorkspaceSize(aclTensor* xRef, const aclTensor* y, const aclTensor* s, uint64_t* bytes,
                                        aclOpExecutor** executor) {
    note("xRef " + xRef->text);
    note("y " + y->text);
    note("s " + s->text);
    return ready(bytes, executor);
}
PHASE_TWO(aclnnAddInto)
EXPORT int aclnnFoundGetWorkspaceSize(const aclTensor*, const aclScalar* limit, const aclTensor* y, uint64_t* bytes,
                                      aclOpExecutor** executor) {
    note("limit " + limit->text);
    note("y " + y->text);
    return ready(bytes, executor);
}
EXPORT int aclnnFound(void* workspace, uint64_t bytes, aclOpExecutor* executor, void*) {
    const int status = finished(executor, workspace == nullptr && bytes == 0);
    return fail == 2 ? 507035 : status;
}
