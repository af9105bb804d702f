// RMSNorm by rows: each core reads the tiles of a row twice, first for the mean square and then to scale them.
#ifndef RMS_NORM_KERNEL_H
#define RMS_NORM_KERNEL_H

#include "rms_norm_bindings.h"

class RMSNormKernel : public RMSNormBindings {
public:
    static constexpr uint32_t kTile = 256;

    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueue, 2, kTile * sizeof(TypeX));
        pipe.InitBuffer(gammaQueue, 2, kTile * sizeof(TypeGamma));
        pipe.InitBuffer(outQueue, 2, kTile * sizeof(TypeY));
        pipe.InitBuffer(wideBuffer, kTile * sizeof(float));
        pipe.InitBuffer(gammaBuffer, kTile * sizeof(float));
        pipe.InitBuffer(sumBuffer, kTile * sizeof(float));
    }

    __aicore__ inline void Process() {
        const int64_t first = tiling->rowsPerBlock * AscendC::GetBlockIdx();
        const int64_t past = first + tiling->rowsPerBlock;
        const int64_t end = past < tiling->rows ? past : tiling->rows;
        for (int64_t row = first; row < end; ++row) {
            float sum = 0;
            for (int64_t offset = 0; offset < tiling->hidden; offset += kTile) {
                sum += SquaresOf(row * tiling->hidden + offset, CountAt(offset));
            }
            const float mean = sum / static_cast<float>(tiling->hidden) + tiling->args.epsAttr;
            for (int64_t offset = 0; offset < tiling->hidden; offset += kTile) {
                Scale(row * tiling->hidden + offset, offset, CountAt(offset), 1.0f / sqrt(mean));
            }
        }
    }

private:
    __aicore__ inline uint32_t CountAt(int64_t offset) const {
        const int64_t left = tiling->hidden - offset;
        return left < kTile ? static_cast<uint32_t>(left) : kTile;
    }

    template <typename T, typename Queue>
    __aicore__ inline void Read(Queue& queue, AscendC::GlobalTensor<T>& source, int64_t offset, uint32_t count) {
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        const AscendC::DataCopyExtParams copy{1, count * static_cast<uint32_t>(sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPad(local, source[offset], copy, AscendC::DataCopyPadExtParams<T>());
        queue.EnQue(local);
    }

    template <typename T, typename Queue>
    __aicore__ inline void Widen(AscendC::LocalTensor<float>& wide, Queue& queue, uint32_t count) {
        AscendC::LocalTensor<T> local = queue.template DeQue<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
            AscendC::Adds(wide, local, 0.0f, count);
        } else {
            AscendC::Cast(wide, local, AscendC::RoundMode::CAST_NONE, count);
        }
        queue.FreeTensor(local);
    }

    template <typename T>
    __aicore__ inline void Narrow(AscendC::LocalTensor<T>& y, AscendC::LocalTensor<float>& wide, uint32_t count) {
        if constexpr (sizeof(T) == sizeof(float)) {
            AscendC::Adds(y, wide, 0.0f, count);
        } else {
            AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, count);
        }
    }

    __aicore__ inline float SquaresOf(int64_t offset, uint32_t count) {
        Read<TypeX>(inQueue, xGm, offset, count);
        AscendC::LocalTensor<float> wide = wideBuffer.Get<float>();
        AscendC::LocalTensor<float> sum = sumBuffer.Get<float>();
        Widen<TypeX>(wide, inQueue, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(wide, wide, wide, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ReduceSum<float>(sum, wide, sum, count);
        const int32_t event = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
        AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
        const float value = sum.GetValue(0);
        const int32_t back = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V));
        AscendC::SetFlag<AscendC::HardEvent::S_V>(back);
        AscendC::WaitFlag<AscendC::HardEvent::S_V>(back);
        return value;
    }

    __aicore__ inline void Scale(int64_t offset, int64_t column, uint32_t count, float scale) {
        Read<TypeX>(inQueue, xGm, offset, count);
        Read<TypeGamma>(gammaQueue, gammaGm, column, count);
        AscendC::LocalTensor<float> wide = wideBuffer.Get<float>();
        AscendC::LocalTensor<float> gamma = gammaBuffer.Get<float>();
        Widen<TypeX>(wide, inQueue, count);
        Widen<TypeGamma>(gamma, gammaQueue, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(wide, wide, scale, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<TypeY> y = outQueue.AllocTensor<TypeY>();
        AscendC::Mul(wide, wide, gamma, count);
        AscendC::PipeBarrier<PIPE_V>();
        Narrow<TypeY>(y, wide, count);
        outQueue.EnQue(y);
        AscendC::LocalTensor<TypeY> result = outQueue.DeQue<TypeY>();
        const AscendC::DataCopyExtParams copy{1, count * static_cast<uint32_t>(sizeof(TypeY)), 0, 0, 0};
        AscendC::DataCopyPad(yGm[offset], result, copy);
        outQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> gammaQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> gammaBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer;
};

#endif  // RMS_NORM_KERNEL_H
