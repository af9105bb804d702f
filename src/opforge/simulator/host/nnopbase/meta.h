// The objects behind aclTensor and its kin.
#ifndef OPFORGE_NNOPBASE_META_H
#define OPFORGE_NNOPBASE_META_H

#include <atomic>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"
#include "graph/types.h"

namespace nnopbase {

// Counts the objects of one kind for as long as they live.
template <typename Object>
class Live {
public:
    Live() { ++count; }
    Live(const Live&) { ++count; }
    Live& operator=(const Live&) { return *this; }
    ~Live() { --count; }
    static inline std::atomic<int64_t> count{0};
};

// Bytes of elements; also right for types smaller than a byte.
uint64_t BytesOf(ge::DataType type, uint64_t elements);

}  // namespace nnopbase

struct aclTensor {
    nnopbase::Live<aclTensor> live;
    std::vector<int64_t> view;
    std::vector<int64_t> strides;  // as many as dims
    std::vector<int64_t> storage;
    ge::DataType type;
    ge::Format format;
    int64_t offset;  // elements
    void* data;

    uint64_t Elements() const;
    bool IsContiguous() const;
    // Elements from the first to the last that the view reaches; 0 for none.
    uint64_t Extent() const;
    uint64_t Address() const;  // of the first element
    uint64_t StorageElements() const;
    // Bytes from `data` on that the view is of; 0 where aclCreateTensor was told less than the view reaches.
    uint64_t StorageBytes() const;
};

struct aclScalar {
    nnopbase::Live<aclScalar> live;
    ge::DataType type;
    unsigned char value[16];
};

struct aclIntArray {
    nnopbase::Live<aclIntArray> live;
    std::vector<int64_t> values;
};

struct aclFloatArray {
    nnopbase::Live<aclFloatArray> live;
    std::vector<float> values;
};

struct aclBoolArray {
    nnopbase::Live<aclBoolArray> live;
    std::vector<unsigned char> values;
};

struct aclTensorList {
    nnopbase::Live<aclTensorList> live;
    std::vector<const aclTensor*> values;
};

struct aclScalarList {
    nnopbase::Live<aclScalarList> live;
    std::vector<const aclScalar*> values;
};

#endif
