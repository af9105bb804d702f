// TPipe, TQue, TQueBind and TBuf: who owns which part of a core's memories, and when.
// Documentation: SIMD-API/基础API/资源管理
#ifndef ASCENDC_KERNEL_TPIPE_H
#define ASCENDC_KERNEL_TPIPE_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "kernel_operator_block_sync_intf.h"

namespace sim {

// The memory of a queue that is bound from one position to another.
constexpr AscendC::TPosition QueuePosition(AscendC::TPosition source, AscendC::TPosition destination) {
    return source == AscendC::TPosition::GM || destination == AscendC::TPosition::TSCM ? destination : source;
}

// The tuple with the address and bytes of a queue's first buffer, and where the call stands: behind a pack of further
// tuples there is no room for a default argument.
struct FirstPlace {
    template <class U, class V>
    FirstPlace(const AscendC::Std::tuple<U, V>& place, Site site = Site::Here())
        : address(static_cast<uint64_t>(AscendC::Std::get<0>(place))),
          bytes(static_cast<uint64_t>(AscendC::Std::get<1>(place))),
          site(site) {}

    uint64_t address, bytes;
    Site site;
};

}  // namespace sim

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

// Where a queue's buffer stands.
enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

// Flags between two pipes, by ids of the kernel's own. Documentation: 基础API/同步控制/核内同步/TQueSync模板参数
template <pipe_t src, pipe_t dst>
class TQueSync {
    static_assert(sim::PipeOf(src) != sim::Pipe::kCount && sim::PipeOf(dst) != sim::Pipe::kCount && src != dst,
                  "TQueSync: two different pipes, not PIPE_ALL (核内同步/TQueSync模板参数)");

public:
    void SetFlag(TEventID id, sim::Site site = sim::Site::Here()) {
        sim::SetFlag(sim::PipeOf(src), sim::PipeOf(dst), id, site);
    }
    void WaitFlag(TEventID id, sim::Site site = sim::Site::Here()) {
        sim::WaitFlag(sim::PipeOf(src), sim::PipeOf(dst), id, site);
    }
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(sim::MemoryOf(sim::QueuePosition(src, dst)) != sim::Memory::kCount,
                  "TQue: this position has no memory inside the cores of Atlas A2 and A3 (通用说明和约束, 表1)");

public:
    TQueBind() = default;  // and a copy is the same queue; on a device each of the two would count for itself

    static constexpr TPosition kPosition = sim::QueuePosition(src, dst);

    template <typename T>
    LocalTensor<T> AllocTensor(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "AllocTensor: a queue of depth 0 takes the in-place form AllocTensor(tensor)");
        return LocalTensor<T>(sim::QueueAlloc(id_, site), kPosition);
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        tensor = LocalTensor<T>(sim::QueueAlloc(id_, site), kPosition);
    }
    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        sim::QueueEnQue(id_, tensor.Place(), site);
        return true;
    }
    // With the positions the tensor goes between: for a queue whose buffers are VECIN first and VECOUT then, or the
    // queue's own.
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    bool EnQue(const LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        if constexpr (kOwn<srcUserPos, dstUserPos>) {
            return EnQue(tensor, site);
        }
        CheckUserPositions<srcUserPos, dstUserPos>();
        sim::QueueEnQueBetween(id_, static_cast<uint8_t>(srcUserPos), static_cast<uint8_t>(dstUserPos), tensor.Place(),
                               site);
        return true;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    LocalTensor<T> DeQue(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)");
        if constexpr (kOwn<srcUserPos, dstUserPos>) {
            return DeQue<T>(site);
        }
        CheckUserPositions<srcUserPos, dstUserPos>();
        return LocalTensor<T>(
            sim::QueueDeQueBetween(id_, static_cast<uint8_t>(srcUserPos), static_cast<uint8_t>(dstUserPos), site),
            kPosition);
    }
    template <typename T>
    LocalTensor<T> DeQue(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)");
        return LocalTensor<T>(sim::QueueDeQue(id_, site), kPosition);
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        tensor = LocalTensor<T>(sim::QueueDeQue(id_, site), kPosition);
    }
    // Without a type the tensor that went in serves on; CANN's operators call it so.
    void DeQue(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)");
        sim::QueueDeQue(id_, site);
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        sim::QueueFree(id_, tensor.Place(), site);
    }
    // Waits for the flags of FreeTensor, so that other queues of the position may have their ids.
    void FreeAllEvent(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "FreeAllEvent: not for a queue of depth 0 (TQueBind/FreeAllEvent)");
        sim::QueueFreeAllEvent(id_, site);
    }
    template <typename T>
    TBufState GetState(const LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) const {
        return static_cast<TBufState>(sim::QueueState(id_, tensor.Place(), site));
    }
    bool VacantInQue(sim::Site site = sim::Site::Here()) {
        return sim::QueueAsk(id_, sim::QueueQuestion::kVacant, site) != 0;
    }
    bool HasTensorInQue(sim::Site site = sim::Site::Here()) {
        return sim::QueueAsk(id_, sim::QueueQuestion::kHasTensor, site) != 0;
    }
    int32_t GetTensorCountInQue(sim::Site site = sim::Site::Here()) {
        return sim::QueueAsk(id_, sim::QueueQuestion::kTensorCount, site);
    }
    bool HasIdleBuffer(sim::Site site = sim::Site::Here()) {
        return sim::QueueAsk(id_, sim::QueueQuestion::kHasIdle, site) != 0;
    }

private:
    // The positions that the queue is bound to itself, as VECIN and VECOUT.
    template <TPosition srcUserPos, TPosition dstUserPos>
    static constexpr bool kOwn = srcUserPos == src && dstUserPos == dst && src != TPosition::GM && dst != TPosition::GM;
    template <TPosition srcUserPos, TPosition dstUserPos>
    static constexpr void CheckUserPositions() {
        constexpr bool in = srcUserPos == TPosition::GM && dstUserPos == TPosition::VECIN;
        constexpr bool out = srcUserPos == TPosition::VECOUT && dstUserPos == TPosition::GM;
        static_assert(in || out || kOwn<srcUserPos, dstUserPos>,
                      "EnQue, DeQue: the positions are GM to VECIN, VECOUT to GM or the queue's own (TQue/EnQue)");
    }

    friend class TPipe;
    template <TPosition pos, uint32_t bufIDSize>
    friend class TBufPool;
    int32_t id_ = -1;
};

// TQue<VECIN> is bound from GM to VECIN, TQue<VECOUT> from VECOUT to GM (and CO2 of ascend310p so), TQue<VECCALC>
// to itself.
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position == TPosition::VECIN ? TPosition::GM : position,
                             position == TPosition::VECOUT || position == TPosition::CO2 ? TPosition::GM : position,
                             depth, mask> {};

// A queue of buffers in L1 that vector and cube cores share. Documentation: 基础API/资源管理/TSCM/TSCM简介
template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

template <TPosition position = TPosition::LCM>
class TBuf {
    static_assert(sim::MemoryOf(position) != sim::Memory::kCount,
                  "TBuf: this position has no memory inside the cores of Atlas A2 and A3 (通用说明和约束, 表1)");

public:
    TBuf() = default;  // and a copy is the same buffer, as in the device's header

    template <typename T>
    LocalTensor<T> Get() {
        return LocalTensor<T>(place_, position);
    }
    // As a queue's, without a queue: the whole buffer, which nobody has to free.
    template <typename T>
    LocalTensor<T> AllocTensor() {
        return Get<T>();
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>&) {}
    // The handle, of one of its tensors, says nothing that the buffer does not know.
    TBuffAddr GetBufferAddr(TBufHandle buf) {
        return {place_.end - place_.addr, place_.addr, buf, static_cast<uint8_t>(position)};
    }
    // The first `length` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t length, sim::Site site = sim::Site::Here()) {
        return GetWithOffset<T>(length, 0, site);
    }
    // `size` elements, starting `offset` bytes into the buffer.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset, sim::Site site = sim::Site::Here()) {
        return LocalTensor<T>(sim::BufferView(place_, offset, sim::BytesOf<T>(size), site), position);
    }

private:
    friend class TPipe;
    template <TPosition pos, uint32_t bufIDSize>
    friend class TBufPool;
    sim::Ub place_;
};

// A part of the unified buffer or of L1 that is divided on its own, and may share its place with other pools.
// Documentation: SIMD-API/基础API/资源管理/TBufPool
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
    static_assert(sim::MemoryOf(pos) == sim::Memory::kUb || sim::MemoryOf(pos) == sim::Memory::kL1,
                  "TBufPool: the position is VECIN, VECOUT, VECCALC, A1, B1 or C1 (TBufPool/TBufPool构造函数)");
    static_assert(bufIDSize >= 1 && bufIDSize <= 16, "TBufPool: at most 16 buffers (TBufPool/InitBuffer)");

public:
    static constexpr TPosition poolPos = pos;

    TBufPool() = default;
    ~TBufPool() noexcept(false) { sim::PoolReset(place_); }
    TBufPool(const TBufPool&) = delete;
    TBufPool& operator=(const TBufPool&) = delete;

    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask>& que, uint8_t num, uint32_t len,
                    sim::Site site = sim::Site::Here()) {
        static_assert(sim::MemoryOf(TQueBind<src, dst, depth, mask>::kPosition) == sim::MemoryOf(pos),
                      "TBufPool::InitBuffer: the queue lies in another memory (TBufPool/InitBuffer)");
        que.id_ = sim::PoolQueue(place_, used_, bufIDSize,
                                 {static_cast<uint8_t>(src), static_cast<uint8_t>(dst),
                                  static_cast<uint8_t>(TQueBind<src, dst, depth, mask>::kPosition), depth},
                                 num, len, site);
        return true;
    }
    template <TPosition bufPos>
    bool InitBuffer(TBuf<bufPos>& buf, uint32_t len, sim::Site site = sim::Site::Here()) {
        static_assert(sim::MemoryOf(bufPos) == sim::MemoryOf(pos),
                      "TBufPool::InitBuffer: the buffer lies in another memory (TBufPool/InitBuffer)");
        buf.place_ = sim::PoolTake(place_, used_, bufIDSize, len, site);
        return true;
    }
    template <class Pool>
    bool InitBufPool(Pool& bufPool, uint32_t len, sim::Site site = sim::Site::Here()) {
        bufPool.Place(sim::PoolTake(place_, used_, bufIDSize, len, site));
        return true;
    }
    template <class Pool, class Other>
    bool InitBufPool(Pool& bufPool, uint32_t len, Other& shareBuf, sim::Site site = sim::Site::Here()) {
        bufPool.Place(sim::PoolShare(shareBuf.Room(), len, site));
        return true;
    }
    // Ends what the pool's buffers are used for; what they hold is undefined afterwards.
    void Reset() { sim::PoolReset(place_); }

    void Place(const sim::Ub& place) {
        place_ = place;
        used_ = {};
    }
    const sim::Ub& Room() const { return place_; }

private:
    sim::Ub place_;
    sim::PoolUse used_;
};

class TPipe {
public:
    TPipe(sim::Site site = sim::Site::Here()) { sim::PipeOpen(this, site); }
    ~TPipe() noexcept(false) { sim::PipeClose(this); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init(sim::Site site = sim::Site::Here()) { sim::PipeOpen(this, site); }
    void Reset() { sim::PipeReset(); }
    void Destroy() { sim::PipeClose(this); }
    // The kernel itself has to order the pipes behind it.
    void DestroyWithoutPipeAll() { sim::PipeCloseUnordered(this); }

    template <typename Queue>
    bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, sim::Site site = sim::Site::Here()) {
        sim::PipeUse(this, site);
        queue.id_ = InitQueue(queue, num, len, site);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t len, sim::Site site = sim::Site::Here()) {
        sim::PipeUse(this, site);
        buffer.place_ = sim::BufferInit(static_cast<uint8_t>(position), len, site);
        return true;
    }

    // At places of the kernel's own: tuples of address and length in bytes.
    template <TPosition src, TPosition dst, int32_t depth, auto mask, class... Addrs>
    bool InitBuffer(TQueBind<src, dst, depth, mask>& que, const sim::FirstPlace& addr0, const Addrs&... addrs) {
        sim::PipeUse(this, addr0.site);
        const uint64_t places[] = {addr0.address, addr0.bytes, static_cast<uint64_t>(Std::get<0>(addrs))...,
                                   static_cast<uint64_t>(Std::get<1>(addrs))...};
        que.id_ = sim::QueueAt({static_cast<uint8_t>(src), static_cast<uint8_t>(dst),
                                static_cast<uint8_t>(TQueBind<src, dst, depth, mask>::kPosition), depth},
                               places, 1 + sizeof...(addrs), addr0.site);
        return true;
    }
    template <class Pool>
    bool InitBufPool(Pool& bufPool, uint32_t len, sim::Site site = sim::Site::Here()) {
        sim::PipeUse(this, site);
        bufPool.Place(sim::PoolInit(static_cast<uint8_t>(Pool::poolPos), len, site));
        return true;
    }
    template <class Pool, class Other>
    bool InitBufPool(Pool& bufPool, uint32_t len, Other& shareBuf, sim::Site site = sim::Site::Here()) {
        static_assert(sim::MemoryOf(Pool::poolPos) == sim::MemoryOf(Other::poolPos),
                      "TPipe::InitBufPool: the shared pool lies in another memory (TPipe/InitBufPool)");
        bufPool.Place(sim::PoolShare(shareBuf.Room(), len, site));
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID(sim::Site site = sim::Site::Here()) {
        return static_cast<TEventID>(sim::AllocEvent(sim::PipesOf(event).from, sim::PipesOf(event).to, true, site));
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id, sim::Site site = sim::Site::Here()) {
        sim::ReleaseEvent(sim::PipesOf(event).from, sim::PipesOf(event).to, id, site);
    }
    TEventID FetchEventID(HardEvent event, sim::Site site = sim::Site::Here()) {
        return static_cast<TEventID>(sim::AllocEvent(sim::PipesOf(event).from, sim::PipesOf(event).to, false, site));
    }
    template <HardEvent event>
    TEventID FetchEventID(sim::Site site = sim::Site::Here()) {
        return FetchEventID(event, site);
    }

private:
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    static int32_t InitQueue(TQueBind<src, dst, depth, mask>&, uint32_t num, uint32_t len, sim::Site site) {
        const sim::QueueSpec spec{static_cast<uint8_t>(src), static_cast<uint8_t>(dst),
                                  static_cast<uint8_t>(TQueBind<src, dst, depth, mask>::kPosition), depth};
        return sim::QueueInit(spec, num, len, site);
    }
};

}  // namespace AscendC

namespace AscendC {

// All that is left of the memory of `pos`. Documentation: SIMD-API/基础API/资源管理/PopStackBuffer
template <typename T, TPosition pos>
bool PopStackBuffer(LocalTensor<T>& popLocal, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, uint8_t, int8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, half>,
                  "PopStackBuffer: the data type is not one of uint8_t, int8_t, int16_t, uint16_t, int32_t, uint32_t, "
                  "int64_t, uint64_t, float, half (资源管理/PopStackBuffer)");
    const sim::Ub left = sim::StackBuffer(static_cast<uint8_t>(pos), site);
    popLocal = LocalTensor<T>(left, pos);
    return left.end != left.addr;
}

}  // namespace AscendC

// The pipe of this core. It stands in the global namespace, as kernels call it.
inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(sim::PipeCurrent()); }

#endif
