// The gradients of a layer normalisation of rows, by the library's functions. Each core has some tiles of rows; what
// they give for gamma and beta is added up in global memory.
#include "kernel_operator.h"

using namespace AscendC;

class LayerNormGradRows {
public:
    __aicore__ inline LayerNormGradRows(TPipe* pipe, const LayerNormGradRowsTilingData& data) : data_(data) {
        const uint32_t tile = data.rowsPerTile * data.cols * sizeof(float);
        const uint32_t row = data.cols * sizeof(float);
        pipe->InitBuffer(dyIn_, 1, tile);
        pipe->InitBuffer(xIn_, 1, tile);
        pipe->InitBuffer(dxOut_, 1, tile);
        pipe->InitBuffer(scaled_, tile);
        // Variances, then means: the rows of a tile, rounded up to whole blocks.
        pipe->InitBuffer(statsIn_, 1, 2 * StatsStride() * sizeof(float));
        pipe->InitBuffer(gammaIn_, 1, row);
        pipe->InitBuffer(sumsOut_, 1, 2 * row);
        pipe->InitBuffer(room_, data.room);
    }

    __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR variance, GM_ADDR mean, GM_ADDR gamma, GM_ADDR dx,
                                GM_ADDR dgamma, GM_ADDR dbeta) {
        dy_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dy));
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        variance_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(variance));
        mean_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mean));
        gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma));
        dx_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dx));
        dgamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dgamma));
        dbeta_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dbeta));
    }

    __aicore__ inline void Process() {
        if (GetBlockIdx() == 0) {
            LocalTensor<float> zeros = sumsOut_.AllocTensor<float>();
            Duplicate(zeros, 0.0f, 2 * data_.cols);
            StoreSums(zeros);
        }
        SyncAll();  // nobody adds before the sums are cleared
        LocalTensor<float> gamma = gammaIn_.AllocTensor<float>();
        DataCopy(gamma, gamma_, data_.cols);
        gammaIn_.EnQue(gamma);
        gamma = gammaIn_.DeQue<float>();
        const uint32_t step = data_.rowsPerTile;
        for (uint32_t row = GetBlockIdx() * step; row < data_.rows; row += GetBlockNum() * step) {
            const uint32_t rows = data_.rows - row < step ? data_.rows - row : step;
            CopyIn(row, rows);
            Compute(gamma, rows);
            LocalTensor<float> dx = dxOut_.DeQue<float>();
            DataCopy(dx_[1ul * row * data_.cols], dx, rows * data_.cols);
            dxOut_.FreeTensor(dx);
        }
        gammaIn_.FreeTensor(gamma);
    }

private:
    __aicore__ inline uint32_t StatsStride() const { return (data_.rowsPerTile + 7) / 8 * 8; }

    __aicore__ inline void StoreSums(LocalTensor<float>& sums) {
        sumsOut_.EnQue(sums);
        sums = sumsOut_.DeQue<float>();
        DataCopy(dgamma_, sums, data_.cols);
        DataCopy(dbeta_, sums[data_.cols], data_.cols);
        sumsOut_.FreeTensor(sums);
    }

    __aicore__ inline void CopyIn(uint32_t row, uint32_t rows) {
        LocalTensor<float> dy = dyIn_.AllocTensor<float>();
        DataCopy(dy, dy_[1ul * row * data_.cols], rows * data_.cols);
        dyIn_.EnQue(dy);
        LocalTensor<float> x = xIn_.AllocTensor<float>();
        DataCopy(x, x_[1ul * row * data_.cols], rows * data_.cols);
        xIn_.EnQue(x);
        LocalTensor<float> stats = statsIn_.AllocTensor<float>();
        const DataCopyExtParams copy{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        DataCopyPad(stats, variance_[row], copy, pad);
        DataCopyPad(stats[StatsStride()], mean_[row], copy, pad);
        statsIn_.EnQue(stats);
    }

    __aicore__ inline void Compute(LocalTensor<float>& gamma, uint32_t rows) {
        LocalTensor<float> dy = dyIn_.DeQue<float>();
        LocalTensor<float> x = xIn_.DeQue<float>();
        LocalTensor<float> stats = statsIn_.DeQue<float>();
        LocalTensor<float> dx = dxOut_.AllocTensor<float>();
        LocalTensor<float> sums = sumsOut_.AllocTensor<float>();
        LocalTensor<float> scaled = scaled_.Get<float>();
        LocalTensor<uint8_t> room = room_.Get<uint8_t>();
        // A tiling holds its number of rows.
        const bool whole = rows == data_.rowsPerTile;
        LayerNormGrad<float>(dx, scaled, dy, x, stats, stats[StatsStride()], gamma, room, data_.epsilon,
                             whole ? data_.gradOfTile : data_.gradOfRest);
        LayerNormGradBeta<float>(sums, sums[data_.cols], scaled, dy, room, whole ? data_.betaOfTile : data_.betaOfRest);
        dxOut_.EnQue(dx);
        dyIn_.FreeTensor(dy);
        xIn_.FreeTensor(x);
        statsIn_.FreeTensor(stats);
        SetAtomicAdd<float>();
        StoreSums(sums);
        SetAtomicNone();
    }

    LayerNormGradRowsTilingData data_;  // a copy: the library takes tilings that it may change
    TQue<TPosition::VECIN, 1> dyIn_, xIn_, statsIn_, gammaIn_;
    TQue<TPosition::VECOUT, 1> dxOut_, sumsOut_;
    TBuf<TPosition::VECCALC> scaled_, room_;
    GlobalTensor<float> dy_, x_, variance_, mean_, gamma_, dx_, dgamma_, dbeta_;
};

extern "C" __global__ __aicore__ void layer_norm_grad_rows(GM_ADDR dy, GM_ADDR x, GM_ADDR variance, GM_ADDR mean,
                                                           GM_ADDR gamma, GM_ADDR dx, GM_ADDR dgamma, GM_ADDR dbeta,
                                                           GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    LayerNormGradRows op(&pipe, data);
    op.Init(dy, x, variance, mean, gamma, dx, dgamma, dbeta);
    op.Process();
}
