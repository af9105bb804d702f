// One kernel for many cases: the tiling key chooses. A case that breaks a rule marks the line with a comment "// <-
// here".
#include "kernel_operator.h"

using namespace AscendC;

struct CasesTiling {
    uint32_t count;  // elements of x and z
};

using Vecin = TQue<TPosition::VECIN, 1>;
using Vecout = TQue<TPosition::VECOUT, 1>;

struct Data {
    GlobalTensor<float> x, z;
    uint32_t count;
    GM_ADDR tiling;
    TPipe* pipe;
};

// A buffer of the kernel's own, with no queue to order anything.
struct Work {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> a, b, c;

    __aicore__ inline explicit Work(Data& d) {
        d.pipe->InitBuffer(buffer, 3 * 1024);
        a = buffer.GetWithOffset<float>(256, 0);
        b = buffer.GetWithOffset<float>(256, 1024);
        c = buffer.GetWithOffset<float>(256, 2048);
    }
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ub_capacity(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 98336);  // <- here
}

__aicore__ inline void too_many_buffers(Data& d) {
    TBuf<TPosition::VECCALC> buffers[65];
    for (auto& buffer : buffers) {
        d.pipe->InitBuffer(buffer, 32);  // <- here
    }
}

__aicore__ inline void queue_without_buffers(Data&) {
    Vecin queue;
    queue.AllocTensor<float>();  // <- here
}

__aicore__ inline void alloc_beyond_buffers(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 256);
    for (int i = 0; i < 3; ++i) {
        queue.AllocTensor<float>();  // <- here
    }
}

__aicore__ inline void deque_of_empty_queue(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 256);
    queue.DeQue<float>();  // <- here
}

__aicore__ inline void deque_of_freed_tensor(Data& d) {
    TQue<TPosition::VECIN, 1> queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.EnQue(tensor);
    tensor = queue.DeQue<float>();
    queue.FreeTensor(tensor);
    queue.DeQue<float>();  // <- here
}

__aicore__ inline void deque_of_an_empty_deeper_queue(Data& d) {
    TQue<TPosition::VECIN, 2> queue;
    d.pipe->InitBuffer(queue, 2, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.EnQue(tensor);
    queue.DeQue<float>();
    queue.DeQue<float>();  // <- here
}

__aicore__ inline void enque_twice(Data& d) {
    TQue<TPosition::VECIN, 2> queue;
    d.pipe->InitBuffer(queue, 2, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.EnQue(tensor);
    queue.EnQue(tensor);  // <- here
}

__aicore__ inline void enque_beyond_depth(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 256);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        queue.EnQue(tensor);  // <- here
    }
}

__aicore__ inline void two_pipes(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 256);
    TPipe other;  // <- here
    other.InitBuffer(buffer, 256);
}

__aicore__ inline void never_freed(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    queue.AllocTensor<float>();  // <- here
}

__aicore__ inline void still_queued(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();  // <- here
    queue.EnQue(tensor);
}

__aicore__ inline void freed_twice(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.FreeTensor(tensor);
    queue.FreeTensor(tensor);  // <- here
}

__aicore__ inline void freed_while_queued(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 2, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.EnQue(tensor);
    queue.FreeTensor(tensor);  // <- here
}

__aicore__ inline void foreign_tensor(Data& d) {
    Vecin one, other;
    d.pipe->InitBuffer(one, 1, 256);
    d.pipe->InitBuffer(other, 1, 256);
    LocalTensor<float> tensor = one.AllocTensor<float>();
    other.FreeTensor(tensor);  // <- here
}

__aicore__ inline void too_many_of_one_position(Data& d) {
    Vecin queues[9];
    for (auto& queue : queues) {
        d.pipe->InitBuffer(queue, 1, 256);
        queue.AllocTensor<float>();  // <- here
    }
}

__aicore__ inline void too_many_free_events(Data& d) {
    Vecin queues[9];
    for (auto& queue : queues) {
        d.pipe->InitBuffer(queue, 1, 256);
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        queue.FreeTensor(tensor);  // <- here
    }
}

__aicore__ inline void used_after_free(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> old = queue.AllocTensor<float>();
    queue.FreeTensor(old);
    LocalTensor<float> tensor = queue.AllocTensor<float>();  // <- there
    Duplicate(old, 1.0f, 8);                                 // <- here
    queue.FreeTensor(tensor);
}

__aicore__ inline void no_mte2_to_v(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 8);  // <- there
    Add(w.b, w.a, w.a, 8);  // <- here
}

__aicore__ inline void no_v_to_mte3(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);  // <- there
    DataCopy(d.z, w.a, 8);     // <- here
}

__aicore__ inline void no_mte3_to_v(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 8);     // <- there
    Duplicate(w.a, 2.0f, 64);  // <- here
}

__aicore__ inline void no_v_to_mte2(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Add(w.b, w.a, w.a, 64);  // <- there
    DataCopy(w.a, d.x, 8);   // <- here
}

__aicore__ inline void no_mte2_to_mte3(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 8);  // <- there
    DataCopy(d.z, w.a, 8);  // <- here
}

__aicore__ inline void deque_forgotten(Data& d) {
    Vecin queue;
    Work w(d);
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    DataCopy(tensor, d.x, 8);  // <- there
    queue.EnQue(tensor);
    Add(w.a, tensor, tensor, 8);  // <- here
}

__aicore__ inline void freed_too_early(Data& d) {
    Vecin queue;
    Work w(d);
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    DataCopy(tensor, d.x, 8);
    queue.EnQue(tensor);
    tensor = queue.DeQue<float>();
    queue.FreeTensor(tensor);
    Add(w.a, tensor, tensor, 8);  // <- here
}

__aicore__ inline void mte2_over_mte2(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 16);     // <- there
    DataCopy(w.a[8], d.x, 16);  // <- here
}

__aicore__ inline void gm_written_then_read(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 16);     // <- there
    DataCopy(w.b, d.z[8], 16);  // <- here
}

__aicore__ inline void gm_written_twice(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 16);     // <- there
    DataCopy(d.z, w.a[16], 8);  // <- here
}

__aicore__ inline void flag_set_twice(Data&) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);  // <- there
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);  // <- here
}

__aicore__ inline void flag_never_set(Data&) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);  // <- here
}

__aicore__ inline void flag_never_waited_for(Data&) {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID7);  // <- here
}

__aicore__ inline void event_id_out_of_range(Data&) {
    SetFlag<HardEvent::V_MTE3>(8);  // <- here
}

__aicore__ inline void event_ids_used_up(Data&) {
    for (int i = 0; i < 9; ++i) {
        GetTPipePtr()->AllocEventID<HardEvent::MTE2_V>();  // <- here
    }
}

__aicore__ inline void event_id_not_allocated(Data&) {
    GetTPipePtr()->ReleaseEventID<HardEvent::MTE2_V>(2);  // <- here
}

__aicore__ inline void unaligned(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Add(w.b, w.a[1], w.a, 8);  // <- here
}

__aicore__ inline void count_beyond_tensor(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 257);  // <- here
}

__aicore__ inline void negative_count(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, -1);  // <- here
}

__aicore__ inline void partial_overlap(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 256);
    Muls(w.a[8], w.a, 2.0f, 64);  // <- here
}

__aicore__ inline void gm_read_too_far(Data& d) {
    Work w(d);
    DataCopyPad(w.a, d.x[d.count - 2], {1, 12, 0, 0, 0}, DataCopyPadExtParams<float>{});  // <- here
}

__aicore__ inline void gm_write_too_far(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z[d.count], w.a, {1, 4, 0, 0, 0});  // <- here
}

__aicore__ inline void gm_write_to_input(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.x, w.a, 8);  // <- here
}

__aicore__ inline void gm_null(Data& d) {
    Work w(d);
    GlobalTensor<float> absent;
    DataCopy(w.a, absent, 8);  // <- here
}

__aicore__ inline void gm_scalar_too_far(Data& d) {
    d.z.SetValue(d.count, 1.0f);  // <- here
}

__aicore__ inline void cache_line_read(Data& d) {
    Work w(d);
    d.z.SetValue(3, 1.0f);  // <- there
    DataCopy(w.a, d.z, 8);  // <- here
}

__aicore__ inline void cache_line_written(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    d.z.SetValue(3, 1.0f);  // <- there
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 8);  // <- here
}

__aicore__ inline void undefined_to_gm(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, w.a, {1, 36, 0, 0, 0});  // <- here
}

__aicore__ inline void undefined_through_arithmetic(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 63);
    Add(w.c, w.a, w.a, 64);
    Exp(w.b, w.c, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.b, 64);  // <- here
}

__aicore__ inline void undefined_after_alloc(Data& d) {
    Vecout queue;
    d.pipe->InitBuffer(queue, 1, 256);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> tensor = queue.AllocTensor<float>();  // <- there
        if (i == 0) {
            Duplicate(tensor, 1.0f, 8);
        }
        queue.EnQue(tensor);
        tensor = queue.DeQue<float>();
        DataCopy(d.z, tensor, 8);  // <- here
        queue.FreeTensor(tensor);
    }
}

__aicore__ inline void undefined_padding(Data& d) {
    Work w(d);
    DataCopyPad(w.a, d.x, {1, 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 7, 0.0f});
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, w.a, 8);  // <- here
}

__aicore__ inline void undefined_scalar(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    if (w.a.GetValue(8) > 0.0f) {  // <- here
        d.z.SetValue(0, 1.0f);
    }
}

__aicore__ inline void undefined_scalar_moved(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 8);
    Duplicate(w.b, 1.0f, 8);
    Order<HardEvent::V_S>();
    w.b.SetValue(3, w.a.GetValue(8));
    Order<HardEvent::S_MTE3>();
    DataCopy(d.z, w.b, 8);  // <- here
}

__aicore__ inline void undefined_select(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 63);
    Duplicate(w.b, 0.0f, 64);
    LocalTensor<uint8_t> mask = w.c.ReinterpretCast<uint8_t>();
    Compare(mask, w.a, w.b, CMPMODE::GT, 64);
    Select(w.a, mask, w.b, 2.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 64);  // <- here
}

__aicore__ inline void index_out_of_range(Data& d) {
    Work w(d);
    w.a(256) = 1.0f;  // <- here
}

__aicore__ inline void view_out_of_range(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 100);
    buffer.GetWithOffset<float>(25, 32);  // <- here
}

__aicore__ inline void size_beyond_unified_buffer(Data& d) {
    Work w(d);
    w.a.SetSize(60000);
    Duplicate(w.a, 1.0f, 60000);  // <- here
}

__aicore__ inline void fixed_address_out_of_range(Data&) {
    LocalTensor<float> tensor(TPosition::VECCALC, 196608 - 32, 9);  // <- here
}

__aicore__ inline void mask_too_wide(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Exp(w.b, w.a, 65, 1, UnaryRepeatParams());  // <- here
}

__aicore__ inline void destination_stride_of_zero(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Add(w.b, w.a, w.a, 64, 1, BinaryRepeatParams(0, 1, 1, 8, 8, 8));  // <- here
}

__aicore__ inline void repeats_beyond_tensor(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 256);
    Exp(w.b, w.a, 64, 5, UnaryRepeatParams());  // <- here
}

__aicore__ inline void shift_too_far(Data& d) {
    Work w(d);
    LocalTensor<int16_t> bits = w.a.ReinterpretCast<int16_t>();
    ShiftLeft(bits, bits, static_cast<int16_t>(17), 16);  // <- here
}

__aicore__ inline void compare_of_a_part(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    LocalTensor<uint8_t> mask = w.c.ReinterpretCast<uint8_t>();
    Compare(mask, w.a, w.a, CMPMODE::LT, 63);  // <- here
}

__aicore__ inline void select_mode(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    LocalTensor<uint8_t> mask = w.c.ReinterpretCast<uint8_t>();
    Select(w.b, mask, w.a, 0.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);  // <- here
}

__aicore__ inline void assertion(Data& d) {
    ASCENDC_ASSERT(d.count < 2, "count is too large");  // <- here
}

struct LargeTiling {
    uint32_t words[400];
};

__aicore__ inline void tiling_too_large(Data& d) {
    GET_TILING_DATA_WITH_STRUCT(LargeTiling, data, d.tiling);  // <- here
    d.z.SetValue(0, static_cast<float>(static_cast<int32_t>(data.words[0])));
}

// ---- right, and near the edge --------------------------------------------------------------------------------------

__aicore__ inline void ok_whole_unified_buffer(Data& d) {
    Vecout queue;
    d.pipe->InitBuffer(queue, 2, 98304);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 1.0f, 24576);
    queue.EnQue(tensor);
    tensor = queue.DeQue<float>();
    DataCopyPad(d.z, tensor, {1, d.count * 4, 0, 0, 0});
    queue.FreeTensor(tensor);
}

__aicore__ inline void ok_64_buffers(Data& d) {
    TBuf<TPosition::VECCALC> buffers[64];
    for (auto& buffer : buffers) {
        d.pipe->InitBuffer(buffer, 3072);
    }
}

__aicore__ inline void ok_eight_of_one_position(Data& d) {
    Vecin queues[8];
    for (int round = 0; round < 2; ++round) {
        LocalTensor<float> tensors[8];
        for (int i = 0; i < 8; ++i) {
            if (round == 0) {
                d.pipe->InitBuffer(queues[i], 1, 256);
            }
            tensors[i] = queues[i].AllocTensor<float>();
        }
        for (int i = 0; i < 8; ++i) {
            queues[i].FreeTensor(tensors[i]);
        }
    }
}

__aicore__ inline void ok_flags(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 64);
    Order<HardEvent::MTE2_V>();
    Adds(w.b, w.a, 1.0f, 64);
    Muls(w.b, w.b, 2.0f, 64);  // V after V is ordered by the compiler
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.b, 64);
    Order<HardEvent::MTE3_V>();
    Duplicate(w.b, 0.0f, 64);
    Order<HardEvent::V_MTE2>();
    DataCopy(w.a, d.x, 64);
}

__aicore__ inline void ok_barrier_of_all_pipes(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 64);
    PipeBarrier<PIPE_ALL>();
    Adds(w.a, w.a, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(d.z, w.a, 64);
    PipeBarrier<PIPE_ALL>();
    Duplicate(w.a, 0.0f, 64);
}

__aicore__ inline void ok_scalar_is_ordered_by_the_compiler(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 64);
    const float first = w.a.GetValue(0);  // waits for MTE2, and everything behind waits for it
    Adds(w.b, w.a, first, 8);
    w.b.SetValue(1, first);
    w.b(2) = w.b(1);
    DataCopy(d.z, w.b, 8);
}

__aicore__ inline void ok_mte2_over_mte2_with_a_barrier(Data& d) {
    Work w(d);
    DataCopy(w.a, d.x, 16);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(w.a[8], d.x, 16);
}

__aicore__ inline void ok_gm_written_then_read(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 64);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, w.a, 16);
    DataCopy(d.z[16], w.a, 16);  // beside, not over
    Order<HardEvent::MTE3_MTE2>();
    DataCopy(w.b, d.z[8], 16);
}

__aicore__ inline void ok_event_ids(Data&) {
    TEventID ids[8];
    for (auto& id : ids) {
        id = GetTPipePtr()->AllocEventID<HardEvent::MTE2_V>();
    }
    for (auto& id : ids) {
        GetTPipePtr()->ReleaseEventID<HardEvent::MTE2_V>(id);
    }
    const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
}

__aicore__ inline void ok_undefined_padding_passes_over(Data& d) {
    Work w(d);
    DataCopyPad(w.a, d.x, {1, 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 7, 0.0f});
    Order<HardEvent::MTE2_V>();
    Add(w.b, w.a, w.a, 64);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, w.b, {1, 4, 0, 0, 0});
}

__aicore__ inline void ok_in_place(Data& d) {
    Work w(d);
    Duplicate(w.a, 1.0f, 256);
    Add(w.a, w.a, w.a, 256);
    Muls(w.a[64], w.a, 2.0f, 64);  // beside each other
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z, w.a, {1, d.count * 4, 0, 0, 0});
}

__aicore__ inline void ok_bound_queue(Data& d) {
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    d.pipe->InitBuffer(queue, 2, 256);
    for (int i = 0; i < 3; ++i) {
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        DataCopyPad(tensor, d.x, {1, 32, 0, 0, 0}, DataCopyPadExtParams<float>{});
        if (i == 1) {
            queue.EnQue<TPosition::VECIN, TPosition::VECOUT, float>(tensor);
            tensor = queue.DeQue<TPosition::VECIN, TPosition::VECOUT, float>();
        } else {
            queue.EnQue(tensor);
            tensor = queue.DeQue<float>();
        }
        DataCopyPad(d.z[i * 8], tensor, {1, 32, 0, 0, 0});
        queue.FreeTensor(tensor);
    }
}

__aicore__ inline void ok_in_place_queue(Data& d) {
    TQue<TPosition::VECOUT, 0> queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor;
    for (int i = 0; i < 3; ++i) {
        queue.AllocTensor(tensor);
        Duplicate(tensor, 3.0f, 8);
        queue.EnQue(tensor);
        queue.DeQue(tensor);
        DataCopy(d.z[i * 8], tensor, 8);
        queue.FreeTensor(tensor);
    }
}

__aicore__ inline void ok_queue_questions(Data& d) {
    TQue<TPosition::VECIN, 2> queue;
    d.pipe->InitBuffer(queue, 2, 256);
    ASCENDC_ASSERT(queue.VacantInQue() && queue.HasIdleBuffer() && !queue.HasTensorInQue());
    LocalTensor<float> one = queue.AllocTensor<float>();
    LocalTensor<float> two = queue.AllocTensor<float>();
    ASCENDC_ASSERT(!queue.HasIdleBuffer() && queue.GetTensorCountInQue() == 0);
    queue.EnQue(one);
    queue.EnQue(two);
    ASCENDC_ASSERT(!queue.VacantInQue() && queue.GetTensorCountInQue() == 2);
    one = queue.DeQue<float>();
    two = queue.DeQue<float>();
    queue.FreeTensor(one);
    queue.FreeTensor(two);
}

__aicore__ inline void ok_pipe_reset(Data& d) {
    for (int i = 0; i < 3; ++i) {
        TBuf<TPosition::VECCALC> buffer;
        d.pipe->InitBuffer(buffer, 196608);
        d.pipe->Reset();
    }
}

__aicore__ inline void ok_cache_line_cleaned(Data& d) {
    Work w(d);
    d.z.SetValue(3, 1.0f);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(d.z);
    DataCopy(w.a, d.z, 8);
    PipeBarrier<PIPE_ALL>();
    d.z.SetValue(7, 1.0f);
    d.z.SetValue(50, 1.0f);
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(d.z);
    DataCopy(d.z, w.a, 8);
}

__aicore__ inline void ok_fixed_addresses(Data& d) {
    LocalTensor<float> tensor(TPosition::VECCALC, 196608 - 32, 8);
    DataCopy(tensor, d.x, 8);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, tensor, 8);
}

// The names in the order of their tiling keys; the test reads them from here.
// clang-format off
#define CASES(CASE) \
    CASE(ub_capacity) \
    CASE(too_many_buffers) \
    CASE(queue_without_buffers) \
    CASE(alloc_beyond_buffers) \
    CASE(deque_of_empty_queue) \
    CASE(deque_of_freed_tensor) \
    CASE(deque_of_an_empty_deeper_queue) \
    CASE(enque_twice) \
    CASE(enque_beyond_depth) \
    CASE(two_pipes) \
    CASE(never_freed) \
    CASE(still_queued) \
    CASE(freed_twice) \
    CASE(freed_while_queued) \
    CASE(foreign_tensor) \
    CASE(too_many_of_one_position) \
    CASE(too_many_free_events) \
    CASE(used_after_free) \
    CASE(no_mte2_to_v) \
    CASE(no_v_to_mte3) \
    CASE(no_mte3_to_v) \
    CASE(no_v_to_mte2) \
    CASE(no_mte2_to_mte3) \
    CASE(deque_forgotten) \
    CASE(freed_too_early) \
    CASE(mte2_over_mte2) \
    CASE(gm_written_then_read) \
    CASE(gm_written_twice) \
    CASE(flag_set_twice) \
    CASE(flag_never_set) \
    CASE(flag_never_waited_for) \
    CASE(event_id_out_of_range) \
    CASE(event_ids_used_up) \
    CASE(event_id_not_allocated) \
    CASE(unaligned) \
    CASE(count_beyond_tensor) \
    CASE(negative_count) \
    CASE(partial_overlap) \
    CASE(gm_read_too_far) \
    CASE(gm_write_too_far) \
    CASE(gm_write_to_input) \
    CASE(gm_null) \
    CASE(gm_scalar_too_far) \
    CASE(cache_line_read) \
    CASE(cache_line_written) \
    CASE(undefined_to_gm) \
    CASE(undefined_through_arithmetic) \
    CASE(undefined_after_alloc) \
    CASE(undefined_padding) \
    CASE(undefined_scalar) \
    CASE(undefined_scalar_moved) \
    CASE(undefined_select) \
    CASE(index_out_of_range) \
    CASE(view_out_of_range) \
    CASE(size_beyond_unified_buffer) \
    CASE(fixed_address_out_of_range) \
    CASE(mask_too_wide) \
    CASE(destination_stride_of_zero) \
    CASE(repeats_beyond_tensor) \
    CASE(shift_too_far) \
    CASE(compare_of_a_part) \
    CASE(select_mode) \
    CASE(assertion) \
    CASE(tiling_too_large) \
    CASE(ok_whole_unified_buffer) \
    CASE(ok_64_buffers) \
    CASE(ok_eight_of_one_position) \
    CASE(ok_flags) \
    CASE(ok_barrier_of_all_pipes) \
    CASE(ok_scalar_is_ordered_by_the_compiler) \
    CASE(ok_mte2_over_mte2_with_a_barrier) \
    CASE(ok_gm_written_then_read) \
    CASE(ok_event_ids) \
    CASE(ok_undefined_padding_passes_over) \
    CASE(ok_in_place) \
    CASE(ok_bound_queue) \
    CASE(ok_in_place_queue) \
    CASE(ok_queue_questions) \
    CASE(ok_pipe_reset) \
    CASE(ok_cache_line_cleaned) \
    CASE(ok_fixed_addresses)
// clang-format on

extern "C" __global__ __aicore__ void cases(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(CasesTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Data d{{}, {}, data.count, tiling, &pipe};
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
