// A tiling out of its levels: parts for cores, base blocks for L0, blocks kept in L1.
#include "block_split.h"

#include <algorithm>
#include <limits>

#include "any_legal.h"
#include "core_split.h"
#include "coupled_blocks.h"
#include "cube_blocks.h"
#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;

int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }

// Columns of a base block that the BiasTable has room for; without one, bias goes through the unified buffer.
int64_t BiasColumns(const TilingRequest& request, const Product& product, int64_t otherwise) {
    const bool table = request.soc == platform_ascendc::SocVersion::ASCEND910B;
    // A bias block is widened to 4 bytes an element.
    return product.biasBytes == 0 || !table ? otherwise : std::min(otherwise, request.bias_table / 4);
}

Product ProductOf(const TilingRequest& request) {
    const Sizes shape = ShapeOf(request);
    Product product = Product();
    product.m = shape.m;
    product.n = shape.n;
    product.k = shape.k;
    product.aBytes = BytesOf(request.a.type);
    product.bBytes = BytesOf(request.b.type);
    product.aAcross = request.a.transposed;
    product.bAcross = request.b.transposed;
    if (request.has_bias) {
        product.biasBytes = request.bias.set ? BytesOf(request.bias.type) : 4;
    }
    const int64_t c0 = 32 / product.aBytes;
    const int64_t both = std::max(kFractal, c0);  // a fractal is 16 x C0 either way round
    product.mStep = request.a.transposed ? both : kFractal;
    product.nStep = request.b.transposed ? kFractal : both;
    product.kStep = !request.a.transposed && request.b.transposed ? c0 : both;
    product.biasColumns = BiasColumns(request, product, std::numeric_limits<int32_t>::max());
    return product;
}

std::string CheckFixed(const TilingRequest& request, const Product& product, const Sizes& part) {
    const int64_t c0 = 32 / product.aBytes;
    const int64_t mostM = RoundUp(part.m, std::max(kFractal, product.mStep));
    const int64_t mostN = RoundUp(part.n, std::max(kFractal, c0));
    if (request.base.m > mostM || request.base.n > mostN) {
        return "SetFixSplit(" + std::to_string(request.base.m) + ", " + std::to_string(request.base.n) +
               "), but a core's part has M " + std::to_string(part.m) + " and N " + std::to_string(part.n) +
               ", so at most " + std::to_string(mostM) + " and " + std::to_string(mostN) + " are right";
    }
    if (request.base.m > 0 && request.base.n > 0 && int64_t{request.base.m} * request.base.n * 4 > request.l0c) {
        return "SetFixSplit(" + std::to_string(request.base.m) + ", " + std::to_string(request.base.n) + ") needs " +
               std::to_string(int64_t{request.base.m} * request.base.n * 4) + " bytes of L0C, which has " +
               std::to_string(request.l0c);
    }
    if (request.base.n > product.biasColumns) {
        return "SetFixSplit: a bias block of " + std::to_string(request.base.n) +
               " elements is longer than the BiasTable's " + std::to_string(request.bias_table) + " bytes";
    }
    return "";
}

// The blocks as CANN's library chooses them on Atlas A2 and A3.
std::string CubeBlocks(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* out) {
    CubePart part;
    part.m = CeilDiv(out->singleCoreM, kFractal);
    part.n = CeilDiv(out->singleCoreN, kFractal);
    part.k = CeilDiv(out->singleCoreK, 32 / product.aBytes);
    part.element = product.aBytes;
    part.aAcross = request.a.transposed;
    part.bAcross = request.b.transposed;
    part.fixedM = std::max(request.base.m, 0) / kFractal;
    part.fixedN = std::max(request.base.n, 0) / kFractal;
    part.mostN = product.biasColumns / kFractal;
    part.l0a = request.l0a;
    part.l0b = request.l0b;
    part.l0c = request.l0c;
    part.l1 = request.l1;
    part.biasBytes = product.biasBytes * kFractal;
    const CubeBase base = ChooseCubeBase(part);
    if (base.m == 0) {
        return "no base block fits L0A (" + std::to_string(request.l0a) + " bytes), L0B (" +
               std::to_string(request.l0b) + ") and L0C (" + std::to_string(request.l0c) + ")";
    }
    out->baseM = Narrow(base.m * kFractal);
    out->baseN = Narrow(base.n * kFractal);
    out->baseK = Narrow(base.k * 32 / product.aBytes);
    const CubeL1 l1 = ChooseCubeL1(part, base);
    if (l1.a.stepK == 0 || l1.b.stepK == 0 || l1.a.step == 0 || l1.b.step == 0) {
        return "one block of A and B, " + SizesText(out->baseM, out->baseN, out->baseK) + ", does not fit the " +
               std::to_string(request.l1) + " bytes of L1";
    }
    out->stepM = Narrow(l1.a.step);
    out->stepN = Narrow(l1.b.step);
    out->stepKa = Narrow(l1.a.stepK);
    out->stepKb = Narrow(l1.b.stepK);
    out->depthA1 = Narrow(l1.a.step * l1.a.stepK * l1.a.buffers);
    out->depthB1 = Narrow(l1.b.step * l1.b.stepK * l1.b.buffers);
    out->dbL0A = out->dbL0B = 2;
    out->dbL0C = 1;
    out->iterateOrder = l1.columnsFirst ? 1 : 0;
    if (request.traverse != MatrixTraverse::NOSET) {
        out->iterateOrder = request.traverse == MatrixTraverse::FIRSTM ? 0 : 1;
    }
    return "";
}

std::string CoupledBlocks(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* out) {
    const Sizes part = {out->singleCoreM, out->singleCoreN, out->singleCoreK};
    const CoupledBase base = ChooseCoupledBase(request, product, part);
    if (base.m == 0) {
        return "no base block fits L0A (" + std::to_string(request.l0a) + " bytes), L0B (" +
               std::to_string(request.l0b) + ") and L0C (" + std::to_string(request.l0c) +
               "), with twice its largest matrix in " + std::to_string(request.ub) + " bytes of UB";
    }
    const CoupledL1 l1 = PlanCoupledL1(request, product, base, part.k);
    if (l1.buffers == 0) {
        return "one block of A and B, " + SizesText(base.m, base.n, base.k) + ", does not fit the " +
               std::to_string(request.l1) + " bytes of L1";
    }
    out->baseM = Narrow(base.m);
    out->baseN = Narrow(base.n);
    out->baseK = Narrow(base.k);
    out->stepM = out->stepN = 1;
    out->stepKa = out->stepKb = Narrow(l1.steps);
    out->depthA1 = out->depthB1 = Narrow(l1.steps * l1.buffers);
    out->iterateOrder = CoupledOrder(request, product, part, base, l1);
    out->dbL0A = Narrow(base.aBuffers);
    out->dbL0B = Narrow(base.bBuffers);
    out->dbL0C = base.m * base.n * 8 <= request.l0c ? 2 : 1;
    return "";
}

// What the blocks take of the buffers.
void FillSizes(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* out) {
    const int64_t a = int64_t{out->baseM} * out->baseK * out->depthA1 * product.aBytes;
    const int64_t b = int64_t{out->baseN} * out->baseK * out->depthB1 * product.bBytes;
    out->shareL1Size = Narrow(a + b + out->baseN * product.biasBytes);
    out->shareL0CSize = out->baseM * out->baseN * 4 * out->dbL0C;
    // Page "TCubeTiling结构体", transLength. With MDL the blocks of K come together.
    const bool together = request.config.mmConfigType == 1;
    const int64_t k = int64_t{out->baseK} * (together ? std::max(out->stepKa, out->stepKb) : 1);
    out->transLength = Narrow(TransBytes(request, out->baseM, out->baseN, k));
    out->shareUbSize = request.c.position == TPosition::GM && out->transLength > 0
                           ? out->baseM * out->baseN * BytesOf(request.c.type)
                           : 0;
}

void FillBatches(const TilingRequest& request, AscendC::tiling::TCubeTiling* out) {
    const BatchAxes &a = request.axes_a, &b = request.axes_b, &c = request.axes_c;
    out->ALayoutInfoB = a.b;
    out->ALayoutInfoS = a.s;
    out->ALayoutInfoN = a.n;
    out->ALayoutInfoG = a.g;
    out->ALayoutInfoD = a.d;
    out->BLayoutInfoB = b.b;
    out->BLayoutInfoS = b.s;
    out->BLayoutInfoN = b.n;
    out->BLayoutInfoG = b.g;
    out->BLayoutInfoD = b.d;
    out->CLayoutInfoB = c.b;
    out->CLayoutInfoS1 = c.s;
    out->CLayoutInfoN = c.n;
    out->CLayoutInfoG = c.g;
    out->CLayoutInfoS2 = c.d;
    out->BatchNum = request.batches;
    out->batchM = out->batchN = out->singleBatchM = out->singleBatchN = 1;
}

}  // namespace

std::string SplitBlocks(const TilingRequest& request, bool manyCores, AscendC::tiling::TCubeTiling* tiling) {
    const Product product = ProductOf(request);
    AnyLegal any(request);
    if (!any.Wrong().empty()) {
        return any.Wrong();
    }
    CoreSplit cores;
    cores.part = ShapeOf(request);
    cores.cores = 1;
    if (manyCores) {
        cores = any.Asked() ? any.Cores(request, product) : SplitCores(request, product);
    }
    const std::string wrong = CheckFixed(request, product, cores.part);
    if (!wrong.empty()) {
        return wrong;
    }
    AscendC::tiling::TCubeTiling out;
    out.usedCoreNum = Narrow(cores.cores);
    out.M = request.whole_m;
    out.N = request.whole_n;
    out.Ka = request.whole_ka;
    out.Kb = request.whole_kb;
    out.singleCoreM = cores.part.m;
    out.singleCoreN = cores.part.n;
    out.singleCoreK = cores.part.k;
    out.isBias = request.has_bias ? 1 : 0;
    const bool coupled = request.soc == platform_ascendc::SocVersion::ASCEND310P;
    const std::string why = coupled ? CoupledBlocks(request, product, &out) : CubeBlocks(request, product, &out);
    if (!why.empty()) {
        return SizesText(product.m, product.n, product.k) + ": " + why;
    }
    if (any.Asked()) {
        any.Blocks(request, product, &out);
    }
    FillSizes(request, product, &out);
    FillBatches(request, &out);
    *tiling = out;
    return "";
}

}  // namespace matmul_tiling
