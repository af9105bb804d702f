// Rules that devices do not enforce, each broken once: the tiling key chooses. "// <- here" marks the line that a
// warning, or the refusal of a launch that is judged by the documentation, names. Cases that begin with "no_" are wrong
// on devices too.
#include "kernel_operator.h"

using namespace AscendC;

struct LetPassTiling {
    uint32_t xs, zs;  // elements
};

struct Data {
    GlobalTensor<float> x, z;
    uint32_t xs, zs;
    TPipe* pipe;
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// The first `count` floats of `from` are the first results.
__aicore__ inline void Store(Data& d, const LocalTensor<float>& from, uint32_t count) {
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_MTE3>();
    DataCopyPad(d.z, from, {1, count * 4, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
}

// Three tensors of 256 floats in buffers of their own, one behind the other.
struct Three {
    TBuf<TPosition::VECCALC> buffers[3];
    LocalTensor<float> a, b, c;

    __aicore__ inline explicit Three(Data& d) {
        for (auto& buffer : buffers) {
            d.pipe->InitBuffer(buffer, 1024);
        }
        a = buffers[0].Get<float>();
        b = buffers[1].Get<float>();
        c = buffers[2].Get<float>();
    }
};

// ---- let pass ------------------------------------------------------------------------------------------------------

__aicore__ inline void tail_read(Data& d) {
    Three t(d);
    DataCopy(t.a, d.x, 256);  // <- here
    Order<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, 256);
    Store(d, t.b, d.zs);
}

__aicore__ inline void tail_written(Data& d) {
    Three t(d);
    Duplicate(t.a, 2.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, t.a, 256);  // <- here
}

__aicore__ inline void tail_rounded_up_all_the_way(Data& d) {
    Three t(d);
    DataCopy(t.a, d.x, 256);  // <- here
    Order<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, t.b, 256);  // <- there
}

__aicore__ inline void tail_written_by_the_scalar_unit(Data& d) {
    Three t(d);
    Duplicate(t.a, 3.0f, 256);
    d.z.SetValue(d.zs, 4.0f);  // <- here
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(d.z[d.zs]);
    Store(d, t.a, d.zs);
}

__aicore__ inline void input_written(Data& d) {
    Three t(d);
    Duplicate(t.a, 5.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.x, t.a, {1, 8 * 4, 0, 0, 0});  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void operand_too_long(Data& d) {
    Three t(d);
    Duplicate(t.a, 6.0f, 264);  // <- here
    Adds(t.c, t.a, 1.0f, 264);  // <- there
    Store(d, t.c, d.zs);
}

__aicore__ inline void operand_over_what_is_written_later(Data& d) {
    Three t(d);
    Duplicate(t.a, 6.0f, 264);  // <- here
    Duplicate(t.b, 7.0f, 256);
    Add(t.c, t.a, t.b, 256);
    Store(d, t.c, d.zs);
}

__aicore__ inline void view_that_begins_behind_its_tensor(Data& d) {
    Three t(d);
    Duplicate(t.b, 8.0f, 8);
    Duplicate(t.b[8], 16.0f, 248);
    Duplicate(t.c, 16.0f, 256);
    Adds(t.c, t.a[264], 0.0f, 248);  // <- here
    Store(d, t.c, d.zs);
}

__aicore__ inline void index_behind_the_tensor(Data& d) {
    Three t(d);
    Duplicate(t.b, 8.0f, 256);
    Duplicate(t.c, t.a.GetValue(256), 256);  // <- here
    Store(d, t.c, d.zs);
}

__aicore__ inline void view_behind_the_buffer(Data& d) {
    Three t(d);
    LocalTensor<float> view = t.buffers[0].Get<float>(512);  // <- here
    Duplicate(view, 9.0f, 512);
    Adds(t.c, view[256], 0.0f, 256);
    Store(d, t.c, d.zs);
}

__aicore__ inline void more_than_the_unified_buffer(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 2, 100000);  // <- here
    LocalTensor<float> first = queue.AllocTensor<float>();
    Duplicate(first, 10.0f, 256);
    Store(d, first, d.zs);
    queue.FreeTensor(first);
}

__aicore__ inline void buffers_of_no_bytes(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 2> empty;
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(empty, 2, 0);  // <- here
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> none = empty.AllocTensor<float>();
    empty.FreeTensor(none);
    LocalTensor<float> first = queue.AllocTensor<float>();
    Duplicate(first, 23.0f, 256);
    Store(d, first, d.zs);
    queue.FreeTensor(first);
}

__aicore__ inline void value_of_a_freed_tensor(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 11.0f, 256);
    queue.FreeTensor(tensor);
    Duplicate(t.a, tensor.GetValue(3), 256);  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void operand_of_a_freed_tensor_that_nobody_wrote_again(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 12.0f, 256);
    queue.FreeTensor(tensor);
    LocalTensor<float> again = queue.AllocTensor<float>();  // <- there
    Adds(t.a, tensor, 0.0f, 256);                           // <- here
    queue.FreeTensor(again);
    Store(d, t.a, d.zs);
}

__aicore__ inline void old_value(Data& d) {
    TQue<TPosition::VECOUT, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 13.0f, 256);
    queue.FreeTensor(tensor);
    tensor = queue.AllocTensor<float>();  // <- there
    Adds(tensor, tensor, 1.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, tensor, {1, d.zs * 4, 0, 0, 0});  // <- here
    queue.FreeTensor(tensor);
}

__aicore__ inline void old_value_of_the_scalar_unit(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 14.0f, 256);
    queue.FreeTensor(tensor);
    tensor = queue.AllocTensor<float>();      // <- there
    Duplicate(t.a, tensor.GetValue(0), 256);  // <- here
    queue.FreeTensor(tensor);
    Store(d, t.a, d.zs);
}

__aicore__ inline void flag_set_twice(Data& d) {
    Three t(d);
    DataCopyPad(t.a, d.x, {1, d.xs * 4, 0, 0, 0}, DataCopyPadExtParams<float>{});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- there
    DataCopyPad(t.b, d.x, {1, d.xs * 4, 0, 0, 0}, DataCopyPadExtParams<float>{});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- here
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Add(t.c, t.a, t.b, d.zs);
    Store(d, t.c, d.zs);
}

// FetchEventID takes nothing: both are the same id.
__aicore__ inline void event_fetched_twice(Data& d) {
    Three t(d);
    const TEventID first = d.pipe->FetchEventID(HardEvent::MTE2_V), second = d.pipe->FetchEventID(HardEvent::MTE2_V);
    DataCopyPad(t.a, d.x, {1, d.xs * 4, 0, 0, 0}, DataCopyPadExtParams<float>{});
    SetFlag<HardEvent::MTE2_V>(first);  // <- there
    DataCopyPad(t.b, d.x, {1, d.xs * 4, 0, 0, 0}, DataCopyPadExtParams<float>{});
    SetFlag<HardEvent::MTE2_V>(second);  // <- here
    WaitFlag<HardEvent::MTE2_V>(first);
    Adds(t.a, t.a, 1.0f, d.xs);
    WaitFlag<HardEvent::MTE2_V>(second);
    Add(t.c, t.a, t.b, d.zs);
    Store(d, t.c, d.zs);
}

// Pairs change places.
__aicore__ inline void Swaps(const LocalTensor<uint32_t>& offsets, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        offsets.SetValue(i, (i ^ 1) * 4);
    }
    Order<HardEvent::S_V>();
}

__aicore__ inline void gather_in_place(Data& d) {
    Three t(d);
    LocalTensor<uint32_t> offsets = t.b.ReinterpretCast<uint32_t>();
    Swaps(offsets, 256);
    CreateVecIndex(t.a, 0.0f, 256);
    Gather(t.a, t.a, offsets, 0, 256);  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void broadcast_in_place(Data& d) {
    Three t(d);
    CreateVecIndex(t.a, 0.0f, 32);
    Brcb(t.a, t.a, 4, {1, 8});  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void gather_by_mask_before_its_source(Data& d) {
    Three t(d);
    for (int32_t i = 0; i < 32; ++i) {
        Duplicate(t.a[i * 8], static_cast<float>(i), 8);
    }
    uint64_t rest = 0;
    GatherMask(t.a, t.a[8], 7, true, 128, {1, 1, 8, 0}, rest);  // <- here
    Duplicate(t.a[128], 19.0f, 128);
    Store(d, t.a, d.zs);
}

__aicore__ inline void two_pipes(Data& d) {
    TPipe second;  // <- here
    {
        Three t(d);
        Duplicate(t.a, 20.0f, 256);
        Store(d, t.a, d.zs);
    }
    d.pipe->Destroy();
    d.pipe = &second;
    Three t(d);
    Duplicate(t.a, 21.0f, 256);
    Store(d, t.a, d.zs);
}

__aicore__ inline void row_broadcast_in_place(Data& d) {
    Three t(d);
    const uint32_t row[] = {1, 8};
    const uint32_t rows[] = {32, 8};
    Duplicate(t.a, 1.0f, 256);
    Duplicate(t.a, 22.0f, 8);
    LocalTensor<uint8_t> room = t.b.ReinterpretCast<uint8_t>();
    BroadCast<float, 2, 0>(t.a, t.a, rows, row, room);  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void merge_one_list(Data& d) {
    Three t(d);
    LocalTensor<uint32_t> index = t.c.ReinterpretCast<uint32_t>();
    CreateVecIndex(t.c.ReinterpretCast<int32_t>(), 0, 32);
    CreateVecIndex(t.b, 0.0f, 32);
    Sort32(t.a, t.b, index, 1);
    const uint16_t lengths[4] = {32, 0, 0, 0};
    MrgSort(t.b, {t.a, t.a, t.a, t.a}, MrgSort4Info(lengths, false, 1, 1));  // <- here
    Duplicate(t.b[64], 0.0f, 192);
    Store(d, t.b, d.zs);
}

__aicore__ inline void logarithm_in_place(Data& d) {
    Three t(d);
    Duplicate(t.a, 1.0f, 256);
    Log(t.a, t.a, 256);  // <- here
    Store(d, t.a, d.zs);
}

__aicore__ inline void broadcast_over_what_was_read(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 3072);
    LocalTensor<float> all = buffer.Get<float>();
    Duplicate(all, 26.0f, 768);
    PipeBarrier<PIPE_V>();
    Brcb(all, all[400], 16, {1, 4});  // <- here
    Store(d, all, d.zs);
}

__aicore__ inline void tensor_that_is_taken_twice(Data& d) {
    TQue<TPosition::VECOUT, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> first = queue.AllocTensor<float>();
    Duplicate(first, 25.0f, 256);
    queue.EnQue(first);
    queue.DeQue<float>();
    LocalTensor<float> again = queue.DeQue<float>();  // <- here
    Store(d, again, d.zs);
    queue.FreeTensor(again);
}

__aicore__ inline void tensor_that_is_never_freed(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> kept = queue.AllocTensor<float>();  // <- here
    Duplicate(kept, 24.0f, 256);
    Store(d, kept, d.zs);
}

__aicore__ inline void length_rounded_down(Data& d) {
    Three t(d);
    Duplicate(t.a, 15.0f, 256);
    Order<HardEvent::V_MTE2>();
    DataCopy(t.a, d.x, 12);     // <- here
    DataCopy(t.a[16], d.x, 4);  // <- there
    Store(d, t.a, d.zs);
}

__aicore__ inline void divided_by_zero(Data& d) {
    Three t(d);
    Duplicate(t.a, 27.0f, 256);
    volatile uint32_t rest = d.xs % (d.zs - d.xs);  // <- here
    Store(d, t.a, d.zs);
}

// ---- wrong on devices ----------------------------------------------------------------------------------------------

__aicore__ inline void no_result_of_the_tail(Data& d) {
    Three t(d);
    DataCopy(t.a, d.x, 256);  // <- there
    Order<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, t.b, {1, d.zs * 4, 0, 0, 0});  // <- here
}

__aicore__ inline void no_sum_over_the_tail(Data& d) {
    Three t(d);
    DataCopy(t.a, d.x, 256);  // <- there
    Order<HardEvent::MTE2_V>();
    Duplicate(t.b, 1.0f, 256);
    ReduceSum(t.b, t.a, t.c, 256);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, t.b, {1, d.zs * 4, 0, 0, 0});  // <- here
}

__aicore__ inline void no_tail_behind_the_allocation(Data& d) {
    Three t(d);
    DataCopyPad(t.a, d.x[d.xs - 1], {1, 532, 0, 0, 0}, DataCopyPadExtParams<float>{});  // <- here
}

__aicore__ inline void no_tail_in_another_operand(Data& d) {
    Three t(d);
    DataCopyPad(t.a, d.x[d.xs - 1], {1, 32, 0, 0, 0}, DataCopyPadExtParams<float>{});  // <- here
}

__aicore__ inline void no_operand_over_what_is_read(Data& d) {
    Three t(d);
    Duplicate(t.b, 7.0f, 256);
    Duplicate(t.a, 6.0f, 264);  // <- there
    Add(t.c, t.a, t.b, 256);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, t.c, {1, d.zs * 4, 0, 0, 0});  // <- here
}

__aicore__ inline void no_operand_behind_the_unified_buffer(Data& d) {
    Three t(d);
    TBuf<TPosition::VECCALC> rest;
    d.pipe->InitBuffer(rest, 300000);
    LocalTensor<float> far = rest.Get<float>();
    Duplicate(far[180000 / 4], 1.0f, 4096);  // <- here
}

__aicore__ inline void no_buffer_that_nobody_initialised(Data& d) {
    Three t(d);
    TBuf<TPosition::VECCALC> other;
    Duplicate(other.Get<float>(), 1.0f, 64);  // <- here
}

__aicore__ inline void no_freed_tensor_that_is_used_again(Data& d) {
    Three t(d);
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 12.0f, 256);
    queue.FreeTensor(tensor);
    LocalTensor<float> again = queue.AllocTensor<float>();  // <- there
    Duplicate(again, 1.0f, 256);
    Adds(t.a, tensor, 0.0f, 256);  // <- here
}

__aicore__ inline void no_flag_set_three_times(Data&) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- there
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- here
}

__aicore__ inline void no_barrier_between_flag_and_flag(Data&) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- before
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);  // <- there
    PipeBarrier<PIPE_ALL>();                // <- here
}

__aicore__ inline void no_gather_of_what_was_gathered(Data& d) {
    Three t(d);
    LocalTensor<uint32_t> offsets = t.b.ReinterpretCast<uint32_t>();
    Duplicate(offsets, 0u, 256);
    Duplicate(t.a, 1.0f, 256);
    Gather(t.a, t.a, offsets, 0, 256);  // <- here
}

__aicore__ inline void no_gather_by_mask_of_what_was_gathered(Data& d) {
    Three t(d);
    Duplicate(t.a, 1.0f, 256);
    uint64_t rest = 0;
    GatherMask(t.a[40], t.a, 7, true, 128, {1, 1, 8, 0}, rest);  // <- here
}

__aicore__ inline void no_buffers_of_two_pipes(Data& d) {
    Three t(d);
    TPipe second;
    TBuf<TPosition::VECCALC> buffer;
    second.InitBuffer(buffer, 1024);  // <- here
}

__aicore__ inline void no_broadcast_of_more_than_a_register(Data& d) {
    Three t(d);
    TBuf<TPosition::VECCALC> wide;
    d.pipe->InitBuffer(wide, 128 * 32);
    LocalTensor<float> tensor = wide.Get<float>();
    Duplicate(tensor, 1.0f, 128);
    Brcb(tensor, tensor, 16, {1, 8});  // <- here
}

// clang-format off
#define CASES(CASE) \
    CASE(tail_read) \
    CASE(tail_written) \
    CASE(tail_rounded_up_all_the_way) \
    CASE(tail_written_by_the_scalar_unit) \
    CASE(input_written) \
    CASE(operand_too_long) \
    CASE(operand_over_what_is_written_later) \
    CASE(view_that_begins_behind_its_tensor) \
    CASE(index_behind_the_tensor) \
    CASE(view_behind_the_buffer) \
    CASE(more_than_the_unified_buffer) \
    CASE(buffers_of_no_bytes) \
    CASE(value_of_a_freed_tensor) \
    CASE(operand_of_a_freed_tensor_that_nobody_wrote_again) \
    CASE(old_value) \
    CASE(old_value_of_the_scalar_unit) \
    CASE(flag_set_twice) \
    CASE(event_fetched_twice) \
    CASE(gather_in_place) \
    CASE(broadcast_in_place) \
    CASE(gather_by_mask_before_its_source) \
    CASE(two_pipes) \
    CASE(row_broadcast_in_place) \
    CASE(merge_one_list) \
    CASE(length_rounded_down) \
    CASE(logarithm_in_place) \
    CASE(tensor_that_is_never_freed) \
    CASE(tensor_that_is_taken_twice) \
    CASE(broadcast_over_what_was_read) \
    CASE(divided_by_zero) \
    CASE(no_result_of_the_tail) \
    CASE(no_sum_over_the_tail) \
    CASE(no_tail_behind_the_allocation) \
    CASE(no_tail_in_another_operand) \
    CASE(no_operand_over_what_is_read) \
    CASE(no_operand_behind_the_unified_buffer) \
    CASE(no_buffer_that_nobody_initialised) \
    CASE(no_freed_tensor_that_is_used_again) \
    CASE(no_flag_set_three_times) \
    CASE(no_barrier_between_flag_and_flag) \
    CASE(no_gather_of_what_was_gathered) \
    CASE(no_gather_by_mask_of_what_was_gathered) \
    CASE(no_buffers_of_two_pipes) \
    CASE(no_broadcast_of_more_than_a_register)
// clang-format on

extern "C" __global__ __aicore__ void let_pass(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(LetPassTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Data d{{}, {}, data.xs, data.zs, &pipe};
    d.x.SetGlobalBuffer((__gm__ float*)x, data.xs);
    d.z.SetGlobalBuffer((__gm__ float*)z, data.zs);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
