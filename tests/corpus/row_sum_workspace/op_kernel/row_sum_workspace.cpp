// y[i] = sum of row i of x: each core adds up its columns of every row and leaves the sums in the workspace; after all
// have, each core adds up the parts of some rows.
#include "kernel_operator.h"
#include "row_sum_workspace_tiling.h"

using namespace AscendC;

constexpr uint32_t kTile = 2048;

class RowSumWorkspace {
public:
    __aicore__ inline RowSumWorkspace(TPipe* pipe, const RowSumWorkspaceTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(in_, 2, kTile * sizeof(float));
        pipe->InitBuffer(room_, kTile * sizeof(float));
        pipe->InitBuffer(out_, 2, 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        parts_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace));
    }

    __aicore__ inline void Process() {
        const uint32_t block = GetBlockIdx(), blocks = GetBlockNum();
        const uint32_t begin = block * tiling_.perBlock;
        const uint32_t count = tiling_.columns - begin < tiling_.perBlock ? tiling_.columns - begin : tiling_.perBlock;
        for (uint32_t row = 0; row < tiling_.rows; ++row) {
            Sum(x_[static_cast<uint64_t>(row) * tiling_.columns + begin], count, parts_[row * blocks + block]);
        }
        SyncAll();
        for (uint32_t row = block; row < tiling_.rows; row += blocks) {
            Sum(parts_[row * blocks], blocks, y_[row]);
        }
    }

private:
    __aicore__ inline void Sum(const GlobalTensor<float>& from, uint32_t count, const GlobalTensor<float>& to) {
        LocalTensor<float> sum = out_.AllocTensor<float>();
        LocalTensor<float> room = room_.Get<float>();
        Duplicate(sum, 0.0f, 8);
        for (uint32_t done = 0; done < count; done += kTile) {
            const uint32_t size = count - done < kTile ? count - done : kTile;
            LocalTensor<float> tile = in_.AllocTensor<float>();
            DataCopyPad(tile, from[done], {1, static_cast<uint32_t>(size * sizeof(float)), 0, 0, 0},
                        {false, 0, 0, 0.0f});
            in_.EnQue(tile);
            tile = in_.DeQue<float>();
            ReduceSum(tile, tile, room, size);
            Add(sum, sum, tile, 1);
            in_.FreeTensor(tile);
        }
        out_.EnQue(sum);
        sum = out_.DeQue<float>();
        DataCopyPad(to, sum, {1, sizeof(float), 0, 0, 0});
        out_.FreeTensor(sum);
    }

    const RowSumWorkspaceTilingData& tiling_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> room_;
    GlobalTensor<float> x_, y_, parts_;
};

extern "C" __global__ __aicore__ void row_sum_workspace(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(RowSumWorkspaceTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    RowSumWorkspace op(&pipe, data);
    op.Init(x, y, GetUserWorkspace(workspace));
    op.Process();
}
