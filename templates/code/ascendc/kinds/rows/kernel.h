#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "opforge/row_math.h"
{% if multiplies %}
#include "opforge/row_product.h"
{% endif %}
#include "opforge/tile_io.h"
{% if vector.integer_functions %}
#include "opforge/integer_math.h"
{% endif %}
{% if vector.functions %}
#include "opforge/vector_math.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{{ formula | comment }}
//
// {{ row }} Computed in {{ vector.computed_in }} for all storage types.
template <{{ types | wrap }}>
class {{ kernel_type }} {
public:
    __aicore__ inline void Init({{ init_parameters | wrap }}) {
        tiling = &tilingData;
{% if vector.first_shifted %}
        if constexpr (kFirstShifted > 0) {
            pipe.InitBuffer(tileBuffer, kFirstShifted * tilingData.tileElements * sizeof(float));
        }
{% for queue in queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        // What follows begins in other banks than what is above: few instructions read twice in one bank group.
        pipe.InitBuffer(shiftBuffer, tile_io::kBankShift);
{% for queue in shifted_queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        if constexpr (kTileBuffers > kFirstShifted) {
            pipe.InitBuffer(shiftedBuffer, (kTileBuffers - kFirstShifted) * tilingData.tileElements * sizeof(float));
        }
{% else %}
{% for queue in queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
{% endif %}
{% if spread %}
        partials.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(userWorkspace));
{% endif %}
{% if sums %}
        shareSums.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(userWorkspace) + PartialFloats());
        if (tilingData.sumElements > 0) {
            pipe.InitBuffer(sumBuffer, kSums * tilingData.sumElements * sizeof(float));
        }
{% endif %}
        pipe.InitBuffer(rowBuffer, kRowValues * row_math::kRowFloats * sizeof(float));
{% if row_masks %}
        pipe.InitBuffer(rowMaskBuffer, kRowMasks * row_math::kRowFloats / kMaskBits);
{% endif %}
        pipe.InitBuffer(blockBuffer, row_math::kBlockFloats * sizeof(float));
        pipe.InitBuffer(totalBuffer, kTotals * row_math::{{ total_size }} * sizeof(float));
{% if numbers %}
        pipe.InitBuffer(numberBuffer, tilingData.tileElements * sizeof(float));
{% if across %}
        numberedPitch = 0;
{% else %}
        row_math::NumberColumns(ElementNumbers(), LargestTile());
{% endif %}
{% endif %}
{% if kept %}
        if (tilingData.keptElements > 0) {
            pipe.InitBuffer(keptBuffer, kKept * tilingData.keptElements * sizeof(float));
        }
{% endif %}
{% if vector.half_types %}
        if constexpr (kViaHalf) {
            pipe.InitBuffer(halfBuffer, tilingData.tileElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        pipe.InitBuffer(maskBuffer, kMasks * tilingData.tileElements / kMaskBits);
{% endif %}
{% if vector.blocks %}
        pipe.InitBuffer(coefficientBuffer, kBlocks * vector_math::kBlockFloats * sizeof(float));
{% for fill in vector.fills %}
        {{ fill.function }}({{ fill.arguments | wrap }});
{% endfor %}
{% endif %}
    }

{% if sums %}
    // Whole rows fit in a tile. The sums over all rows have the same bits on any number of cores: a core takes whole
    // shares of the rows, which depend on the shape alone, and leaves their sums in the workspace. Then a core adds those
    // of some columns, in order.
    __aicore__ inline void ProcessWholeRows() {
        for (share = AscendC::GetBlockIdx(); share < tiling->shareCount; share += AscendC::GetBlockNum()) {
            ClearSums();
            WholeRowsOfShare();
            StoreSums();
        }
        CombineSums();
    }

    // A row does not fit in a tile: as above, part by part.
    __aicore__ inline void ProcessParts() {
        for (share = AscendC::GetBlockIdx(); share < tiling->shareCount; share += AscendC::GetBlockNum()) {
            ClearSums();
            PartsOfShare();
            StoreSums();
        }
        CombineSums();
    }

    // The core processes the tiles of rows of a share.
    __aicore__ inline void WholeRowsOfShare() {
{% elif across %}
    // Whole rows fit down a tile: the core processes a sequence of tiles, each with neighbouring rows in its columns.
    __aicore__ inline void ProcessWholeRows() {
{% else %}
    // Whole rows fit in a tile: the core processes a sequence of tiles of rows.
    __aicore__ inline void ProcessWholeRows() {
{% endif %}
        const Share groups = GroupsOfCore();
{% if columns %}
        if (groups.begin >= groups.end) {
            return;
        }
        // Inputs that are the same for all rows are copied once.
        const tile_io::TileOrigin first{0, 0, 0};
        const tile_io::Tile oneRow{1, tiling->tileColumns, tile_io::RoundUp(tiling->tileColumns, kRowStep)};
{% for tensor in columns %}
        const tile_io::Place {{ tensor.place }} = tile_io::PlaceAt(groups.grid, first, tiling->{{ tensor.strides }});
        {{ tensor.queue }}.CopyIn(oneRow, {{ tensor.place }});
{% endfor %}
{% if column_halves %}
        AscendC::LocalTensor<half> halfTile = Halves();
{% endif %}
{% for tensor in columns %}
        AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.DeQue({{ tensor.arguments | wrap }});
{% endfor %}
{% endif %}
{% if column_calls %}
        // What depends on these only is computed once.
        const uint32_t elementCount = oneRow.columns;
{% for call in column_calls %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
{% endif %}
        for (int64_t group = groups.begin; group < groups.end; group++) {
{% if begin %}
            BeginTile(groups.grid, group);
{% endif %}
            WholeRows({{ whole_arguments | wrap }});
        }
{% for tensor in columns %}
        {{ tensor.queue }}.FreeTensor({{ tensor.local }});
{% endfor %}
    }

{% if across %}
    // Rows do not fit down a tile: the core reads neighbouring rows once for each pass, part by part.
    __aicore__ inline void ProcessParts() {
        const Share groups = GroupsOfCore();
        for (int64_t group = groups.begin; group < groups.end; group++) {
            const int64_t firstTile = FirstTile(group);
            const uint32_t rowCount = RowCount(group);
{% else %}
{% if sums %}
    // The core reads each of the rows of a share once for each pass, part by part.
    __aicore__ inline void PartsOfShare() {
{% else %}
    // A row does not fit in a tile: the core reads each of its rows once for each pass, part by part.
    __aicore__ inline void ProcessParts() {
{% endif %}
{% if kept %}
        if (tiling->keptElements > 0) {
            ProcessKept();
            return;
        }
{% endif %}
        const Share groups = GroupsOfCore();
        for (int64_t row = groups.begin; row < groups.end; row++) {
            const int64_t firstTile = row * tiling->partCount;
{% if begin %}
            BeginRow(groups.grid, row);
{% endif %}
{% endif %}
{% for pass in passes %}
{% for finish in pass.finish %}
            if (tiling->partCount == 0) {
{% for call in finish.empty %}
                {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
            }
{% endfor %}
            for (int64_t part = 0; part < tiling->partCount; part++) {
                {{ pass.name }}({{ pass.arguments | wrap }});
            }
{% for finish in pass.finish %}
            Finish{{ pass.name }}({{ finish_arguments | wrap }});
{% endfor %}
{% endfor %}
{% if row_results %}
{% if across %}
            StoreRowResults(FirstRow(group), rowCount);
{% else %}
            StoreRowResults(row, 1);
{% endif %}
{% endif %}
        }
    }

{% if spread %}
    // As ProcessParts, for few rows: all cores read parts of each row. They leave the reductions of the parts in the
    // workspace and wait for each other. Then a core combines those of a row, in the same order.
    __aicore__ inline void ProcessSpreadParts() {
{% if sums %}
        share = AscendC::GetBlockIdx();
{% endif %}
        const Share parts = PartsOfCore();
{% for pass in spread %}
        for (int64_t part = parts.begin; part < parts.end; part++) {
{% if pass.begins %}
            if (part == parts.begin || part % tiling->partCount == 0) {
{% if begin %}
                BeginRow(parts.grid, part / tiling->partCount);
{% endif %}
{% for earlier in pass.earlier %}
                Combine{{ earlier }}(part / tiling->partCount);
{% endfor %}
            }
{% endif %}
{% if pass.stores_rows %}
            if (part % tiling->partCount == 0) {
{% if across %}
                StoreRowResults(FirstRow(part / tiling->partCount), RowCount(part / tiling->partCount));
{% else %}
                StoreRowResults(part / tiling->partCount, 1);
{% endif %}
            }
{% endif %}
            {{ pass.name }}({{ pass.arguments | wrap }});
{% if pass.combined %}
            StoreTotals({{ pass.stored | wrap }});
{% endif %}
        }
{% if pass.combined %}
        AscendC::SyncAll();
{% endif %}
{% endfor %}
{% if combined_at_end %}
        for (int64_t group = AscendC::GetBlockIdx(); group < tiling->groupCount; group += AscendC::GetBlockNum()) {
{% if begin %}
            BeginRow(parts.grid, group);
{% endif %}
{% for name in combined_at_end %}
            Combine{{ name }}(group);
{% endfor %}
{% if across %}
            StoreRowResults(FirstRow(group), RowCount(group));
{% else %}
            StoreRowResults(group, 1);
{% endif %}
        }
{% endif %}
{% if sums %}
        CombineSums();
{% endif %}
    }

{% endif %}
private:
{% if kept %}
    // As ProcessParts, but the row stays in UB: its inputs are read once.
    __aicore__ inline void ProcessKept() {
        const Share groups = GroupsOfCore();
        for (int64_t row = groups.begin; row < groups.end; row++) {
            const int64_t firstTile = row * tiling->partCount;
{% if begin %}
            BeginRow(groups.grid, row);
{% endif %}
{% for pass in kept_passes %}
            for (int64_t part = 0; part < tiling->partCount; part++) {
                {{ pass.name }}({{ pass.arguments | wrap }});
            }
{% for end in pass.ends %}
            {{ end }}();
{% endfor %}
{% endfor %}
{% if row_results %}
            StoreRowResults(row, 1);
{% endif %}
        }
    }

{% endif %}
{% if vector.double_buffered %}
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
{% else %}
    // Buffers of each queue. A second buffer each would exceed the number of queue buffers in the hardware.
{% endif %}
    static constexpr uint32_t kBuffers = {{ vector.buffers }};
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<{{ vector.row_types | wrap }}>;
    // Indices of buffers of tiles. A tensor that is stored in its compute type needs none.
{% for buffer in vector.tile_buffers %}
{% if buffer.types %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + tile_io::kBuffersOf<{{ buffer.types | wrap }}>;
{% elif buffer.previous %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + 1;
{% else %}
    static constexpr uint32_t {{ buffer.constant }} = 0;
{% endif %}
{% endfor %}
    // Values with one element for each row, and reductions of a row in parts.
    static constexpr uint32_t kRowValues = {{ row_values }};
{% if row_masks %}
    static constexpr uint32_t kRowMasks = {{ row_masks }};
{% endif %}
    static constexpr uint32_t kTotals = {{ totals }};
{% if sums %}
    // Sums over all rows.
    static constexpr uint32_t kSums = {{ sum_count }};
{% endif %}
{% if kept %}
    // Values of a whole row that stays in UB.
    static constexpr uint32_t kKept = {{ kept }};
{% endif %}
{% if vector.first_shifted %}
    // Buffers from this one on are in shiftedBuffer.
    static constexpr uint32_t kFirstShifted = {{ vector.first_shifted }};
{% endif %}
{% if vector.half_types %}
    // Whether any tensor has a one-byte type, which is cast through half.
    static constexpr bool kViaHalf = tile_io::kSomeViaHalf<{{ vector.half_types | wrap }}>;
{% endif %}
{% if vector.blocks %}
    // Blocks of 32 bytes with the coefficients that polynomials add.
    static constexpr uint32_t kBlocks = {{ vector.blocks }};
{% endif %}
{% if vector.masks %}
    static constexpr uint32_t kMasks = {{ vector.masks }};
{% endif %}
{% if any_masks %}
    // Masks have one bit for each element; Compare works on whole blocks of 256 bytes.
    static constexpr uint32_t kMaskBits = 8;
    static constexpr uint32_t kCompareElements = 64;
{% endif %}

    // The share of a core: groups of rows, or parts of them.
    struct Share {
        tile_io::TileGrid grid;
        int64_t begin;
        int64_t end;
    };

    __aicore__ inline Share GroupsOfCore() { return ShareOf(tiling->groupCount, tiling->groupsPerBlock); }

{% if spread %}
    __aicore__ inline Share PartsOfCore() {
        return ShareOf(tiling->groupCount * tiling->partCount, tiling->partsPerBlock);
    }

{% endif %}
    __aicore__ inline Share ShareOf(int64_t count, int64_t perBlock) {
{% if sums %}
        const int64_t begin = perBlock * share;
{% else %}
        const int64_t begin = perBlock * AscendC::GetBlockIdx();
{% endif %}
        return {{ "{{" }}tiling->outputShape, tiling->tileRows, tiling->tileColumns, tiling->rowTiles, tiling->columnTiles},
                begin,
                tile_io::Least(begin + perBlock, count)};
    }
{% if across %}

    // Groups follow each other across a plane, then plane by plane; rows are numbered in the same order.
    __aicore__ inline int64_t FirstRow(int64_t group) {
        return group / tiling->columnTiles * tiling->outputShape[0] + FirstColumn(group);
    }

    __aicore__ inline int64_t FirstColumn(int64_t group) { return group % tiling->columnTiles * tiling->tileColumns; }

    __aicore__ inline uint32_t RowCount(int64_t group) {
        return tile_io::AtMost(tiling->outputShape[0] - FirstColumn(group), tiling->tileColumns);
    }

    // The tile of the first part of a group. The next part's lies below it.
    __aicore__ inline int64_t FirstTile(int64_t group) {
        return group / tiling->columnTiles * tiling->partCount * tiling->columnTiles + group % tiling->columnTiles;
    }

    __aicore__ inline int64_t TileOf(int64_t part) {
        return FirstTile(part / tiling->partCount) + part % tiling->partCount * tiling->columnTiles;
    }
{% endif %}

{% for each in begin %}
    // What comes before a tile of whole rows.
    __aicore__ inline void BeginTile(const tile_io::TileGrid& grid, int64_t tileNumber) {
        const tile_io::TileOrigin origin = tile_io::OriginOf(grid, tileNumber);
        BeginRows(grid, origin, tile_io::TileAt(grid, origin, kRowStep).rows);
    }

    // As BeginTile, of a row that is read in parts, of which there may be none.
    __aicore__ inline void BeginRow(const tile_io::TileGrid& grid, int64_t row) {
        BeginRows(grid, {row % grid.shape[1], 0, row / grid.shape[1]}, 1);
    }

    // {{ each.steps.comment }}
    __aicore__ inline void BeginRows(const tile_io::TileGrid& grid, const tile_io::TileOrigin& origin,
                                     uint32_t rowCount) {
        const tile_io::Tile rowTile{1, rowCount, rowCount};
{% for tensor in each.inputs %}
        const tile_io::Place {{ tensor.place }} = row_math::RowsAt(grid, origin, tiling->{{ tensor.strides }});
{% endfor %}
{% for tensor in each.inputs %}
        {{ tensor.queue }}.CopyIn(rowTile, {{ tensor.place }});
{% endfor %}
{% if each.steps.compares_rows %}
        const uint32_t rowCompareCount = tile_io::RoundUp(rowCount, kCompareElements);
{% endif %}
{% if each.halves %}
        AscendC::LocalTensor<half> halfTile = Halves();
{% endif %}
{% for buffer in each.steps.temporaries %}
        AscendC::LocalTensor<float> {{ buffer.local }} = Buffer<float, {{ buffer.constant }}>();
{% endfor %}
{% for number in each.steps.mask_numbers %}
        AscendC::LocalTensor<uint8_t> maskLocal{{ number }} = Mask({{ number }});
{% endfor %}
{% for number in each.steps.row_numbers %}
        AscendC::LocalTensor<float> rowLocal{{ number }} = Row({{ number }});
{% endfor %}
{% for number in each.steps.row_mask_numbers %}
        AscendC::LocalTensor<uint8_t> rowMaskLocal{{ number }} = RowMask({{ number }});
{% endfor %}
{% for tensor in each.inputs %}
        AscendC::LocalTensor<float> {{ tensor.local }} = {{ tensor.queue }}.DeQue({{ tensor.arguments | wrap }});
        {{ tensor.queue }}.FreeTensor({{ tensor.local }});
{% endfor %}

{% for call in each.steps.calls %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
    }

{% endfor %}
{% for pass in programs %}
    // {{ pass.comment }}
    __aicore__ inline void {{ pass.name }}({{ pass.parameters | wrap }}) {
        const tile_io::TileOrigin origin = tile_io::OriginOf(grid, tileNumber);
        const tile_io::Tile tile = tile_io::TileAt(grid, origin, kRowStep);
{% for tensor in pass.read %}
        const tile_io::Place {{ tensor.place }} = tile_io::PlaceAt({{ tensor.arguments | wrap }});
{% endfor %}
{% for tensor in pass.read %}
        {{ tensor.queue }}.CopyIn(tile, {{ tensor.place }});
{% endfor %}
{% if pass.counts_elements %}
        const uint32_t elementCount = tile.Count();
{% endif %}
{% if pass.vector.masks %}
        const uint32_t compareCount = tile_io::RoundUp(elementCount, kCompareElements);
{% endif %}
{% if pass.counts_rows %}
        const uint32_t rowCount = {{ row_count }};
{% endif %}
{% if pass.compares_rows %}
        const uint32_t rowCompareCount = tile_io::RoundUp(rowCount, kCompareElements);
{% endif %}
        // A local tensor is overwritten after its last use.
{% if pass.vector.half_types %}
        AscendC::LocalTensor<half> halfTile = Halves();
{% endif %}
{% for number in pass.kept_numbers %}
        AscendC::LocalTensor<float> keptLocal{{ number }} = Kept({{ number }}, origin.column);
{% endfor %}
{% for tensor in pass.vector.read %}
        AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.DeQue({{ tensor.arguments | wrap }});
{% endfor %}
{% for tensor in pass.vector.built %}
        AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.AllocTensor({{ tensor.arguments | wrap }});
{% endfor %}
{% for buffer in pass.vector.temporaries %}
        AscendC::LocalTensor<{{ buffer.type }}> {{ buffer.local }} = Buffer<{{ buffer.type }}, {{ buffer.constant }}>();
{% endfor %}
{% for number in pass.vector.mask_numbers %}
        AscendC::LocalTensor<uint8_t> maskLocal{{ number }} = Mask({{ number }});
{% endfor %}
{% for number in pass.row_numbers %}
        AscendC::LocalTensor<float> rowLocal{{ number }} = Row({{ number }});
{% endfor %}
{% for number in pass.row_mask_numbers %}
        AscendC::LocalTensor<uint8_t> rowMaskLocal{{ number }} = RowMask({{ number }});
{% endfor %}
{% for number in pass.total_numbers %}
        AscendC::LocalTensor<float> totalLocal{{ number }} = Total({{ number }});
{% endfor %}
{% if pass.numbers %}
{% if across %}
        AscendC::LocalTensor<float> elementNumbers = ElementNumbers(tile);
{% else %}
        AscendC::LocalTensor<float> elementNumbers = ElementNumbers();
{% endif %}
{% endif %}
{% if pass.blocks %}
        AscendC::LocalTensor<float> rowBlocks = blockBuffer.Get<float>();
{% endif %}

{% for call in pass.vector.calls %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}

{% for tensor in pass.vector.copied %}
        {{ tensor.queue }}.EnQueCopy({{ tensor.stored | wrap }});
{% endfor %}
{% for tensor in pass.vector.built %}
        {{ tensor.queue }}.EnQue({{ tensor.stored | wrap }});
{% endfor %}
{% for tensor in pass.vector.read %}
        {{ tensor.queue }}.FreeTensor({{ tensor.local }});
{% endfor %}
{% if pass.writes %}
        CopyOut(grid, origin, tile);
{% endif %}
{% if pass.writes_rows %}
{% if across %}
        CopyOutRows(origin.outer * grid.shape[0] + origin.column, tile.columns);
{% else %}
        CopyOutRows(origin.outer * grid.shape[1] + origin.row, tile.rows);
{% endif %}
{% endif %}
    }

{% for finish in pass.finish %}
    // {{ finish.comment }}
    __aicore__ inline void Finish{{ pass.name }}({{ finish_parameters | wrap }}) {
{% if several %}
        const uint32_t rowCount = tiling->tileRows;  // the same value for each row of a tile
{% endif %}
{% if finish.counts_rows %}
        const uint32_t rowCount = 1;
{% endif %}
{% if finish.compares_rows %}
        const uint32_t rowCompareCount = tile_io::RoundUp(rowCount, kCompareElements);
{% endif %}
{% for buffer in finish.temporaries %}
        AscendC::LocalTensor<float> {{ buffer.local }} = Buffer<float, {{ buffer.constant }}>();
{% endfor %}
{% for number in finish.mask_numbers %}
        AscendC::LocalTensor<uint8_t> maskLocal{{ number }} = Mask({{ number }});
{% endfor %}
{% for number in finish.row_numbers %}
        AscendC::LocalTensor<float> rowLocal{{ number }} = Row({{ number }});
{% endfor %}
{% for number in finish.row_mask_numbers %}
        AscendC::LocalTensor<uint8_t> rowMaskLocal{{ number }} = RowMask({{ number }});
{% endfor %}

{% for call in finish.calls %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
    }

{% endfor %}
{% endfor %}
{% if whole_results %}
    __aicore__ inline void CopyOut(const tile_io::TileGrid& grid, const tile_io::TileOrigin& origin,
                                   const tile_io::Tile& tile) {
{% if last %}
{% for tensor in whole_results %}
        {{ tensor.queue }}.CopyOut(tile, tile_io::OffsetInOutput(grid, origin), grid.shape[0]);
{% endfor %}
{% else %}
        const tile_io::Place place = tile_io::PlaceAt(grid, origin, tiling->outputStrides);
{% for tensor in whole_results %}
        {{ tensor.queue }}.CopyOut(tile, place.offset, place.rowStride);
{% endfor %}
{% endif %}
    }

{% endif %}
{% if row_results %}
    // Writes the results with one element for each row: `rowCount` of them from row `first` on.
    __aicore__ inline void CopyOutRows(int64_t first, uint32_t rowCount) {
        const tile_io::Tile tile{1, rowCount, rowCount};
{% for tensor in row_results %}
        {{ tensor.queue }}.CopyOut(tile, first, rowCount);
{% endfor %}
    }

    // Stores these results of rows that were read in parts.
    __aicore__ inline void StoreRowResults(int64_t first, uint32_t rowCount) {
{% if row_halves %}
        AscendC::LocalTensor<half> halfTile = Halves();
{% endif %}
{% for tensor in row_results %}
        AscendC::LocalTensor<float> {{ tensor.local }} = {{ tensor.buffer }};
        {{ tensor.queue }}.EnQueCopy({{ tensor.stored | wrap }});
{% endfor %}
        CopyOutRows(first, rowCount);
    }

{% endif %}
    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
{% if vector.first_shifted %}
        if constexpr (index < kFirstShifted) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else if constexpr (index < kTileBuffers) {
            return shiftedBuffer.template Get<Computed>()[(index - kFirstShifted) * tiling->tileElements];
        } else {
{% else %}
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else {
{% endif %}
            return AscendC::LocalTensor<Computed>();
        }
    }

    // A value of each row of a tile.
    __aicore__ inline AscendC::LocalTensor<float> Row(uint32_t number) {
        return rowBuffer.template Get<float>()[number * row_math::kRowFloats];
    }
{% if row_masks %}

    // One bit for each row of a tile.
    __aicore__ inline AscendC::LocalTensor<uint8_t> RowMask(uint32_t number) {
        return rowMaskBuffer.template Get<uint8_t>()[number * row_math::kRowFloats / kMaskBits];
    }
{% endif %}

{% if numbers %}
{% if across %}
    // A tile with the number of each element in its row, counted from the first one in the tile. It is filled once for
    // all tiles with the same distance between rows.
    __aicore__ inline AscendC::LocalTensor<float> ElementNumbers(const tile_io::Tile& tile) {
        AscendC::LocalTensor<float> numbers = numberBuffer.template Get<float>();
        if (numberedPitch != tile.pitch) {
            numberedPitch = tile.pitch;
            row_math::NumberRows(numbers, {tiling->tileRows, tile.columns, tile.pitch});
        }
        return numbers;
    }
{% else %}
    // A tile with the number of each element in its row, counted from the first column of the tile.
    __aicore__ inline AscendC::LocalTensor<float> ElementNumbers() { return numberBuffer.template Get<float>(); }

    __aicore__ inline tile_io::Tile LargestTile() {
        return {tiling->tileRows, tiling->tileColumns, tile_io::RoundUp(tiling->tileColumns, kRowStep)};
    }
{% endif %}

{% endif %}
{% if kept %}
    // The part from `column` on of a value of a whole row.
    __aicore__ inline AscendC::LocalTensor<float> Kept(uint32_t number, int64_t column) {
        return keptBuffer.template Get<float>()[number * tiling->keptElements + column];
    }

{% endif %}
{% for pass in spread %}
{% if pass.combined %}
    // What pass {{ loop.index0 }} gives, from the reductions of all parts in the workspace.
    __aicore__ inline void Combine{{ pass.name }}(int64_t group) {
{% for call in pass.combined %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
{% if across %}
        Finish{{ pass.name }}(RowCount(group));
{% else %}
        Finish{{ pass.name }}();
{% endif %}
    }

{% endif %}
{% endfor %}
{% if spread %}
    // Combines a reduction of all parts of a group of rows in Total(number).
    template <typename Operator>
    __aicore__ inline void Combine(uint32_t slot, uint32_t number, int64_t group) {
{% if across %}
        const row_math::Partials layout{RowCount(group), tiling->partialFloats};
{% else %}
        const row_math::Partials layout{1, tiling->partialFloats};
{% endif %}
        row_math::CombineParts<Operator>(Total(number), Partial(slot, group * tiling->partCount),
                                         blockBuffer.Get<float>(), layout, tiling->partCount);
    }

    // Leaves the first `count` totals of a part in the workspace, from `slot` on.
    __aicore__ inline void StoreTotals(uint32_t slot, uint32_t count, int64_t part) {
        row_math::WaitFor<AscendC::HardEvent::V_MTE3>();
        for (uint32_t number = 0; number < count; number++) {
{% if across %}
            row_math::StoreTotal(Partial(slot + number, part), Total(number), RowCount(part / tiling->partCount));
{% else %}
            row_math::StoreTotal(Partial(slot + number, part), Total(number), 1);
{% endif %}
        }
        row_math::WaitFor<AscendC::HardEvent::MTE3_V>();
    }

    // The place of a part's reduction in the workspace. Those of the same reduction follow each other.
    __aicore__ inline AscendC::GlobalTensor<float> Partial(uint32_t slot, int64_t part) {
        return partials[(slot * tiling->groupCount * tiling->partCount + part) * tiling->partialFloats];
    }

{% endif %}
{% if sums %}
    // The elements of the workspace before the sums of shares: the reductions of parts that all cores read.
    __aicore__ inline int64_t PartialFloats() {
        return {{ slots }} * tiling->groupCount * tiling->partCount * tiling->partialFloats;
    }

    // A sum over the rows of a share: one for each element of a tile, or of a row that is read in parts.
    __aicore__ inline AscendC::LocalTensor<float> Sum(uint32_t number) {
        return sumBuffer.template Get<float>()[number * tiling->sumElements];
    }

    // The place of a share's sum in the workspace. Those of the same result follow each other.
    __aicore__ inline AscendC::GlobalTensor<float> ShareSum(uint32_t number, int64_t ofShare) {
        return shareSums[(number * tiling->shareCount + ofShare) * tiling->sumPitch];
    }

    __aicore__ inline void ClearSums() {
        if (tiling->sumElements > 0) {
            AscendC::Duplicate(Sum(0), 0.0f, kSums * tiling->sumElements);
        }
    }

    // Adds a tile to a sum. If a row is too long for sums in UB, it is added in the workspace.
    __aicore__ inline void AddToSum(uint32_t number, const AscendC::LocalTensor<float>& values,
                                    const tile_io::Tile& tile, const tile_io::TileOrigin& origin) {
        if (tiling->sumElements > 0) {
            const AscendC::LocalTensor<float> sum = Sum(number)[origin.column];
            AscendC::Add(sum, sum, values, tile.Count());
            return;
        }
        const int64_t row = origin.outer * tiling->outputShape[1] + origin.row;
        row_math::WaitFor<AscendC::HardEvent::V_MTE3>();
        if (row % tiling->groupsPerBlock > 0) {
            AscendC::SetAtomicAdd<float>();
        }
        row_math::StoreTotal(ShareSum(number, row / tiling->groupsPerBlock)[origin.column], values, tile.columns);
        AscendC::SetAtomicNone();
        row_math::WaitFor<AscendC::HardEvent::MTE3_V>();
    }

    // Leaves the sums of the share in the workspace.
    __aicore__ inline void StoreSums() {
        if (tiling->sumElements == 0) {
            return;
        }
        const uint32_t columns = tile_io::AtMost(tiling->outputShape[0], tiling->sumElements);
        const tile_io::Tile tile{tiling->tileRows, columns, tile_io::RoundUp(columns, kRowStep)};
        for (uint32_t number = 0; number < kSums; number++) {
            row_math::FoldedRows<row_math::Add>(Sum(number), Sum(number), tile);
        }
        row_math::WaitFor<AscendC::HardEvent::V_MTE3>();
        for (uint32_t number = 0; number < kSums; number++) {
            row_math::StoreTotal(ShareSum(number, share), Sum(number), columns);
        }
        row_math::WaitFor<AscendC::HardEvent::MTE3_V>();
    }

    // Adds the sums of all shares, and stores the results: the core takes some columns at a time.
    __aicore__ inline void CombineSums() {
        AscendC::SyncAll();
        const int64_t step = int64_t{tiling->sumColumns} * AscendC::GetBlockNum();
        for (int64_t column = int64_t{tiling->sumColumns} * AscendC::GetBlockIdx(); column < tiling->outputShape[0];
             column += step) {
            const uint32_t columns = tile_io::AtMost(tiling->outputShape[0] - column, tiling->sumColumns);
            const tile_io::Tile tile{1, columns, columns};
            AscendC::LocalTensor<float> sum = Row(0);
{% for sum in sums %}
            AddShares(sum, {{ sum.number }}, column, columns);
            {{ sum.queue }}.EnQueCopy(sum, columns);
            {{ sum.queue }}.CopyOut(tile, column, columns);
{% endfor %}
        }
    }

    // The sum of some columns over all shares.
    __aicore__ inline void AddShares(const AscendC::LocalTensor<float>& sum, uint32_t number, int64_t column,
                                     uint32_t columns) {
        if (tiling->shareCount == 0) {
            AscendC::Duplicate(sum, 0.0f, columns);
            return;
        }
        const row_math::Partials layout{columns, static_cast<uint32_t>(tiling->sumPitch)};
        row_math::CombineParts<row_math::Add>(sum, ShareSum(number, 0)[column], blockBuffer.Get<float>(), layout,
                                              tiling->shareCount);
        AscendC::Adds(sum, sum, 0.0f, columns);  // 0.0 from -0.0, as if the sum had begun with 0.0
    }

{% endif %}
    // The elements that are left of the parts of {{ rows_of_part }}.
    __aicore__ inline AscendC::LocalTensor<float> Total(uint32_t number) {
        return totalBuffer.template Get<float>()[number * row_math::{{ total_size }}];
    }
{% if vector.half_types %}

    // The buffer that casts of one-byte types use, one after the other.
    __aicore__ inline AscendC::LocalTensor<half> Halves() {
        if constexpr (kViaHalf) {
            return halfBuffer.template Get<half>();
        } else {
            return AscendC::LocalTensor<half>();
        }
    }
{% endif %}
{% if vector.blocks %}

    // The blocks from this one on.
    __aicore__ inline AscendC::LocalTensor<float> Coefficients(uint32_t block) {
        return coefficientBuffer.template Get<float>()[block * vector_math::kBlockFloats];
    }
{% endif %}
{% if vector.masks %}

    // One bit for each element.
    __aicore__ inline AscendC::LocalTensor<uint8_t> Mask(uint32_t number) {
        return maskBuffer.template Get<uint8_t>()[number * tiling->tileElements / kMaskBits];
    }
{% endif %}

    const {{ op_type }}TilingData* tiling;
{% if spread %}
    AscendC::GlobalTensor<float> partials;
{% endif %}
{% if sums %}
    AscendC::GlobalTensor<float> shareSums;
    int64_t share;
{% endif %}
{% for tensor in read %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
{% for tensor in written %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
{% if vector.first_shifted %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftedBuffer;
{% endif %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> rowBuffer;
{% if row_masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> rowMaskBuffer;
{% endif %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> blockBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> totalBuffer;
{% if sums %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer;
{% endif %}
{% if numbers %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> numberBuffer;
{% if across %}
    uint32_t numberedPitch;
{% endif %}
{% endif %}
{% if kept %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> keptBuffer;
{% endif %}
{% if vector.half_types %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfBuffer;
{% endif %}
{% if vector.blocks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> coefficientBuffer;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> maskBuffer;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
