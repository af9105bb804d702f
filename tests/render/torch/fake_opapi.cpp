// A libcust_opapi.so that computes nothing and notes everything: what the adapter passes, and what it gives back.
//
// fake_fail says what goes wrong next: 1 phase one, 2 phase two, 10 + n the n-th aclCreateTensor.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

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
aclOpExecutor theExecutor{1};

std::string list(const int64_t* values, uint64_t count) {
    std::string text = "[";
    for (uint64_t i = 0; i < count; ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text + "]";
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
EXPORT const char* aclGetRecentErrMsg() { return fail != 0 ? "the fake was told to fail" : nullptr; }

EXPORT int aclnnGatedPairGetWorkspaceSize(const aclTensor* x, const aclTensor* gate, double alpha, int64_t beta,
                                          const aclTensor* y, const aclTensor* larger, uint64_t* bytes,
                                          aclOpExecutor** executor) {
    if (fail == 1) {
        return 161002;
    }
    note("x " + x->text);
    note("gate " + gate->text);
    note("alpha " + std::to_string(alpha) + " beta " + std::to_string(beta));
    note("y " + y->text);
    note("larger " + larger->text);
    *bytes = 1000;
    *executor = &theExecutor;
    return 0;
}
EXPORT int aclnnGatedPair(void* workspace, uint64_t bytes, aclOpExecutor* executor, void* stream) {
    if (fail == 2) {
        return 561003;
    }
    const bool right = workspace != nullptr && bytes == 1000 && executor == &theExecutor && stream != nullptr;
    executed += right ? 1 : 1000;
    return 0;
}

EXPORT int aclnnLongNamesGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                                          const aclTensor*, double attribute, char* text, bool flag, const aclTensor*,
                                          uint64_t* bytes, aclOpExecutor** executor) {
    note("attribute " + std::to_string(attribute) + " text " + text + (flag ? " true" : " false"));
    *bytes = 0;
    *executor = &theExecutor;
    return 0;
}
EXPORT int aclnnLongNames(void* workspace, uint64_t bytes, aclOpExecutor*, void*) {
    executed += workspace == nullptr && bytes == 0 ? 1 : 1000;
    return 0;
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
    *executor = &theExecutor;
    return 0;
}
EXPORT int aclnnTwoGates(void* workspace, uint64_t bytes, aclOpExecutor*, void*) {
    executed += workspace == nullptr && bytes == 0 ? 1 : 1000;
    return 0;
}
