// One step inside of a limit and one step behind it. The tiling key chooses; "// <- here" marks what is refused.
#include "kernel_operator.h"

using namespace AscendC;

struct LimitsTiling {
    uint32_t count;  // elements of x and z
};

using Vecin = TQue<TPosition::VECIN, 1>;

struct Data {
    GlobalTensor<float> x, z;
    uint32_t count;
    GM_ADDR xAddress;
    TPipe* pipe;
};

template <typename T>
__aicore__ inline LocalTensor<T> Whole(Data& d, TBuf<TPosition::VECCALC>& buffer) {
    d.pipe->InitBuffer(buffer, 196608);
    return buffer.Get<T>();
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void queue_of_no_buffers(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 0, 256);  // <- here
}

__aicore__ inline void queue_beyond_64_buffers(Data& d) {
    Vecin queues[33];
    for (auto& queue : queues) {
        d.pipe->InitBuffer(queue, 2, 32);  // <- here
    }
}

__aicore__ inline void tensor_of_a_reset_pipe(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.FreeTensor(tensor);
    d.pipe->Reset();
    Duplicate(tensor, 1.0f, 64);  // <- here
}

__aicore__ inline void copy_of_a_part_of_a_block(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopy(Whole<float>(d, buffer), d.x, 4);  // <- here
}

__aicore__ inline void copy_of_65536_blocks(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopy(Whole<float>(d, buffer), d.x, 524288);  // <- here
}

__aicore__ inline void copy_of_4096_bursts(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopy(Whole<float>(d, buffer), d.x, {4096, 1, 0, 0});  // <- here
}

__aicore__ inline void padded_copy_of_a_part_of_an_element(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopyPad(Whole<float>(d, buffer), d.x, {1, 6, 0, 0, 0}, {false, 0, 0, 0});  // <- here
}

__aicore__ inline void padded_copy_of_2097152_bytes(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopyPad(Whole<float>(d, buffer), d.x, {1, 2097152, 0, 0, 0}, {false, 0, 0, 0});  // <- here
}

__aicore__ inline void left_padding_of_nine_floats(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopyPad(Whole<float>(d, buffer), d.x, {1, 4, 0, 0, 0}, {true, 9, 0, 0});  // <- here
}

__aicore__ inline void right_padding_of_nine_floats(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopyPad(Whole<float>(d, buffer), d.x, {1, 4, 0, 0, 0}, {true, 0, 9, 0});  // <- here
}

__aicore__ inline void padding_with_a_value_of_64_bits(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<int64_t> x;
    x.SetGlobalBuffer((__gm__ int64_t*)d.xAddress, d.count / 2);
    DataCopyPad(Whole<int64_t>(d, buffer), x, {1, 8, 0, 0, 0}, {true, 0, 1, 5});  // <- here
}

__aicore__ inline void address_inside_of_an_element(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> x;
    x.SetGlobalBuffer((__gm__ float*)(d.xAddress + 2), 8);
    DataCopy(Whole<float>(d, buffer), x, 8);  // <- here
}

__aicore__ inline void rounding_where_nothing_is_rounded(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<half> from = Whole<half>(d, buffer);
    Cast(from[4096].ReinterpretCast<float>(), from, RoundMode::CAST_RINT, 64);  // <- here
}

__aicore__ inline void integers_compared_by_order(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<int32_t> a = Whole<int32_t>(d, buffer);
    Compare(a[4096].ReinterpretCast<uint8_t>(), a, a[64], CMPMODE::GT, 64);  // <- here
}

__aicore__ inline void atomic_part_of_an_element(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<half> from = Whole<half>(d, buffer);
    Duplicate(from, (half)1.0f, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    GlobalTensor<half> z;
    z.SetGlobalBuffer((__gm__ half*)d.z.GetPhyAddr(0), 8);
    SetAtomicAdd<float>();
    DataCopyPad(z, from, {1, 6, 0, 0, 0});  // <- here
}

__aicore__ inline void tiling_from_elsewhere(Data& d) {
    GM_ADDR tiling = d.xAddress;
    GET_TILING_DATA_WITH_STRUCT(LimitsTiling, other, tiling);  // <- here
    d.z.SetValue(0, static_cast<float>(static_cast<int32_t>(other.count)));
}

__aicore__ inline void no_workspace_of_the_system(Data& d) {
    GlobalTensor<float> own;
    own.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(d.xAddress) + 8);
    own.SetValue(0, 1.0f);  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_workspace_that_is_not_used(Data& d) {
    if (GetUserWorkspace(d.xAddress) == nullptr) {
        d.z.SetValue(0, static_cast<float>(GetUserWorkspace(nullptr) - GetUserWorkspace(d.xAddress)));
    }
}

__aicore__ inline void ok_queues_of_64_buffers(Data& d) {
    Vecin queues[32];
    for (auto& queue : queues) {
        d.pipe->InitBuffer(queue, 2, 3072);  // all of the unified buffer, too
    }
}

__aicore__ inline void ok_whole_tensor_by_one_block(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> tensor = Whole<float>(d, buffer);
    DataCopy(tensor, d.x[d.count - 8], 8);  // the last legal bytes of x
    DataCopy(tensor[49144], d.x, 8);        // the last of the unified buffer
}

__aicore__ inline void ok_padding_of_eight_floats(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    DataCopyPad(Whole<float>(d, buffer), d.x, {1, 4, 0, 0, 0}, {true, 3, 4, 1.0f});
    DataCopyPad(buffer.Get<float>()[64], d.x, {1, 4, 0, 0, 0}, {true, 8, 7, 1.0f});
}

__aicore__ inline void ok_padding_of_64_bits_with_zero(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<int64_t> x;
    x.SetGlobalBuffer((__gm__ int64_t*)d.xAddress, d.count / 2);
    DataCopyPad(Whole<int64_t>(d, buffer), x, {1, 8, 0, 0, 0}, {true, 0, 1, 0});
}

__aicore__ inline void ok_last_elements_one_by_one(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> tensor = Whole<float>(d, buffer);
    tensor.SetValue(49151, d.x.GetValue(d.count - 1));
    d.z.SetValue(d.count - 1, tensor.GetValue(49151));
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(d.z);
}

// 255 repeats of 64 lanes is the most an instruction makes, and its last lane the last of the tensor.
__aicore__ inline void ok_255_repeats(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 255 * 256);
    LocalTensor<float> tensor = buffer.Get<float>();
    Duplicate(tensor, 1.0f, 64, 255, 1, 8);
    Exp(tensor, tensor, 64, 255, {1, 1, 8, 8});
    (void)d;
}

// What the padding of a row holds may be computed with; only it must not reach global memory.
__aicore__ inline void ok_arithmetic_over_padding(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> tensor = Whole<float>(d, buffer);
    DataCopyPad(tensor, d.x, {3, 20, 0, 0, 0}, {true, 0, 3, 0});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(tensor, tensor, 2.0f, 24);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(d.z, tensor, {3, 20, 0, 0, 0});
}

__aicore__ inline void ok_full_queue(Data& d) {
    TQue<TPosition::VECIN, 4> queue;
    d.pipe->InitBuffer(queue, 4, 256);
    for (int i = 0; i < 4; ++i) {
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        DataCopy(tensor, d.x[i * 64], 64);
        queue.EnQue(tensor);
    }
    for (int i = 0; i < 4; ++i) {
        LocalTensor<float> tensor = queue.DeQue<float>();
        queue.FreeTensor(tensor);
    }
}

__aicore__ inline void ok_shift_by_all_bits(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<int32_t> tensor = Whole<int32_t>(d, buffer);
    Duplicate(tensor, 3, 64);
    ShiftLeft(tensor, tensor, 32, 64);
    ShiftRight(tensor, tensor, 0, 64);
}

// clang-format off
#define CASES(CASE) \
    CASE(queue_of_no_buffers) \
    CASE(queue_beyond_64_buffers) \
    CASE(tensor_of_a_reset_pipe) \
    CASE(copy_of_a_part_of_a_block) \
    CASE(copy_of_65536_blocks) \
    CASE(copy_of_4096_bursts) \
    CASE(padded_copy_of_a_part_of_an_element) \
    CASE(padded_copy_of_2097152_bytes) \
    CASE(left_padding_of_nine_floats) \
    CASE(right_padding_of_nine_floats) \
    CASE(padding_with_a_value_of_64_bits) \
    CASE(address_inside_of_an_element) \
    CASE(rounding_where_nothing_is_rounded) \
    CASE(integers_compared_by_order) \
    CASE(atomic_part_of_an_element) \
    CASE(tiling_from_elsewhere) \
    CASE(no_workspace_of_the_system) \
    CASE(ok_workspace_that_is_not_used) \
    CASE(ok_queues_of_64_buffers) \
    CASE(ok_whole_tensor_by_one_block) \
    CASE(ok_padding_of_eight_floats) \
    CASE(ok_padding_of_64_bits_with_zero) \
    CASE(ok_last_elements_one_by_one) \
    CASE(ok_255_repeats) \
    CASE(ok_arithmetic_over_padding) \
    CASE(ok_full_queue) \
    CASE(ok_shift_by_all_bits)
// clang-format on

extern "C" __global__ __aicore__ void limits(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(LimitsTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Data d{{}, {}, data.count, x, &pipe};
    d.x.SetGlobalBuffer((__gm__ float*)x, data.count);
    d.z.SetGlobalBuffer((__gm__ float*)z, data.count);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
