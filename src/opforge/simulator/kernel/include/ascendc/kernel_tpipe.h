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
    return source == AscendC::TPosition::GM ? destination : source;
}

}  // namespace sim

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(sim::MemoryOf(sim::QueuePosition(src, dst)) != sim::Memory::kCount,
                  "TQue: this position has no memory inside the cores of Atlas A2 and A3 (通用说明和约束, 表1)");

public:
    TQueBind() = default;
    TQueBind(const TQueBind&) = delete;
    TQueBind& operator=(const TQueBind&) = delete;

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
    template <typename T>
    LocalTensor<T> DeQue(sim::Site site = sim::Site::Here()) {
        static_assert(depth != 0, "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)");
        return LocalTensor<T>(sim::QueueDeQue(id_, site), kPosition);
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        tensor = LocalTensor<T>(sim::QueueDeQue(id_, site), kPosition);
    }
    template <typename T>
    void FreeTensor(const LocalTensor<T>& tensor, sim::Site site = sim::Site::Here()) {
        sim::QueueFree(id_, tensor.Place(), site);
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
    friend class TPipe;
    int32_t id_ = -1;
};

// TQue<VECIN> is bound from GM to VECIN, TQue<VECOUT> from VECOUT to GM, TQue<VECCALC> to itself.
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position == TPosition::VECIN ? TPosition::GM : position,
                             position == TPosition::VECOUT ? TPosition::GM : position, depth, mask> {};

template <TPosition position = TPosition::LCM>
class TBuf {
    static_assert(sim::MemoryOf(position) != sim::Memory::kCount,
                  "TBuf: this position has no memory inside the cores of Atlas A2 and A3 (通用说明和约束, 表1)");

public:
    TBuf() = default;
    TBuf(const TBuf&) = delete;
    TBuf& operator=(const TBuf&) = delete;

    template <typename T>
    LocalTensor<T> Get() {
        return LocalTensor<T>(place_, position);
    }
    // The first `length` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t length, sim::Site site = sim::Site::Here()) {
        return GetWithOffset<T>(length, 0, site);
    }
    // `size` elements, starting `offset` bytes into the buffer.
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset, sim::Site site = sim::Site::Here()) {
        return LocalTensor<T>(sim::BufferView(place_, offset, static_cast<uint64_t>(size) * sizeof(T), site), position);
    }

private:
    friend class TPipe;
    sim::Ub place_;
};

class TPipe {
public:
    TPipe() { sim::PipeOpen(this); }
    ~TPipe() noexcept(false) { sim::PipeClose(this); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init() { sim::PipeOpen(this); }
    void Reset() { sim::PipeReset(); }
    void Destroy() { sim::PipeClose(this); }

    template <typename Queue>
    bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, sim::Site site = sim::Site::Here()) {
        queue.id_ = InitQueue(queue, num, len, site);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, uint32_t len, sim::Site site = sim::Site::Here()) {
        buffer.place_ = sim::BufferInit(static_cast<uint8_t>(position), len, site);
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

// The pipe of this core. It stands in the global namespace, as kernels call it.
inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(sim::PipeCurrent()); }

namespace AscendC {
using ::GetTPipePtr;
}

#endif
