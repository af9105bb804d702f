#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "{{ stem }}_bindings.h"

{% if value %}
// {{ output.name }} = the largest element of each row of {{ input.name }}. Replace Accumulate and Finish by your reduction.
{% else %}
// {{ output.name }} = {{ input.name }} minus the largest element of its row. Replace Accumulate and Transform by your computation.
{% endif %}
//
// A core has a range of rows and takes a tile of several rows at a time; a long row is several tiles wide. An
// instruction computes 64 columns of all rows of a tile: a repeat for each row.
class {{ op_type }}Kernel : public {{ op_type }}Bindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        const uint32_t tileElements = tiling->tileRows * tiling->tileColumns;
        pipe.InitBuffer({{ input.queue }}, kBuffers, tileElements * sizeof({{ input.type }}));
{% if value %}
        pipe.InitBuffer({{ output.queue }}, kBuffers, tiling->tileRows * sizeof(float));
{% else %}
        pipe.InitBuffer({{ output.queue }}, kBuffers, tileElements * sizeof({{ output.type }}));
{% endif %}
        pipe.InitBuffer(wideBuffer, tileElements * sizeof(float));
        pipe.InitBuffer(partialBuffer, tiling->tileRows * kLanes * sizeof(float));
        pipe.InitBuffer(resultBuffer, tiling->tileRows * sizeof(float));
{% if not value %}
        pipe.InitBuffer(spreadBuffer, tiling->tileRows * kBlockFloats * sizeof(float));
{% endif %}
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->rowsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = Least(begin + tiling->rowsPerBlock, tiling->rowCount);
        for (int64_t row = begin; row < end; row += tiling->tileRows) {
            const uint32_t rows = static_cast<uint32_t>(Least(end - row, tiling->tileRows));
            AscendC::Duplicate(partialBuffer.Get<uint32_t>(), kMinusInfinity, rows * kLanes);
            for (int64_t column = 0; column < tiling->columnCount; column += tiling->tileColumns) {
                const Tile tile = TileAt(row, rows, column);
                CopyIn(tile);
                Accumulate(tile);
            }
            Finish(row, rows);
{% if not value %}
            for (int64_t column = 0; column < tiling->columnCount; column += tiling->tileColumns) {
                const Tile tile = TileAt(row, rows, column);
                CopyIn(tile);
                Transform(tile);
                CopyOut(tile);
            }
{% endif %}
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
    static constexpr uint32_t kBuffers = 2;
    static constexpr uint32_t kLanes = 64;       // floats of a repeat
    static constexpr uint32_t kBlockFloats = 8;  // floats of a block
    static constexpr uint32_t kPerBlock = 32 / sizeof({{ input.type }});
    static constexpr uint32_t kMinusInfinity = 0xFF800000;  // the bits of a float

    using Floats = AscendC::LocalTensor<float>;

    // In UB, a row begins `pitch` elements after the one before it: whole blocks.
    struct Tile {
        int64_t offset;  // of its first element in global memory
        uint32_t rows;
        uint32_t columns;
        uint32_t pitch;
    };

    __aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    __aicore__ inline Tile TileAt(int64_t row, uint32_t rows, int64_t column) {
        const uint32_t columns = static_cast<uint32_t>(Least(tiling->columnCount - column, tiling->tileColumns));
        return {row * tiling->columnCount + column, rows, columns, (columns + kPerBlock - 1) / kPerBlock * kPerBlock};
    }

    // The bytes between the parts of two rows that a tile does not have.
    __aicore__ inline uint32_t GapBytes(const Tile& tile, uint32_t elementBytes) {
        return static_cast<uint32_t>((tiling->columnCount - tile.columns) * elementBytes);
    }

    __aicore__ inline void CopyIn(const Tile& tile) {
        AscendC::LocalTensor<{{ input.type }}> {{ input.local }} = {{ input.queue }}.AllocTensor<{{ input.type }}>();
        const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(tile.rows),
                                              static_cast<uint32_t>(tile.columns * sizeof({{ input.type }})),
                                              GapBytes(tile, sizeof({{ input.type }})), 0, 0};
        const uint8_t padding = static_cast<uint8_t>(tile.pitch - tile.columns);
        const AscendC::DataCopyPadExtParams<{{ input.type }}> pad{true, 0, padding, static_cast<{{ input.type }}>(0)};
        AscendC::DataCopyPad({{ input.local }}, {{ input.gm }}[tile.offset], copy, pad);
        {{ input.queue }}.EnQue({{ input.local }});
    }

    // All computations are in float. The functions for other types convert a tile; those for float copy it.
    __aicore__ inline void Widen(const Floats& wide, const Floats& stored, uint32_t count) {
        AscendC::Muls(wide, stored, 1.0f, count);
    }
    template <typename Stored>
    __aicore__ inline void Widen(const Floats& wide, const AscendC::LocalTensor<Stored>& stored, uint32_t count) {
        AscendC::Cast(wide, stored, AscendC::RoundMode::CAST_NONE, count);
    }
    __aicore__ inline void Narrow(const Floats& stored, const Floats& wide, uint32_t count) {
        AscendC::Muls(stored, wide, 1.0f, count);
    }
    template <typename Stored>
    __aicore__ inline void Narrow(const AscendC::LocalTensor<Stored>& stored, const Floats& wide, uint32_t count) {
        AscendC::Cast(stored, wide, AscendC::RoundMode::CAST_RINT, count);
    }

    // The tile in the queue as floats.
    __aicore__ inline Floats Widened(const Tile& tile) {
        AscendC::LocalTensor<{{ input.type }}> {{ input.local }} = {{ input.queue }}.DeQue<{{ input.type }}>();
        Floats wide = wideBuffer.Get<float>();
        Widen(wide, {{ input.local }}, tile.rows * tile.pitch);
        {{ input.queue }}.FreeTensor({{ input.local }});
        return wide;
    }

    // Folds the columns of a tile into the 64 partial results of each row.
    __aicore__ inline void Accumulate(const Tile& tile) {
        Floats wide = Widened(tile);
        Floats partial = partialBuffer.Get<float>();
        const uint8_t rowBlocks = static_cast<uint8_t>(tile.pitch / kBlockFloats);
        for (uint32_t column = 0; column < tile.columns; column += kLanes) {
            const uint64_t lanes = static_cast<uint64_t>(Least(tile.columns - column, kLanes));
            AscendC::Max(partial, partial, wide[column], lanes, static_cast<uint8_t>(tile.rows),
                         {1, 1, 1, kLanes / kBlockFloats, kLanes / kBlockFloats, rowBlocks});
        }
    }

{% if value %}
    // Makes one result of a row's partial results, and writes the results of all rows.
    __aicore__ inline void Finish(int64_t row, uint32_t rows) {
        AscendC::LocalTensor<{{ output.type }}> {{ output.local }} = {{ output.queue }}.AllocTensor<{{ output.type }}>();
        Floats result = resultBuffer.Get<float>();
        AscendC::WholeReduceMax(result, partialBuffer.Get<float>(), kLanes, rows, 1, 1, kLanes / kBlockFloats,
                                AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        Narrow({{ output.local }}, result, rows);
        {{ output.queue }}.EnQue({{ output.local }});

        {{ output.local }} = {{ output.queue }}.DeQue<{{ output.type }}>();
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(rows * sizeof({{ output.type }})), 0, 0, 0};
        AscendC::DataCopyPad({{ output.gm }}[row], {{ output.local }}, copy);
        {{ output.queue }}.FreeTensor({{ output.local }});
    }
{% else %}
    // Makes one result of a row's partial results, and a block filled with it.
    __aicore__ inline void Finish(int64_t /* row */, uint32_t rows) {
        Floats result = resultBuffer.Get<float>();
        AscendC::Duplicate(result, 0.0f, tiling->tileRows);  // Brcb reads eight of them at a time
        AscendC::WholeReduceMax(result, partialBuffer.Get<float>(), kLanes, rows, 1, 1, kLanes / kBlockFloats,
                                AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        const uint8_t repeats = static_cast<uint8_t>((rows + kBlockFloats - 1) / kBlockFloats);
        AscendC::Brcb(spreadBuffer.Get<float>(), result, repeats, {1, kBlockFloats});
    }

    // Computes a tile of {{ output.name }} from {{ input.name }} and the results of its rows. A block of results is read again and again.
    __aicore__ inline void Transform(const Tile& tile) {
        Floats wide = Widened(tile);
        Floats spread = spreadBuffer.Get<float>();
        const uint8_t rowBlocks = static_cast<uint8_t>(tile.pitch / kBlockFloats);
        for (uint32_t column = 0; column < tile.columns; column += kLanes) {
            const uint64_t lanes = static_cast<uint64_t>(Least(tile.columns - column, kLanes));
            AscendC::Sub(wide[column], wide[column], spread, lanes, static_cast<uint8_t>(tile.rows),
                         {1, 1, 0, rowBlocks, rowBlocks, 1});
        }
        AscendC::LocalTensor<{{ output.type }}> {{ output.local }} = {{ output.queue }}.AllocTensor<{{ output.type }}>();
        Narrow({{ output.local }}, wide, tile.rows * tile.pitch);
        {{ output.queue }}.EnQue({{ output.local }});
    }

    __aicore__ inline void CopyOut(const Tile& tile) {
        AscendC::LocalTensor<{{ output.type }}> {{ output.local }} = {{ output.queue }}.DeQue<{{ output.type }}>();
        const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(tile.rows),
                                              static_cast<uint32_t>(tile.columns * sizeof({{ output.type }})), 0,
                                              GapBytes(tile, sizeof({{ output.type }})), 0};
        AscendC::DataCopyPad({{ output.gm }}[tile.offset], {{ output.local }}, copy);
        {{ output.queue }}.FreeTensor({{ output.local }});
    }
{% endif %}

    AscendC::TQue<AscendC::TPosition::VECIN, 1> {{ input.queue }};
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> {{ output.queue }};
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> partialBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer;
{% if not value %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> spreadBuffer;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
