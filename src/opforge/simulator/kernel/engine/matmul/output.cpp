// The Matmul object writes C: rows of sums, scaled and combined, by FIX into global memory, towards the unified buffer,
// or through the kernel's own function.
#include "output.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "vector/arithmetic.h"
#include "memory/gm_values.h"
#include "cube/fixpipe_convert.h"
#include "memory/local_memory.h"
#include "operands.h"
#include "rounding.h"

namespace sim {
namespace {

constexpr Rule kPartial = {"matmul-partial-sum",
                           "enPartialSum adds to the block that an Iterate before has left in L0C",
                           "高阶API/矩阵计算/Matmul-Kernel侧接口/Iterate"};
constexpr Rule kRoom = {"matmul-c-room", "the tensor for C has room for a base block",
                        "高阶API/矩阵计算/Matmul-Kernel侧接口/GetTensorC"};
constexpr Rule kQuant = {"matmul-quant", "C of int8_t, and half out of int8_t, needs SetQuantScalar or SetQuantVector",
                         "高阶API/矩阵计算/Matmul-Kernel侧接口/SetQuantScalar"};
constexpr Rule kAtomicType = {"matmul-atomic-int8", "C of int8_t is not combined with what is there (enAtomic)",
                              "高阶API/矩阵计算/Matmul-Kernel侧接口/IterateAll"};

// Row i of the sums, from column `first`, as the output has it: scaled where it is quantised, combined with what is
// there where that is asked for.
void StoreRow(const MatmulMessage& message, const MatmulBlock& block, int64_t i, int64_t first, int64_t count,
              Combine combine, uint8_t* to) {
    const MatmulState& state = *message.state;
    const MatmulSpec& spec = state.spec;
    const float* sums = state.sums.data() + i * block.columns + first;
    const bool integers = spec.a == Dtype::kInt8;
    if (!integers && spec.c != Dtype::kInt8) {
        return StoreSums(sums, count, spec.c, combine, to);
    }
    if (integers && spec.c == Dtype::kInt32) {
        const int32_t* values = reinterpret_cast<const int32_t*>(sums);
        for (int64_t j = 0; j < count; ++j) {
            int32_t old;
            std::memcpy(&old, to + j * 4, 4);
            const int32_t sum = static_cast<int32_t>(static_cast<uint32_t>(old) + static_cast<uint32_t>(values[j]));
            const int32_t value = combine == Combine::kAdd   ? sum
                                  : combine == Combine::kMax ? std::max(old, values[j])
                                  : combine == Combine::kMin ? std::min(old, values[j])
                                                             : values[j];
            std::memcpy(to + j * 4, &value, 4);
        }
        return;
    }
    const MatmulRound& r = message.round;
    if (!r.quantised) {
        Fail(message.call, kQuant, "neither has been called");
    }
    const uint64_t* words = &r.quantScalar;
    if (r.quantVector != 0) {
        words = reinterpret_cast<const uint64_t*>(r.quantVector) + block.column + first;
    }
    const uint32_t quant = !integers ? kToByte : spec.c == Dtype::kHalf ? kDeq : kReq;
    const Dtype from = integers ? Dtype::kInt32 : Dtype::kFloat;
    const auto convert = [&](uint8_t* row) {
        ConvertSums(quant, false, from, spec.c, sums, static_cast<uint64_t>(count), words, r.quantVector != 0, row);
    };
    if (combine == Combine::kReplace) {
        return convert(to);
    }
    if (spec.c != Dtype::kHalf) {
        Fail(message.call, kAtomicType, "enAtomic is %u", message.write.atomic);
    }
    std::vector<uint8_t> row(static_cast<size_t>(count) * 2);
    std::vector<float> values(static_cast<size_t>(count));
    convert(row.data());
    WidenRow(row.data(), Dtype::kHalf, count, values.data());
    StoreSums(values.data(), count, Dtype::kHalf, combine, to);
}

void WriteArea(Core& cube, const MatmulMessage& message, uint32_t number, const char* verb, const MatmulArea& area) {
    cube.memory.gm.Check(message.call, verb, area.addr, area.Bytes(), true);
    GmWrite(cube, MatmulOut(cube), number, area.Span(), message.call, message.write.atomic != 0);
    for (int64_t row = 0; cube.Checks() && row < area.rows; ++row) {
        const uint64_t at = area.addr + static_cast<uint64_t>(row * area.stride * area.element);
        const uint64_t bytes = static_cast<uint64_t>(area.columns * area.element);
        if (message.write.atomic != 0) {
            MarkCombined(cube, at, bytes, nullptr, message.call);
        } else {
            MarkStored(cube, at, bytes);
        }
    }
}

// Fixpipe copies a block out of L0C. With neither UnitFlag nor a second buffer, the next Mmad waits for it.
uint32_t IssueOut(Core& cube, const MatmulMessage& message, const MatmulBlock& block) {
    const MatmulState& state = *message.state;
    const uint64_t bytes = BytesOf(state.spec.c);
    const uint32_t number =
        cube.Issue(MatmulOut(cube), message.call,
                   Work::Store(static_cast<uint64_t>(block.rows) * static_cast<uint64_t>(block.columns) * bytes));
    if (cube.Kind() != CoreKind::kCoupled && !state.spec.unitFlag && state.blocks.dbL0C < 2) {
        cube.order.clocks.Join(Pipe::kMatrix, cube.order.clocks.Snapshot(Pipe::kFix));
    }
    return number;
}

// By the kernel's own function.
void CallOut(Core& cube, const MatmulMessage& message, const MatmulBlock& block) {
    MatmulState& state = *message.state;
    const MatmulRound& r = message.round;
    const int64_t high = RoundUp(block.rows, 16), wide = RoundUp(block.columns, 16);
    if (state.tileC.end == 0) {
        const uint64_t bytes =
            static_cast<uint64_t>(state.blocks.baseM) * static_cast<uint64_t>(state.blocks.baseN) * 4;
        state.tileC =
            cube.memory.buffers.InitBuffer(AscendC::TPosition::CO1, static_cast<uint32_t>(bytes), message.call);
    }
    MatmulIntoL0c(message, block, state.tileC);
    cube.order.clocks.Join(Pipe::kFix, cube.order.clocks.Snapshot(Pipe::kMatrix));
    const bool sequential = message.write.sequential;
    const int64_t bytes = BytesOf(state.spec.c);
    const int64_t whole = RoundUp(r.orgM, 16);
    const int64_t fractals = sequential ? block.offset : block.column / 16 * whole * 16 + int64_t{block.row} * 16;
    const int64_t offset = state.spec.cFractal ? fractals : block.offset;
    const int64_t stride = state.spec.cFractal ? (sequential ? high : whole) * 16 * bytes / 32 : block.stride;
    const MatmulCopyOut params{static_cast<uint16_t>(wide / 16),
                               static_cast<uint16_t>(block.rows * 16 * 4 / 32),
                               static_cast<uint16_t>(state.spec.cFractal ? 0 : block.columns),
                               static_cast<uint32_t>(stride),
                               block.row / state.blocks.baseM,
                               block.column / state.blocks.baseN};
    const Combine combine = static_cast<Combine>(message.write.atomic);
    if (combine != Combine::kReplace) {
        SetAtomic(combine == Combine::kAdd   ? Atomic::kAdd
                  : combine == Combine::kMax ? Atomic::kMax
                                             : Atomic::kMin,
                  state.spec.c);
    }
    state.spec.callbacks.out(message.gm + static_cast<uint64_t>(offset * bytes), state.tileC, params, r.info, r.data);
    if (combine != Combine::kReplace) {
        SetAtomic(Atomic::kNone, state.spec.c);
    }
    cube.order.clocks.Join(Pipe::kMatrix, cube.order.clocks.Snapshot(Pipe::kFix));
}

// L0C into global memory.
void WriteOut(Core& cube, const MatmulMessage& message, const MatmulBlock& block) {
    const MatmulState& state = *message.state;
    if (!MatmulComputes(state, block)) {
        return;
    }
    if (state.spec.callbacks.out != nullptr) {
        return CallOut(cube, message, block);
    }
    const uint32_t bytes = BytesOf(state.spec.c);
    const Combine combine = static_cast<Combine>(message.write.atomic);
    char verb[112];
    std::snprintf(verb, sizeof(verb), "block of C of %d x %d at [%d, %d] (a row each %" PRId64 ") writes", block.rows,
                  block.columns, block.row, block.column, block.stride);
    const uint32_t number = IssueOut(cube, message, block);
    // what several cores add up they may write at the same time
    std::unique_lock<std::mutex> together(cube.Shared().atomics, std::defer_lock);
    if (combine != Combine::kReplace) {
        together.lock();
    }
    if (!state.spec.cFractal) {
        const MatmulArea area{message.gm + static_cast<uint64_t>(block.offset) * bytes, block.rows, block.columns,
                              block.stride, bytes};
        WriteArea(cube, message, number, verb, area);
        for (int64_t i = 0; i < block.rows; ++i) {
            StoreRow(message, block, i, 0, block.columns, combine,
                     reinterpret_cast<uint8_t*>(area.addr) + i * block.stride * bytes);
        }
        return;
    }
    // columns of 16 elements, of 32 where they are bytes
    const int64_t across = bytes == 1 ? 32 : 16;
    const int64_t whole = message.write.sequential ? RoundUp(block.rows, 16) : RoundUp(message.round.orgM, 16);
    const int64_t row = message.write.sequential ? 0 : block.row;
    const int64_t column = message.write.sequential ? 0 : block.column;
    const uint64_t start = message.gm + (message.write.sequential ? static_cast<uint64_t>(block.offset) * bytes : 0);
    for (int64_t first = 0; first < block.columns; first += across) {
        const int64_t count = std::min<int64_t>(across, block.columns - first);
        const MatmulArea area{start + static_cast<uint64_t>(((column + first) / across * whole + row) * across) * bytes,
                              block.rows, count, across, bytes};
        WriteArea(cube, message, number, verb, area);
        for (int64_t i = 0; i < block.rows; ++i) {
            StoreRow(message, block, i, first, count, combine,
                     reinterpret_cast<uint8_t*>(area.addr) + i * across * bytes);
        }
    }
}

// In fractals, as the copy out of L0C leaves them: rows up to a multiple of 16 come with it, of no meaning.
void WriteFractalTransit(const MatmulMessage& message, const MatmulBlock& block) {
    MatmulState& state = *message.state;
    const int64_t bytes = BytesOf(state.spec.c);
    const int64_t across = bytes == 1 ? 32 : 16;
    const bool alone = message.write.sequential;
    const int64_t whole = RoundUp(alone ? block.rows : message.round.m, 16);
    const int64_t row = alone ? 0 : block.row;
    const int64_t column = alone ? 0 : block.column / across;
    const int64_t columns = RoundUp(block.columns, across) / across;
    const int64_t need = ((column + columns - 1) * whole + row + RoundUp(block.rows, 16)) * across;
    const int64_t room = static_cast<int64_t>(state.transit.bytes.size()) / bytes;
    if (need > room) {
        Fail(message.call, kRoom,
             "the block of C of %d x %d at [%d, %d] in fractals needs %" PRId64 " elements, the tensor has %" PRId64,
             block.rows, block.columns, block.row, block.column, need, room);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
        for (int64_t first = 0; first < block.columns; first += across) {
            const int64_t count = std::min<int64_t>(across, block.columns - first);
            const size_t at = static_cast<size_t>((((column + first / across) * whole + row + i) * across) * bytes);
            StoreRow(message, block, i, first, count, Combine::kReplace, state.transit.bytes.data() + at);
            std::memset(state.transit.defined.data() + at, 0xff, static_cast<size_t>(count * bytes));
        }
    }
}

// L0C towards the unified buffer of the client.
void WriteTransit(Core& cube, const MatmulMessage& message, const MatmulBlock& block) {
    MatmulState& state = *message.state;
    const int64_t bytes = BytesOf(state.spec.c);
    if (cube.Kind() != CoreKind::kCoupled) {
        IssueOut(cube, message, block);
    }
    if (state.spec.cFractal) {
        return WriteFractalTransit(message, block);
    }
    const int64_t room = static_cast<int64_t>(state.transit.bytes.size()) / bytes;
    const int64_t start = message.transitOffset + block.offset;
    const int64_t need = start + (block.rows - 1) * block.stride + block.columns;
    if (need > room) {
        Fail(message.call, kRoom,
             "the block of C of %d x %d at [%d, %d] (a row each %" PRId64 ") needs %" PRId64
             " elements, the tensor has %" PRId64,
             block.rows, block.columns, block.row, block.column, block.stride, need, room);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
        const size_t at = static_cast<size_t>((start + i * block.stride) * bytes);
        StoreRow(message, block, i, 0, block.columns, Combine::kReplace, state.transit.bytes.data() + at);
        std::memset(state.transit.defined.data() + at, 0xff, static_cast<size_t>(block.columns * bytes));
    }
}

}  // namespace

MatmulBlock MatmulBlockOf(const MatmulState& state, const MatmulRound& round, uint32_t step, bool sequential,
                          int64_t base) {
    const MatmulBlocks& b = state.blocks;
    const uint32_t ofM = static_cast<uint32_t>((round.m + b.baseM - 1) / b.baseM);
    const uint32_t ofN = static_cast<uint32_t>((round.n + b.baseN - 1) / b.baseN);
    const int32_t i = static_cast<int32_t>(b.iterateOrder == 0 ? step % ofM : step / ofN);
    const int32_t j = static_cast<int32_t>(b.iterateOrder == 0 ? step / ofM : step % ofN);
    MatmulBlock block{};
    block.row = i * b.baseM;
    block.column = j * b.baseN;
    block.rows = std::min(b.baseM, round.m - block.row);
    block.columns = std::min(b.baseN, round.n - block.column);
    int64_t pitch = round.orgKc != 0 ? round.orgKc : round.orgN;
    block.stride = block.columns;
    if (state.spec.cAligned) {
        const int64_t across = 32 / BytesOf(state.spec.c);
        pitch = RoundUp(pitch, across);
        block.stride = RoundUp(block.stride, across);
    }
    block.stride = sequential ? block.stride : pitch;
    block.offset = sequential ? base : block.row * pitch + block.column;
    return block;
}

bool MatmulComputes(const MatmulState& state, const MatmulBlock& block) {
    const int32_t i = block.row / state.blocks.baseM, j = block.column / state.blocks.baseN;
    return state.spec.policy == MatmulPolicyKind::kUpper   ? i <= j
           : state.spec.policy == MatmulPolicyKind::kLower ? i >= j
                                                           : true;
}

void MatmulIntoL0c(const MatmulMessage& message, const MatmulBlock& block, const Ub& place) {
    const int64_t high = RoundUp(block.rows, 16), wide = RoundUp(block.columns, 16);
    const uint64_t bytes = static_cast<uint64_t>(high * wide * 4);
    LocalAccess access(message.call, MATMUL_PAGE("Iterate"), Pipe::kMatrix);
    access.Check("C", place, Memory::kL0C, bytes, 64);
    access.Issue(Work::None());
    uint8_t* to = access.Write(place, 0, bytes, Pipe::kMatrix);
    access.Define(place, 0, bytes);
    std::memset(to, 0, bytes);
    const float* sums = message.state->sums.data();
    for (int64_t i = 0; i < block.rows; ++i) {
        for (int64_t j = 0; j < block.columns; ++j) {
            std::memcpy(to + ((j / 16 * high + i) * 16 + j % 16) * 4, sums + i * block.columns + j, 4);
        }
    }
}

void MatmulResume(const MatmulMessage& message, const MatmulBlock& block) {
    MatmulState& state = *message.state;
    if (!message.intoCo1) {
        if (!state.sumsDefined) {
            Fail(message.call, kPartial, "L0C holds no block of this object");
        }
        return;
    }
    const Ub& place = message.co1;
    const int64_t high = RoundUp(block.rows, 16), wide = RoundUp(block.columns, 16);
    const uint64_t bytes = static_cast<uint64_t>(high * wide * 4);
    LocalAccess access(message.call, MATMUL_PAGE("Iterate"), Pipe::kMatrix);
    access.Check("C", place, Memory::kL0C, bytes, 64);
    access.Issue(Work::None());
    const uint8_t* from = access.Read(place, 0, bytes, Pipe::kMatrix);
    if (!access.AllDefined(place, 0, bytes)) {
        Fail(message.call, kPartial, "L0C holds nothing there");
    }
    state.sums.resize(static_cast<size_t>(state.blocks.baseM) * static_cast<size_t>(state.blocks.baseN));
    for (int64_t i = 0; i < block.rows; ++i) {
        for (int64_t j = 0; j < block.columns; ++j) {
            std::memcpy(state.sums.data() + i * block.columns + j, from + ((j / 16 * high + i) * 16 + j % 16) * 4, 4);
        }
    }
    state.sumsDefined = true;
}

void MatmulWriteBlock(Core& cube, const MatmulMessage& message, const MatmulBlock& block) {
    if (message.inTransit) {
        WriteTransit(cube, message, block);
    } else {
        WriteOut(cube, message, block);
    }
}

}  // namespace sim
