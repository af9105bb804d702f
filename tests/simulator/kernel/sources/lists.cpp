// What a kernel does with the description of a list of tensors. The tiling key chooses; "// <- here" marks what is
// refused. z: what the case has read, element by element.
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

using namespace AscendC;

struct Data {
    __gm__ void* list;
    GlobalTensor<int64_t> z;
};

__aicore__ inline void rest_of_an_offset(Data& d) {
    ListTensorDesc list(d.list);  // <- here
}

__aicore__ inline void dims_behind_the_offset(Data& d) {
    ListTensorDesc list(d.list);  // <- here
}

__aicore__ inline void behind_the_argument(Data& d) {
    ListTensorDesc list(d.list);  // <- here
}

__aicore__ inline void other_length(Data& d) {
    ListTensorDesc list(d.list, 80, 2);  // <- here
}

__aicore__ inline void size_of_an_aclnn_list(Data& d) {
    ListTensorDesc list(d.list);
    (void)list.GetSize();  // <- here
}

__aicore__ inline void pointer_behind_the_list(Data& d) {
    ListTensorDesc list(d.list);
    (void)list.GetDataPtr<float>(2);  // <- here
}

__aicore__ inline void desc_behind_the_list(Data& d) {
    ListTensorDesc list(d.list);
    TensorDesc<float> desc;
    list.GetDesc(desc, 2);  // <- here
}

__aicore__ inline void ranks_that_differ(Data& d) {
    ListTensorDesc list(d.list);
    TensorDesc<float> desc;
    list.GetDesc(desc, 0);  // <- here
}

__aicore__ inline void rank_of_zero(Data& d) {
    ListTensorDesc list(d.list);
    TensorDesc<float> desc;
    list.GetDesc(desc, 0);  // <- here
}

__aicore__ inline void no_room_for_dims(Data& d) {
    ListTensorDesc list(d.list);
    TensorDesc<float> desc;
    list.GetDesc(desc, 1);  // <- here
}

__aicore__ inline void dim_behind_the_last(Data& d) {
    uint64_t dims[2];
    ListTensorDesc list(d.list);
    TensorDesc<float> desc;
    desc.SetShapeAddr(dims);
    list.GetDesc(desc, 1);
    d.z.SetValue(0, static_cast<int64_t>(desc.GetShape(1)));
    (void)desc.GetShape(2);  // <- here
}

// The layout of the documentation: an index beside each rank.
__aicore__ inline void ok_indexed(Data& d) {
    uint64_t dims[2];
    ListTensorDesc list;
    list.Init(d.list, 72, 2);
    d.z.SetValue(0, list.GetSize());
    TensorDesc<int64_t> desc;
    desc.SetShapeAddr(dims);
    for (uint32_t i = 0; i < 2; ++i) {
        list.GetDesc(desc, i);
        d.z.SetValue(1 + i, static_cast<int64_t>(desc.GetDim() * 1000 + desc.GetShape(0) * 10 + desc.GetShape(1)));
        d.z.SetValue(3 + i, desc.GetDataObj().GetValue(0));
    }
}

// One description stands for all tensors, their number beside the rank.
__aicore__ inline void ok_shared_shape(Data& d) {
    uint64_t dims[2];
    ListTensorDesc list(d.list);
    d.z.SetValue(0, list.GetSize());
    TensorDesc<int64_t> desc;
    desc.SetShapeAddr(dims);
    list.GetDesc(desc, 2);
    d.z.SetValue(1, static_cast<int64_t>(desc.GetShape(0) * 10 + desc.GetShape(1)));
    d.z.SetValue(2, *desc.GetDataPtr());
}

// As aclnn passes it: tensors of different ranks have pointers, one tensor alone a size.
__aicore__ inline void ok_last_pointer(Data& d) {
    ListTensorDesc list(d.list);
    d.z.SetValue(0, *list.GetDataPtr<int64_t>(1));
}

__aicore__ inline void ok_one_tensor(Data& d) {
    ListTensorDesc list(d.list);
    d.z.SetValue(0, list.GetSize());
}

__aicore__ inline void ok_only_pointers(Data& d) {
    ListTensorDesc list(d.list);
    d.z.SetValue(0, list.GetSize());
    d.z.SetValue(1, *list.GetDataPtr<int64_t>(1));
}

// clang-format off
#define CASES(CASE) \
    CASE(rest_of_an_offset) \
    CASE(dims_behind_the_offset) \
    CASE(behind_the_argument) \
    CASE(other_length) \
    CASE(size_of_an_aclnn_list) \
    CASE(pointer_behind_the_list) \
    CASE(desc_behind_the_list) \
    CASE(ranks_that_differ) \
    CASE(rank_of_zero) \
    CASE(no_room_for_dims) \
    CASE(dim_behind_the_last) \
    CASE(ok_indexed) \
    CASE(ok_shared_shape) \
    CASE(ok_last_pointer) \
    CASE(ok_one_tensor) \
    CASE(ok_only_pointers)
// clang-format on

extern "C" __global__ __aicore__ void lists(GM_ADDR x, GM_ADDR values, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    Data d{reinterpret_cast<__gm__ void*>(x), {}};
    d.z.SetGlobalBuffer((__gm__ int64_t*)z, 8);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
    DataCacheCleanAndInvalid<int64_t, CacheLine::ENTIRE_DATA_CACHE>(d.z);
}
