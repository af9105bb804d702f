// Formats of convolutions, element by element.
// Page: SIMD-API/高阶API/张量变换/TransData
#include <cstring>

#include "adv_call.h"
#include "sim/adv_pad.h"
#include "sim_adv_row_rooms.h"

namespace sim {
namespace {

constexpr uint32_t kSixteen = 16;

uint32_t Up(uint32_t length) { return (length + kSixteen - 1) / kSixteen; }

// The dims that the shape of NCDHW asks of the other format.
std::vector<uint32_t> Sixteens(const TransDataOperands& x) {
    if (x.fractal) {
        return {x.d, Up(x.c), x.h, x.w, Up(x.n), kSixteen, kSixteen};
    }
    return {x.n, x.d, Up(x.c), x.h, x.w, kSixteen};
}

std::string Text(const uint32_t* dims, size_t rank) {
    std::string text;
    for (size_t i = 0; i < rank; ++i) {
        text += (i == 0 ? "[" : ", ") + std::to_string(dims[i]);
    }
    return text + "]";
}

}  // namespace

void TransData(const VectorCall& call, const TransDataOperands& x) {
    AdvCall adv(call);
    const std::vector<uint32_t> dims = Sixteens(x);
    uint64_t sixteens = 1;
    for (const uint32_t dim : dims) {
        sixteens *= dim;
    }
    if (sixteens == 0 || std::memcmp(dims.data(), x.sixteens, dims.size() * sizeof(uint32_t)) != 0) {
        const uint32_t plain[] = {x.n, x.c, x.d, x.h, x.w};
        adv.Refuse("the layouts are those of one tensor, with C and N cut into sixteens",
                   "NCDHW is %s, and the other format %s instead of %s", Text(plain, 5).c_str(),
                   Text(x.sixteens, dims.size()).c_str(), Text(dims.data(), dims.size()).c_str());
    }
    const uint64_t plane = uint64_t{Up(x.h * x.w)} * kSixteen;
    const uint64_t planes = uint64_t{x.n} * x.c * x.d * plane;
    uint8_t* dst = adv.Writes("dst", x.dst, (x.back ? planes : sixteens) * x.element);
    const uint8_t* src = adv.Reads("src", x.src, (x.back ? sixteens : planes) * x.element);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_trans_data(x.n, x.c, x.d, uint64_t{x.h} * x.w, x.fractal, x.back);
    const uint64_t room = sizes.least * x.element / 2;
    adv.Uses(x.room, room, room);
    Instruction& in = adv.Begin(sixteens);
    const uint32_t element = x.element;
    if (x.back) {
        in.Define(x.dst, planes * element, 0, false);  // what fills up a plane is undefined
    }
    const uint32_t channels = Up(x.c) * kSixteen;
    const uint32_t batches = x.fractal ? Up(x.n) * kSixteen : x.n;
    for (uint32_t n = 0; n < batches; ++n) {
        for (uint32_t c = 0; c < channels; ++c) {
            for (uint32_t d = 0; d < x.d; ++d) {
                for (uint32_t hw = 0; hw < x.h * x.w; ++hw) {
                    const uint64_t c1 = c / kSixteen;
                    const uint64_t outer = x.fractal ? (d * uint64_t{Up(x.c)} + c1) * x.h * x.w + hw
                                                     : ((n * uint64_t{x.d} + d) * Up(x.c) + c1) * x.h * x.w + hw;
                    const uint64_t there = (x.fractal ? outer * batches + n : outer) * kSixteen + c % kSixteen;
                    const uint64_t here = ((uint64_t{n} * x.c + c) * x.d + d) * plane + hw;
                    const bool inside = n < x.n && c < x.c;
                    if (inside) {
                        const uint64_t to = (x.back ? here : there) * element;
                        const uint64_t from = (x.back ? there : here) * element;
                        std::memcpy(dst + to, src + from, element);
                        in.DefineAs(x.dst, element, to, in.OriginOf(x.src, from, element));
                    } else if (!x.back) {
                        std::memset(dst + there * element, 0, element);
                        in.Define(x.dst, element, there * element);
                    }
                }
            }
        }
    }
}

}  // namespace sim
