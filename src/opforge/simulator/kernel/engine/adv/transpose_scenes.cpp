// The scenes of Transpose, element by element.
// Page: SIMD-API/高阶API/张量变换/Transpose-96
#include <cstring>

#include "adv_call.h"
#include "rounding.h"
#include "sim/adv_pad.h"

namespace sim {
namespace {

enum Scene : uint32_t {
    kNzToNdSwapped = 1,
    kNzToNzSwapped,
    kNzToNzCut,
    kNzToNdCut,
    kNzToNdMerged,
    kNzToNzMerged,
    kMatrix
};

constexpr uint64_t kSixteen = 16;
constexpr uint64_t kFractal = kSixteen * kSixteen;

// Where an element of a matrix of `rows` stands in NZ: stripes of sixteen columns, each row by row.
uint64_t InNz(uint64_t rows, uint64_t row, uint64_t column) {
    return (column / kSixteen * rows + row) * kSixteen + column % kSixteen;
}

struct Shape {
    Scene scene;
    uint64_t batches, heads, rows, columns;  // rows are whole sixteens
    uint64_t Wide() const { return RoundUp(columns, kSixteen); }
    uint64_t Hidden() const { return RoundUp(heads * columns, kSixteen); }
    bool Cut() const { return scene == kNzToNzCut || scene == kNzToNdCut; }
    bool Merged() const { return scene == kNzToNdMerged || scene == kNzToNzMerged; }
    uint64_t Elements(bool merged) const { return batches * rows * (merged ? Hidden() : heads * Wide()); }

    uint64_t From(uint64_t b, uint64_t n, uint64_t s, uint64_t d) const {
        return Cut() ? b * rows * Hidden() + InNz(rows, s, n * columns + d)
                     : (b * heads + n) * rows * Wide() + InNz(rows, s, d);
    }
    uint64_t To(uint64_t b, uint64_t n, uint64_t s, uint64_t d) const {
        switch (scene) {
            case kNzToNdSwapped:
                return ((b * rows + s) * heads + n) * Wide() + d;
            case kNzToNzSwapped:
                return (b * rows + s) * heads * Wide() + InNz(heads, n, d);
            case kNzToNzCut:
                return (b * heads + n) * rows * Wide() + InNz(rows, s, d);
            case kNzToNdCut:
                return ((b * heads + n) * rows + s) * Wide() + d;
            case kNzToNdMerged:
                return (b * rows + s) * Hidden() + n * columns + d;
            default:
                return b * rows * Hidden() + InNz(rows, s, n * columns + d);
        }
    }
};

void Move(Instruction& in, const TransposeOperands& x, uint8_t* dst, const uint8_t* src, uint64_t to, uint64_t from) {
    std::memcpy(dst + to * x.element, src + from * x.element, x.element);
    in.DefineAs(x.dst, x.element, to * x.element, in.OriginOf(x.src, from * x.element, x.element));
}

void TransposeMatrix(AdvCall& adv, const TransposeOperands& x) {
    const uint64_t rows = x.batches, columns = x.heads;
    if (rows % kSixteen != 0 || columns % kSixteen != 0) {
        adv.Refuse("of TRANSPOSE_ND2ND_ONLY, H and W are multiples of 16", "the tiling has H %llu and W %llu",
                   static_cast<unsigned long long>(rows), static_cast<unsigned long long>(columns));
    }
    const uint64_t elements = rows * columns;
    uint8_t* dst = adv.Writes("dst", x.dst, elements * x.element);
    const uint8_t* src = adv.Reads("src", x.src, elements * x.element);
    adv.KeepApart(false);
    Instruction& in = adv.Begin(elements);
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            Move(in, x, dst, src, column * rows + row, row * columns + column);
        }
    }
}

}  // namespace

void TransposeScene(const VectorCall& call, const TransposeOperands& x) {
    AdvCall adv(call);
    if (x.scene < kNzToNdSwapped || x.scene > kMatrix) {
        adv.Refuse("transposeType is one of the scenes 1 to 7; Atlas A2, A3 and 310P have no others", "it is %u",
                   x.scene);
    }
    const bool matrix = x.scene == kMatrix;
    if (x.perBlock * x.element != 32 || x.batches == 0 || x.heads == 0 ||
        (!matrix && (x.rows == 0 || x.columns == 0))) {
        adv.Refuse("the tiling is what GetTransposeTilingInfo made of the shape, the scene and the data type's size",
                   "it has blocks of %u elements of %u bytes and the lengths %u, %u, %u, %u", x.perBlock, x.element,
                   x.batches, x.heads, x.rows, x.columns);
    }
    if (matrix) {
        TransposeMatrix(adv, x);
        return;
    }
    const Shape shape{static_cast<Scene>(x.scene), x.batches, x.heads, x.rows, x.columns};
    const bool swapped = !shape.Cut() && !shape.Merged();
    if (swapped && x.roomElements < kFractal) {
        adv.Refuse("stackBufferSize of GetTransposeTilingInfo is at least GetTransposeMaxMinTmpSize's minValue",
                   "it was less than %llu bytes", static_cast<unsigned long long>(kFractal * x.element));
    }
    const uint64_t written = shape.Elements(shape.Merged());
    uint8_t* dst = adv.Writes("dst", x.dst, written * x.element);
    const uint8_t* src = adv.Reads("src", x.src, shape.Elements(shape.Cut()) * x.element);
    adv.KeepApart(false);
    const uint64_t room = swapped ? std::min<uint64_t>(x.roomElements, x.rows * kSixteen) : 2 * kFractal;
    adv.Uses(x.room, room * x.element, room * x.element);
    Instruction& in = adv.Begin(written);
    in.Define(x.dst, written * x.element, 0, false);  // what fills up to sixteens is undefined
    for (uint64_t b = 0; b < shape.batches; ++b) {
        for (uint64_t n = 0; n < shape.heads; ++n) {
            for (uint64_t s = 0; s < shape.rows; ++s) {
                for (uint64_t d = 0; d < shape.columns; ++d) {
                    Move(in, x, dst, src, shape.To(b, n, s, d), shape.From(b, n, s, d));
                }
            }
        }
    }
}

}  // namespace sim
