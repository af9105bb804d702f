// Tensors, queues, buffers, pools and events: each case leaves its answers in z. "// <- here" marks what is refused.
#include "kernel_operator.h"
#include "kernel_utils.h"

using namespace AscendC;

struct ResourcesTiling {
    uint32_t count;  // elements of x and z
};

struct Data {
    GlobalTensor<float> x, z;
    uint32_t count;
    GM_ADDR xAddress;
    GM_ADDR zAddress;
    TPipe* pipe;
};

using Vecin = TQue<TPosition::VECIN, 1>;
using Vecout = TQue<TPosition::VECOUT, 1>;

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// What the scalar unit wrote reaches global memory.
__aicore__ inline void Flush(Data& d) {
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(d.z);
}

__aicore__ inline void Answer(Data& d, const float* values, int count) {
    for (int i = 0; i < count; ++i) {
        d.z.SetValue(i, values[i]);
    }
    Flush(d);
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void pool_without_a_place(Data&) {
    TBufPool<TPosition::VECCALC> pool;
    TBuf<TPosition::VECCALC> buffer;
    pool.InitBuffer(buffer, 32);  // <- here
}

__aicore__ inline void pool_of_too_many_buffers(Data& d) {
    TBufPool<TPosition::VECCALC> pool;
    d.pipe->InitBufPool(pool, 1024);
    TBuf<TPosition::VECCALC> buffers[5];
    for (auto& buffer : buffers) {
        pool.InitBuffer(buffer, 32);  // <- here
    }
}

__aicore__ inline void pool_overflown(Data& d) {
    TBufPool<TPosition::VECCALC> pool;
    d.pipe->InitBufPool(pool, 1024);
    Vecin queue;
    pool.InitBuffer(queue, 2, 513);  // <- here
}

__aicore__ inline void pool_shared_and_longer(Data& d) {
    TBufPool<TPosition::VECCALC> one, two;
    d.pipe->InitBufPool(one, 1024);
    d.pipe->InitBufPool(two, 1025, one);  // <- here
}

__aicore__ inline void pool_shares_nothing(Data& d) {
    TBufPool<TPosition::VECCALC> one, two;
    d.pipe->InitBufPool(two, 32, one);  // <- here
}

__aicore__ inline void pool_beyond_the_buffer(Data& d) {
    TBufPool<TPosition::VECCALC> pool;
    d.pipe->InitBufPool(pool, 196609);  // <- here
}

__aicore__ inline void pool_of_a_negative_length(Data& d) {
    TBufPool<TPosition::VECCALC> pool;
    d.pipe->InitBufPool(pool, static_cast<uint32_t>(-31));  // <- here
}

__aicore__ inline void pool_queue_of_nothing(Data& d) {
    TBufPool<TPosition::VECCALC> pool;
    d.pipe->InitBufPool(pool, 1024);
    Vecin queue;
    pool.InitBuffer(queue, 0, 32);  // <- here
}

__aicore__ inline void state_of_a_foreign_tensor(Data& d) {
    Vecin one, two;
    d.pipe->InitBuffer(one, 1, 256);
    d.pipe->InitBuffer(two, 1, 256);
    LocalTensor<float> tensor = one.AllocTensor<float>();
    (void)two.GetState(tensor);  // <- here
}

__aicore__ inline void used_when_freed(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Duplicate(tensor, 1.0f, 64);
    queue.FreeTensor(tensor);
    Muls(tensor, tensor, 2.0f, 64);  // <- here
}

__aicore__ inline void address_inside_a_block(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, Std::make_tuple(64, 256), Std::make_tuple(336, 256));  // <- here
}

__aicore__ inline void address_beyond_the_buffer(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, Std::make_tuple(196480, 256));  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_local_tensor(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1000);  // 1024
    static_assert(std::is_same_v<__bf16, bfloat16_t> && std::is_same_v<float16_t, half>);
    LocalTensor<float32_t> a = buffer.AllocTensor<float>();
    LocalTensor<float> b = buffer.Get<float>(8);
    LocalTensor<float16_t> c = buffer.GetWithOffset<half>(32, 64);
    buffer.FreeTensor(b);
    LocalTensor<half> e = a[24].ReinterpretCast<half>();
    a.SetValue(0, 1.5f);
    a(1) = 2.0f;
    a(1) += 0.5f;
    a(1) *= 4;
    a(1) -= 1.0f;
    a(1) /= 3.0f;
    e(0) = (half)2.5f;
    e(1) = e(0);
    LocalTensor<float> f;
    f.SetAddrWithOffset(e, 4);
    LocalTensor<float> g = a;
    g.SetSize(3);
    LocalTensor<float> h = a;
    h.SetBufferLen(64);
    g.SetUserTag(7);
    uint32_t dims[] = {2, 3};
    g.SetShapeInfo(ShapeInfo(2, dims, DataFormat::NCHW));
    const ShapeInfo info = g.GetShapeInfo();
    const float values[] = {
        (float)(int64_t)a.GetSize(),
        (float)(int64_t)b.GetSize(),
        (float)(int64_t)c.GetSize(),
        (float)(int64_t)e.GetSize(),
        a.GetValue(0),
        a(1),
        (float)(int64_t)(c.GetPhyAddr() - a.GetPhyAddr()),
        (float)(int64_t)(a.GetPhyAddr(3) - a.GetPhyAddr()),
        (float)(int64_t)(f.GetPhyAddr() - a.GetPhyAddr()),
        (float)(int64_t)g.GetSize(),
        (float)(int64_t)h.GetLength(),
        (float)g.GetUserTag(),
        (float)a.GetPosition(),
        (float)(int64_t)info.shapeDim,
        (float)(int64_t)info.shape[1],
        (float)(int64_t)info.originalShape[0],
        (float)(int)info.dataFormat,
        (float)(int64_t)b.GetLength(),
        -((float)e(1)),
        e(1) * 2.0f,
        e(1) + (float)(half)e(0),
    };
    Answer(d, values, 21);
}

__aicore__ inline void ok_four_bits(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 128);
    LocalTensor<int4b_t> a = buffer.Get<int4b_t>();
    LocalTensor<int4b_t> b = buffer.Get<int4b_t>(64);
    GlobalTensor<int4b_t> g;
    g.SetGlobalBuffer((__gm__ int4b_t*)d.xAddress, 64);
    const float values[] = {
        (float)(int64_t)a.GetSize(),
        (float)(int64_t)b.GetLength(),
        (float)(int64_t)(a[64].GetPhyAddr() - a.GetPhyAddr()),
        (float)(int64_t)a.ReinterpretCast<int8_t>().GetSize(),
        (float)(int64_t)a.ReinterpretCast<int32_t>().GetSize(),
        (float)(int64_t)(g[32].Address() - g.Address()),
        (float)(int64_t)g.GetSize(),
    };
    Answer(d, values, 7);
}

__aicore__ inline void ok_global_tensor(Data& d) {
    GlobalTensor<float> a = d.x;
    a.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    GlobalTensor<float> b;
    b.SetGlobalBuffer((__gm__ float*)d.xAddress);
    uint32_t dims[] = {5};
    a.SetShapeInfo(ShapeInfo(1, dims));
    const float values[] = {
        (float)(int64_t)a.GetSize(),
        (float)(int64_t)b.GetSize(),
        a.GetValue(3),
        a[4].GetValue(1),
        (float)(int64_t)a[4].GetSize(),
        a(6),
        (float)(a.GetPhyAddr(2) - a.GetPhyAddr()),
        (float)(int64_t)a.GetShapeInfo().shape[0],
        (float)(int)a.GetShapeInfo().dataFormat,
    };
    d.z(15) = 3.0f;
    Answer(d, values, 9);
}

__aicore__ inline void ok_queue_questions(Data& d) {
    TQue<TPosition::VECIN, 2> queue;
    d.pipe->InitBuffer(queue, 2, 256);
    float values[12];
    int n = 0;
    values[n++] = queue.VacantInQue();
    values[n++] = queue.HasTensorInQue();
    values[n++] = queue.HasIdleBuffer();
    LocalTensor<float> a = queue.AllocTensor<float>();
    values[n++] = (int)queue.GetState(a);
    queue.EnQue(a);
    values[n++] = (int)queue.GetState(a);
    values[n++] = queue.HasTensorInQue();
    LocalTensor<float> b = queue.AllocTensor<float>();
    queue.EnQue(b);
    values[n++] = queue.GetTensorCountInQue();
    values[n++] = queue.VacantInQue();
    values[n++] = queue.HasIdleBuffer();
    a = queue.DeQue<float>();
    values[n++] = (int)queue.GetState(a);
    queue.FreeTensor(a);
    values[n++] = (int)queue.GetState(a);
    b = queue.DeQue<float>();
    queue.FreeTensor(b);
    values[n++] = queue.HasIdleBuffer();
    Answer(d, values, n);
}

// One buffer that is VECIN and VECOUT in turn.
__aicore__ inline void ok_queue_between_positions(Data& d) {
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    d.pipe->InitBuffer(queue, 1, 1024);
    for (uint32_t i = 0; i < 2; ++i) {
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        DataCopy(tensor, d.x[i * 128], 128);
        queue.EnQue<TPosition::GM, TPosition::VECIN, float>(tensor);
        tensor = queue.DeQue<TPosition::GM, TPosition::VECIN, float>();
        Adds(tensor, tensor, 1.0f, 128);
        queue.EnQue<TPosition::VECOUT, TPosition::GM, float>(tensor);
        tensor = queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();
        DataCopy(d.z[i * 128], tensor, 128);
        queue.FreeTensor(tensor);
    }
}

__aicore__ inline void ok_queue_in_place(Data& d) {
    TQue<TPosition::VECIN, 0> in;
    TQue<TPosition::VECOUT, 0> out;
    d.pipe->InitBuffer(in, 1, 1024);
    d.pipe->InitBuffer(out, 1, 1024);
    LocalTensor<float> a, b;
    in.AllocTensor(a);
    DataCopy(a, d.x, 256);
    in.EnQue(a);
    in.DeQue(a);
    out.AllocTensor(b);
    Adds(b, a, 2.0f, 256);
    in.FreeTensor(a);
    out.EnQue(b);
    out.DeQue(b);
    DataCopy(d.z, b, 256);
    out.FreeTensor(b);
}

// Functions with the types that their pages give them.
template <typename T>
using OfOne = void(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T>
using OfTwo = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T, OfOne<T>* one, OfTwo<T>* two>
__aicore__ inline void Handed(const LocalTensor<T>& tensor) {
    one(tensor, tensor, 256);
    two(tensor, tensor, tensor, 256);
}

__aicore__ inline void ok_functions_handed_on(Data& d) {
    Vecin in;
    Vecout out;
    d.pipe->InitBuffer(in, 1, 1024);
    d.pipe->InitBuffer(out, 1, 1024);
    LocalTensor<float> a = in.AllocTensor<float>(), b = out.AllocTensor<float>();
    DataCopy(a, d.x, 256);
    in.EnQue(a);
    a = in.DeQue<float>();
    Adds(b, a, 0.0f, 256);
    Handed<float, Abs, Add>(b);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(d.z, b, 256);
    out.FreeTensor(b);
}

template <typename T>
using OfTwoMasked = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, uint64_t, const uint8_t,
                         const BinaryRepeatParams&);
template <typename T>
using OfOneCounted = void(const LocalTensor<T>&, const LocalTensor<T>&, const uint32_t);
template <typename T, OfTwoMasked<T>* two, OfOneCounted<T>* one>
__aicore__ inline void HandedMore(const LocalTensor<T>& to, const LocalTensor<T>& from) {
    two(from, from, from, 64, 4, {1, 1, 1, 8, 8, 8});
    one(to, from, 256);
}

__aicore__ inline void ok_functions_handed_on_with_masks(Data& d) {
    Vecin in;
    Vecout out;
    d.pipe->InitBuffer(in, 1, 1024);
    d.pipe->InitBuffer(out, 1, 1024);
    LocalTensor<float> a = in.AllocTensor<float>(), b = out.AllocTensor<float>();
    DataCopy(a, d.x, 256);
    in.EnQue(a);
    a = in.DeQue<float>();
    HandedMore<float, Add, Trunc<float, false>>(b, a);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(d.z, b, 256);
    out.FreeTensor(b);
}

// More buffers of one position than there are events, after the flags of the first are waited for.
__aicore__ inline void ok_free_all_event(Data& d) {
    Vecin queues[2];
    for (auto& queue : queues) {
        d.pipe->InitBuffer(queue, 8, 32);
        LocalTensor<float> tensors[8];
        for (auto& tensor : tensors) {
            tensor = queue.AllocTensor<float>();
        }
        for (auto& tensor : tensors) {
            queue.FreeTensor(tensor);
        }
        queue.FreeAllEvent();
    }
    const float values[] = {1.0f};
    Answer(d, values, 1);
}

__aicore__ inline void ok_buffers_at_addresses(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, Std::make_tuple(64, 256), Std::make_tuple(1024, 512));
    LocalTensor<float> a = queue.AllocTensor<float>();
    LocalTensor<float> b = queue.AllocTensor<float>();
    const float values[] = {(float)(int64_t)a.GetPhyAddr(), (float)(int64_t)a.GetLength(),
                            (float)(int64_t)b.GetPhyAddr(), (float)(int64_t)b.GetLength()};
    queue.FreeTensor(a);
    queue.FreeTensor(b);
    Answer(d, values, 4);
}

// Two stages in one place, and a pool inside of a pool.
__aicore__ inline void ok_pools(Data& d) {
    TBufPool<TPosition::VECCALC> first, second;
    TBufPool<TPosition::VECCALC, 16> inner;
    d.pipe->InitBufPool(first, 2048);
    d.pipe->InitBufPool(second, 2000, first);
    Vecin in, again;
    Vecout out, back;
    first.InitBuffer(in, 1, 1024);
    first.InitBuffer(out, 1, 1024);
    second.InitBufPool(inner, 1024);
    inner.InitBuffer(back, 2, 512);
    second.InitBuffer(again, 1, 512);
    const auto stage = [&](Vecin& from, Vecout& to, uint32_t start, uint32_t count) {
        LocalTensor<float> a = from.AllocTensor<float>();
        DataCopy(a, d.x[start], count);
        from.EnQue(a);
        a = from.DeQue<float>();
        LocalTensor<float> b = to.AllocTensor<float>();
        Muls(b, a, 3.0f, count);
        from.FreeTensor(a);
        to.EnQue(b);
        b = to.DeQue<float>();
        DataCopy(d.z[start], b, count);
        to.FreeTensor(b);
    };
    stage(in, out, 0, 128);
    first.Reset();
    stage(again, back, 128, 128);
    second.Reset();
}

__aicore__ inline void ok_stack_buffer(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1024);
    LocalTensor<uint8_t> left;
    const bool some = PopStackBuffer<uint8_t, TPosition::LCM>(left);
    TBuf<TPosition::VECCALC> all;
    d.pipe->InitBuffer(all, 195584);
    LocalTensor<half> none;
    const bool nothing = PopStackBuffer<half, TPosition::VECCALC>(none);
    const float values[] = {(float)(int64_t)some, (float)(int64_t)left.GetPhyAddr(), (float)(int64_t)left.GetSize(),
                            (float)(int64_t)nothing};
    Answer(d, values, 4);
}

__aicore__ inline void ok_reset(Data& d) {
    for (uint32_t i = 0; i < 2; ++i) {
        Vecin queue;
        d.pipe->InitBuffer(queue, 2, 98304);
        LocalTensor<float> tensor = queue.AllocTensor<float>();
        DataCopy(tensor, d.x, 128);
        queue.EnQue(tensor);
        queue.DeQue();  // the tensor serves on
        Adds(tensor, tensor, 1.0f, 128);
        queue.FreeTensor(tensor);
        for (int k = 0; k < 8; ++k) {
            (void)d.pipe->AllocEventID<HardEvent::V_MTE3>();
        }
        d.pipe->Reset();
    }
    const float values[] = {1.0f};
    Answer(d, values, 1);
}

__aicore__ inline void ok_destroy(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 196608);
    d.pipe->Destroy();
    d.pipe->Init();
    d.pipe->InitBuffer(buffer, 196608);
    d.pipe->DestroyWithoutPipeAll();
    TPipe other;
    other.InitBuffer(buffer, 196608);
    const float values[] = {GetTPipePtr() == &other ? 1.0f : 0.0f};
    Answer(d, values, 1);
    other.Destroy();
}

__aicore__ inline void ok_event_ids(Data& d) {
    const TEventID a = d.pipe->AllocEventID<HardEvent::MTE2_V>();
    const TEventID b = d.pipe->AllocEventID<HardEvent::MTE2_V>();
    const TEventID c = d.pipe->FetchEventID<HardEvent::MTE2_V>();
    const TEventID e = d.pipe->FetchEventID(HardEvent::V_MTE3);
    d.pipe->ReleaseEventID<HardEvent::MTE2_V>(a);
    const TEventID f = d.pipe->FetchEventID(HardEvent::MTE2_V);
    d.pipe->ReleaseEventID<HardEvent::MTE2_V>(b);
    const float values[] = {(float)a, (float)b, (float)c, (float)e, (float)f};
    Answer(d, values, 5);
}

__aicore__ inline void ok_queue_sync(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1024);
    LocalTensor<float> tensor = buffer.Get<float>();
    TQueSync<PIPE_MTE2, PIPE_V> in;
    TQueSync<PIPE_V, PIPE_MTE3> out;
    DataCopy(tensor, d.x, 256);
    in.SetFlag(0);
    in.WaitFlag(0);
    Adds(tensor, tensor, 5.0f, 256);
    out.SetFlag(1);
    out.WaitFlag(1);
    DataCopy(d.z, tensor, 256);
}

// Without a TPipe's buffers.
__aicore__ inline void ok_allocator(Data& d) {
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<float> a = memory.Alloc<TPosition::VECIN, float, 256>();
    LocalTensor<half> b = memory.Alloc<half>(3);
    LocalTensor<float> c = memory.Alloc<float, 128>();
    LocalTensor<float> e = memory.Alloc<TPosition::VECCALC, float>(8);
    DataCopy(a, d.x, 256);
    Order<HardEvent::MTE2_V>();
    Adds(c, a, 7.0f, 128);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, c, 128);
    Order<HardEvent::MTE3_S>();
    d.z.SetValue(128, (float)(int64_t)b.GetPhyAddr());
    d.z.SetValue(129, (float)(int64_t)c.GetPhyAddr());
    d.z.SetValue(130, (float)(int64_t)e.GetPhyAddr());
    d.z.SetValue(131, (float)(int64_t)memory.GetCurAddr());
    d.z.SetValue(132, (float)a.GetPosition());
    Flush(d);
}

// Buffers that a kernel places itself: InitBuffer, SetAddr, and the address that it reads and writes.
__aicore__ inline void ok_own_address(Data& d) {
    LocalTensor<float> a, c;
    a.InitBuffer(1024, 256);
    a.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);
    DataCopyGM2UBImpl((__ubuf__ float*)a.GetPhyAddr(), (__gm__ float*)d.xAddress, {1, 32, 0, 0});
    Order<HardEvent::MTE2_V>();
    TBuffAddr there = a[64].address_;
    there.bufferAddr += 4096;
    c.SetAddr(there);
    Adds(c, a[128], 9.0f, 64);
    Duplicate(c[64], 0.0f, 8);
    vcadd((__ubuf__ float*)c[64].GetPhyAddr(), (__ubuf__ float*)a.GetPhyAddr(), 2, 1, 1, 8, false);
    Order<HardEvent::V_MTE3>();
    DataCopyUB2GMImpl((__gm__ float*)d.zAddress, (__ubuf__ float*)c.GetPhyAddr(), {1, 9, 0, 0});
    Order<HardEvent::MTE3_S>();
    d.z.SetValue(66, (float)c.address_.dataLen);
    d.z.SetValue(67, (float)c.address_.bufferAddr);
    d.z.SetValue(68, (float)c.GetPosition());
    d.z.SetValue(69, d.x.address_ == d.x.GetPhyAddr() ? BLOCK_CUBE : 0.0f);
    d.z.SetValue(70, TOTAL_UB_SIZE);
    d.z.SetValue(71, abs(-2.5f) + abs(int64_t{-3}));
    Flush(d);
}

// clang-format off
#define CASES(CASE) \
    CASE(pool_without_a_place) \
    CASE(pool_of_too_many_buffers) \
    CASE(pool_overflown) \
    CASE(pool_shared_and_longer) \
    CASE(pool_shares_nothing) \
    CASE(pool_beyond_the_buffer) \
    CASE(pool_of_a_negative_length) \
    CASE(pool_queue_of_nothing) \
    CASE(state_of_a_foreign_tensor) \
    CASE(used_when_freed) \
    CASE(address_inside_a_block) \
    CASE(address_beyond_the_buffer) \
    CASE(ok_local_tensor) \
    CASE(ok_four_bits) \
    CASE(ok_global_tensor) \
    CASE(ok_queue_questions) \
    CASE(ok_queue_between_positions) \
    CASE(ok_queue_in_place) \
    CASE(ok_functions_handed_on) \
    CASE(ok_functions_handed_on_with_masks) \
    CASE(ok_free_all_event) \
    CASE(ok_buffers_at_addresses) \
    CASE(ok_pools) \
    CASE(ok_stack_buffer) \
    CASE(ok_reset) \
    CASE(ok_destroy) \
    CASE(ok_event_ids) \
    CASE(ok_queue_sync) \
    CASE(ok_allocator) \
    CASE(ok_own_address)
// clang-format on

extern "C" __global__ __aicore__ void resources(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(ResourcesTiling, data, tiling);
    TPipe pipe;
    Data d{{}, {}, data.count, x, z, &pipe};
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
