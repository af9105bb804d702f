// z = x + y, without queues: two sets of buffers in turn, ordered by events alone.
#include "kernel_operator.h"
#include "add_flags_tiling.h"

using namespace AscendC;

constexpr uint32_t kSets = 2;

template <typename T>
class AddFlags {
public:
    __aicore__ inline AddFlags(TPipe* pipe, const AddFlagsTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(buffer_, kSets * kTensors * tiling.tile * sizeof(T));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        const uint64_t begin = static_cast<uint64_t>(GetBlockIdx()) * tiling_.perBlock;
        count_ = tiling_.total > begin ? tiling_.total - begin : 0;
        count_ = count_ < tiling_.perBlock ? count_ : tiling_.perBlock;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + begin, count_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + begin, count_);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z) + begin, count_);
    }

    __aicore__ inline void Process() {
        if (count_ == 0) {
            return;
        }
        // Both sets are free to be filled: as if a tile had been stored from each of them.
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
        uint32_t set = 0;
        for (uint32_t done = 0; done < count_; done += tiling_.tile) {
            Step(done, count_ - done < tiling_.tile ? count_ - done : tiling_.tile, set);
            set = 1 - set;
        }
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    }

private:
    static constexpr uint32_t kTensors = 3;

    __aicore__ inline void Step(uint32_t offset, uint32_t count, uint32_t set) {
        const event_t event = set == 0 ? EVENT_ID0 : EVENT_ID1;
        LocalTensor<T> base = buffer_.Get<T>()[set * kTensors * tiling_.tile];
        LocalTensor<T> x = base;
        LocalTensor<T> y = base[tiling_.tile];
        LocalTensor<T> z = base[2 * tiling_.tile];
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> noPadding{false, 0, 0, 0};

        WaitFlag<HardEvent::MTE3_MTE2>(event);
        DataCopyPad(x, x_[offset], copy, noPadding);
        DataCopyPad(y, y_[offset], copy, noPadding);
        SetFlag<HardEvent::MTE2_V>(event);

        WaitFlag<HardEvent::MTE2_V>(event);
        Add(z, x, y, count);
        SetFlag<HardEvent::V_MTE3>(event);

        WaitFlag<HardEvent::V_MTE3>(event);
        DataCopyPad(z_[offset], z, copy);
        SetFlag<HardEvent::MTE3_MTE2>(event);
    }

    const AddFlagsTilingData& tiling_;
    TBuf<TPosition::VECCALC> buffer_;
    GlobalTensor<T> x_;
    GlobalTensor<T> y_;
    GlobalTensor<T> z_;
    uint32_t count_ = 0;
};

extern "C" __global__ __aicore__ void add_flags(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AddFlagsTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    AddFlags<DTYPE_X> op(&pipe, tilingData);
    op.Init(x, y, z);
    op.Process();
}
