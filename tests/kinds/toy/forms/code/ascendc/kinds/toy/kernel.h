#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "{{ stem }}_tiling.h"

class {{ op_type }}Kernel {
public:
    __aicore__ inline void Init(GM_ADDR {{ x }}, GM_ADDR {{ y }}, const {{ op_type }}TilingData& tilingData,
                                AscendC::TPipe& pipe) {
        tiling_ = &tilingData;
        rowsGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>({{ x }}));
        sumsGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>({{ y }}));
        pipe.InitBuffer(inQueue_, 2, kTile * sizeof(float));
        pipe.InitBuffer(outQueue_, 2, kBlock * sizeof(float));
        pipe.InitBuffer(workBuffer_, kTile * sizeof(float));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling_->rowsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling_->rowsPerBlock;
        const int64_t end = blockEnd < tiling_->rows ? blockEnd : tiling_->rows;
        for (int64_t row = begin; row < end; row++) {
            SumRow(row);
        }
    }

private:
    static constexpr uint32_t kTile = {{ tile }};
    static constexpr uint32_t kBlock = 8;

    __aicore__ inline void SumRow(int64_t row) {
        AscendC::LocalTensor<float> sum = outQueue_.AllocTensor<float>();
        AscendC::Duplicate(sum, 0.0f, kBlock);
        for (int64_t offset = 0; offset < tiling_->columns; offset += kTile) {
            const int64_t left = tiling_->columns - offset;
            const uint32_t count = left < kTile ? static_cast<uint32_t>(left) : kTile;
            AddTile(sum, row * tiling_->columns + offset, count);
        }
        outQueue_.EnQue(sum);
        sum = outQueue_.DeQue<float>();
        AscendC::DataCopyPad(sumsGm_[row], sum, {1, sizeof(float), 0, 0, 0});
        outQueue_.FreeTensor(sum);
    }

    __aicore__ inline void AddTile(const AscendC::LocalTensor<float>& sum, int64_t from, uint32_t count) {
        AscendC::LocalTensor<float> tile = inQueue_.AllocTensor<float>();
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(float));
        AscendC::DataCopyPad(tile, rowsGm_[from], {1, bytes, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue_.EnQue(tile);
        tile = inQueue_.DeQue<float>();
        AscendC::Mul(tile, tile, tile, count);
        AscendC::ReduceSum(tile, tile, workBuffer_.Get<float>(), count);
        AscendC::Add(sum, sum, tile, 1);
        inQueue_.FreeTensor(tile);
    }

    const {{ op_type }}TilingData* tiling_;
    AscendC::GlobalTensor<float> rowsGm_;
    AscendC::GlobalTensor<float> sumsGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer_;
};

#endif  // {{ guard }}_KERNEL_H
