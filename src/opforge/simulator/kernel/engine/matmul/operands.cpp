// The Matmul object's operands on the cube core: bounds and order of what lies in global memory, copies of what lies in
// the core, and calls of the kernel's functions that copy into L1.
#include "operands.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "vector/arithmetic.h"
#include "memory/gm_values.h"
#include "memory/local_memory.h"
#include "rounding.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kShort = {"matmul-operand-size",
                         "a matrix in the unified buffer or L1 has all of singleCoreM x singleCoreK or singleCoreK x "
                         "singleCoreN, in fractals (NZ) filled up to them",
                         MATMUL_PAGE("SetTensorA")};
constexpr Rule kDefined = {"matmul-undefined",
                           "what a product reads of the unified buffer or L1 has been written before",
                           MATMUL_PAGE("SetTensorA")};
constexpr Rule kWritten = {"matmul-gm-undefined", "what a product reads of global memory has been written before",
                           MATMUL_PAGE("SetTensorA")};
constexpr Rule kFilled = {"matmul-callback",
                          "the functions CopyA1 and CopyB1 fill all of the base block that the product reads",
                          MATMUL_PAGE("MatmulCallBackFunc")};

void Read(Core& cube, const char* name, const MatmulArea& area, const Call& call) {
    char verb[96];
    std::snprintf(verb, sizeof(verb), "matrix %s of %" PRId64 " x %" PRId64 " (a row each %" PRId64 ") reads", name,
                  area.rows, area.columns, area.stride);
    cube.memory.gm.Check(call, verb, area.addr, area.Bytes(), false);
    for (int64_t row = 0; cube.Checks() && row < area.rows; ++row) {
        const uint64_t at = area.addr + static_cast<uint64_t>(row * area.stride * area.element);
        const uint64_t bytes = static_cast<uint64_t>(area.columns * area.element);
        if (!DefinedInGm(cube, at, bytes)) {
            Fail(call, kWritten, "row %" PRId64 " of matrix %s %s", row, name,
                 WhyLackingInGm(cube, at, bytes, call).c_str());
        }
    }
    // CountMatmulBlock says what of it moves when
    GmRead(cube, Pipe::kMte2, cube.Issue(Pipe::kMte2, call, Work::None()), area.Span(), call);
}

// An operand as it lies: rows x columns that are read of a matrix of `whole` rows, `stride` elements a row. In fractals
// (NZ) columns of 32 bytes lie one behind the other, each of whole / 16 fractals.
struct Lying {
    uint64_t addr;
    Dtype type;
    int64_t rows, columns;
    int64_t whole, stride;
    bool fractal;
    bool transposed;

    const MatmulLocal* local;  // null: in global memory

    int64_t Across() const { return 32 / BytesOf(type); }
    int64_t ColumnBytes() const { return RoundUp(whole, 16) * 32; }
};

// A matrix in the core has no rows or columns but those of the computation; L1 has it in fractals.
Lying Inside(Lying matrix, const MatmulLocal* local) {
    matrix.addr = local == nullptr ? 0 : reinterpret_cast<uint64_t>(local->bytes.data());
    matrix.whole = matrix.rows;
    matrix.stride = matrix.columns;
    matrix.fractal = matrix.fractal || (local != nullptr && local->inL1);
    matrix.local = local;
    return matrix;
}

void CheckLocal(const char* name, const Lying& matrix, const Call& call) {
    const int64_t element = BytesOf(matrix.type);
    const int64_t bytes = matrix.fractal
                              ? RoundUp(matrix.columns, matrix.Across()) / matrix.Across() * matrix.ColumnBytes()
                              : matrix.rows * matrix.columns * element;
    const std::vector<uint8_t>& defined = matrix.local->defined;
    if (bytes > static_cast<int64_t>(matrix.local->bytes.size())) {
        Fail(call, kShort, "%s of %" PRId64 " x %" PRId64 " needs %" PRId64 " bytes, the tensor has %zu", name,
             matrix.rows, matrix.columns, bytes, matrix.local->bytes.size());
    }
    for (int64_t row = 0; row < matrix.rows && !defined.empty(); ++row) {
        for (int64_t column = 0; column < matrix.columns; ++column) {
            const int64_t at = matrix.fractal ? column / matrix.Across() * matrix.ColumnBytes() + row * 32 +
                                                    column % matrix.Across() * element
                                              : (row * matrix.columns + column) * element;
            if (std::find_if(defined.begin() + at, defined.begin() + at + element,
                             [](uint8_t bits) { return bits != 0xff; }) != defined.begin() + at + element) {
                Fail(call, kDefined, "element [%" PRId64 ", %" PRId64 "] of %s has never been written", row, column,
                     name);
            }
        }
    }
}

// K stands along the rows of the matrix as it lies.
bool KIsRow(const MatmulSide& side) { return side.isA == side.transposed; }

Lying LyingOf(const MatmulSide& side) {
    const Lying matrix = KIsRow(side) ? Lying{side.gm,        side.type,    side.k,          side.length, side.orgK,
                                              side.orgLength, side.fractal, side.transposed, side.local}
                                      : Lying{side.gm,   side.type,    side.length,     side.k,    side.orgLength,
                                              side.orgK, side.fractal, side.transposed, side.local};
    return side.local == nullptr ? matrix : Inside(matrix, side.inside);
}

void Read(Core& cube, const char* name, const Lying& matrix, const Call& call) {
    if (matrix.local != nullptr) {
        return CheckLocal(name, matrix, call);
    }
    if (!matrix.fractal) {
        return Read(cube, name,
                    MatmulArea{matrix.addr, matrix.rows, matrix.columns, matrix.stride, BytesOf(matrix.type)}, call);
    }
    for (int64_t column = 0; column < matrix.columns; column += matrix.Across()) {
        const uint64_t at = matrix.addr + static_cast<uint64_t>(column / matrix.Across() * matrix.ColumnBytes());
        Read(cube, name, MatmulArea{at, matrix.rows, matrix.Across(), matrix.Across(), BytesOf(matrix.type)}, call);
    }
}

// rows x columns from (row, column) on, as the product takes them; fractals are put in order in `plain`.
GemmOperand Part(const Lying& matrix, int64_t row, int64_t column, int64_t rows, int64_t columns,
                 std::vector<uint8_t>& plain) {
    const int64_t element = BytesOf(matrix.type);
    const uint8_t* from = reinterpret_cast<const uint8_t*>(matrix.addr);
    if (!matrix.fractal) {
        return {from + (row * matrix.stride + column) * element, matrix.type, matrix.stride, matrix.transposed};
    }
    plain.resize(static_cast<size_t>(rows * columns * element));
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            const int64_t at = column + j;
            std::memcpy(
                plain.data() + (i * columns + j) * element,
                from + at / matrix.Across() * matrix.ColumnBytes() + (row + i) * 32 + at % matrix.Across() * element,
                static_cast<size_t>(element));
        }
    }
    return {plain.data(), matrix.type, columns, matrix.transposed};
}

std::shared_ptr<const MatmulLocal> FromL1(const std::shared_ptr<const MatmulLocal>& local, const Call& call) {
    return local == nullptr || !local->inL1 || !local->bytes.empty() ? local : MatmulFromL1(local->place, call);
}

// What the kernel's function copies: base blocks in L1, of which some stay. Rows of A (columns of B) from `first` on,
// all of K, into `plain`, which is [rows, K], or [K, rows] where the matrix lies so.
GemmOperand Fill(Core& cube, const MatmulMessage& message, const MatmulSide& side, int32_t first, int32_t count,
                 std::vector<uint8_t>& plain) {
    const MatmulRound& r = message.round;
    const int64_t element = BytesOf(side.type), across = 32 / element;
    const int64_t pieces = (r.k + side.in.piece - 1) / side.in.piece;
    const int64_t kept = MatmulKept(side.in, pieces);
    const int64_t together = kept == pieces ? side.in.step : 1;
    const int64_t index = first / side.in.base;
    const int64_t group = index / together;
    const bool again = *side.resident == group;
    const int64_t start = group * together * side.in.base;
    const int64_t length = std::min(side.in.total - start, together * side.in.base);
    const bool kIsRow = KIsRow(side);
    const int64_t room = RoundUp(together * side.in.base, across < 16 ? 16 : across) *
                         RoundUp(side.in.piece, across < 16 ? 16 : across) * element;
    const int64_t slots =
        std::max(kept + (kept < pieces ? 1 : 0), side.in.depth * side.baseK * side.in.base * element / room);
    if (side.tiles->end == 0) {
        *side.tiles =
            cube.memory.buffers.InitBuffer(AscendC::TPosition::A1, static_cast<uint32_t>(slots * room), message.call);
    }
    plain.resize(static_cast<size_t>(count) * static_cast<size_t>(r.k) * static_cast<size_t>(element));
    for (int64_t piece = 0; piece < pieces; ++piece) {
        const int64_t k = std::min<int64_t>(side.in.piece, r.k - piece * side.in.piece);
        const int64_t slot = piece < kept ? piece : kept + (piece - kept) % (slots - kept);
        Ub tile = *side.tiles;
        tile.addr += static_cast<uint32_t>(slot * room);
        tile.end = tile.addr + static_cast<uint32_t>(room);
        if (!again || piece >= kept) {
            const int32_t atK = static_cast<int32_t>(piece * side.in.piece / side.baseK);
            const int32_t at = static_cast<int32_t>(start / side.in.base);
            const int32_t useK = static_cast<int32_t>(k), use = static_cast<int32_t>(length);
            cube.order.clocks.Join(Pipe::kMte2, cube.order.clocks.Snapshot(Pipe::kMte1));
            side.copy(tile, side.gm, side.isA ? at : atK, side.isA ? atK : at, side.isA ? use : useK,
                      side.isA ? useK : use, r.info, r.data);
            cube.order.clocks.Join(Pipe::kMte1, cube.order.clocks.Snapshot(Pipe::kMte2));
        }
        LocalAccess access(message.call, MATMUL_PAGE("MatmulCallBackFunc"), Pipe::kMte1);
        access.Issue(Work::None());
        const uint8_t* data = access.Read(tile, 0, static_cast<uint64_t>(room));
        // bytes that are 8 bits wide stand in fractals of 32 rows where K stands along the rows
        const int64_t high = RoundUp(kIsRow ? k : length, kIsRow && element == 1 ? 32 : 16);
        for (int64_t i = 0; i < count; ++i) {
            for (int64_t j = 0; j < k; ++j) {
                const int64_t line = kIsRow ? j : first - start + i, column = kIsRow ? first - start + i : j;
                const int64_t from = ((column / across * high + line) * across + column % across) * element;
                if (!access.AllDefined(tile, static_cast<uint64_t>(from), static_cast<uint64_t>(element))) {
                    Fail(message.call, kFilled,
                         "of %s row %" PRId64 ", column %" PRId64 " of the block in L1 has not been written", side.name,
                         line, column);
                }
                const int64_t wide = piece * side.in.piece + j;
                const int64_t to = kIsRow ? wide * count + i : i * r.k + wide;
                std::memcpy(plain.data() + to * element, data + from, static_cast<size_t>(element));
            }
        }
    }
    return {plain.data(), side.type, kIsRow ? count : r.k, side.transposed};
}

}  // namespace

std::shared_ptr<const MatmulLocal> MatmulFromL1(const Ub& place, const Call& call) {
    LocalAccess access(call, MATMUL_PAGE("SetTensorA"), Pipe::kMte1);
    const uint64_t bytes = BytesLeft(place);
    access.Check("the matrix", place, Memory::kL1, bytes, 32);
    access.Issue(Work::Move(bytes));
    auto copy = std::make_shared<MatmulLocal>();
    const uint8_t* data = access.Read(place, 0, bytes);
    copy->bytes.assign(data, data + bytes);
    if (access.On().Checks()) {
        const uint8_t* defined = access.On().Local(Memory::kL1).Defined(place.addr);
        copy->defined.assign(defined, defined + bytes);
    }
    copy->inL1 = true;
    return copy;
}

void ReadMatmulInputs(Core& cube, const MatmulMessage& message) {
    const MatmulRound& r = message.round;
    MatmulState& state = *message.state;
    const MatmulSpec& spec = state.spec;
    state.insideA = FromL1(r.localA, message.call);
    state.insideB = FromL1(r.localB, message.call);
    for (const MatmulSide& side : {SideA(state, r), SideB(state, r)}) {
        *side.resident = -1;
        // what a function of the kernel copies is checked where it does
        if (side.copy == nullptr) {
            Read(cube, side.name, LyingOf(side), message.call);
        }
    }
    if (r.bias != 0 && r.localBias != nullptr) {
        CheckLocal("bias", {r.bias, spec.bias, 1, r.n, 1, r.n, false, false, r.localBias.get()}, message.call);
    } else if (r.bias != 0) {
        Read(cube, "bias", MatmulArea{r.bias, 1, r.n, r.n, BytesOf(spec.bias)}, message.call);
    }
    if (r.quantVector != 0) {
        Read(cube, "scales", MatmulArea{r.quantVector, 1, r.n, r.n, 8}, message.call);
    }
}

MatmulSide SideA(MatmulState& state, const MatmulRound& r) {
    const MatmulSpec& spec = state.spec;
    const MatmulBlocks& b = state.blocks;
    const int64_t piece = int64_t{b.baseK} * (spec.multiDataLoad ? b.stepKa : 1);
    return {"A",
            true,
            r.a,
            spec.a,
            r.aTransposed,
            spec.aFractal,
            r.m,
            r.k,
            r.orgM,
            r.orgKa,
            r.localA.get(),
            state.insideA.get(),
            spec.callbacks.a,
            &state.tilesA,
            &state.residentA,
            b.baseK,
            {b.baseM, r.m, b.stepM, b.depthA1, piece, spec.multiDataLoad}};
}

MatmulSide SideB(MatmulState& state, const MatmulRound& r) {
    const MatmulSpec& spec = state.spec;
    const MatmulBlocks& b = state.blocks;
    const int64_t piece = int64_t{b.baseK} * (spec.multiDataLoad ? b.stepKb : 1);
    return {"B",
            false,
            r.b,
            spec.b,
            r.bTransposed,
            spec.bFractal,
            r.n,
            r.k,
            r.orgN,
            r.orgKb,
            r.localB.get(),
            state.insideB.get(),
            spec.callbacks.b,
            &state.tilesB,
            &state.residentB,
            b.baseK,
            {b.baseN, r.n, b.stepN, b.depthB1, piece, spec.multiDataLoad}};
}

GemmOperand MatmulPart(Core& cube, const MatmulMessage& message, const MatmulSide& side, int32_t first, int32_t count,
                       std::vector<uint8_t>& plain) {
    if (side.copy != nullptr) {
        return Fill(cube, message, side, first, count, plain);
    }
    const Lying matrix = LyingOf(side);
    return KIsRow(side) ? Part(matrix, 0, first, side.k, count, plain) : Part(matrix, first, 0, count, side.k, plain);
}

}  // namespace sim
