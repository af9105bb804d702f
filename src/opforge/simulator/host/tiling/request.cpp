// What a tiling can be asked for, and what is refused before any search.
#include <algorithm>

#include "block_split.h"

namespace matmul_tiling {

int32_t BytesOf(DataType type) {
    switch (type) {
        case DataType::DT_INT8:
            return 1;
        case DataType::DT_FLOAT16:
        case DataType::DT_BF16:
        case DataType::DT_BFLOAT16:
            return 2;
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
            return 4;
        default:
            return 0;
    }
}

std::string TypeText(DataType type) {
    switch (type) {
        case DataType::DT_INT4:
            return "DT_INT4";
        case DataType::DT_INT8:
            return "DT_INT8";
        case DataType::DT_FLOAT16:
            return "DT_FLOAT16";
        case DataType::DT_BF16:
        case DataType::DT_BFLOAT16:
            return "DT_BFLOAT16";
        case DataType::DT_FLOAT:
            return "DT_FLOAT";
        case DataType::DT_INT32:
            return "DT_INT32";
        default:
            return "DataType " + std::to_string(static_cast<int32_t>(type));
    }
}

std::string SizesText(int64_t m, int64_t n, int64_t k) {
    return "M " + std::to_string(m) + ", N " + std::to_string(n) + ", K " + std::to_string(k);
}

Sizes ShapeOf(const TilingRequest& request) {
    return Sizes{request.shape.m == -1 ? request.whole_m : request.shape.m,
                 request.shape.n == -1 ? request.whole_n : request.shape.n,
                 request.shape.k == -1 ? request.whole_ka : request.shape.k};
}

TilingRequest InBytes(const TilingRequest& request) {
    if (request.a.type != DataType::DT_INT4) {
        return request;
    }
    TilingRequest made = request;
    made.a.type = made.b.type = DataType::DT_INT8;
    made.whole_ka = request.whole_ka / 2;
    made.whole_kb = request.whole_kb / 2;
    for (Sizes* sizes : {&made.shape, &made.single, &made.single_max, &made.single_min, &made.single_multiple,
                         &made.base, &made.base_max, &made.base_min}) {
        sizes->k = sizes->k > 0 ? (sizes->k + 1) / 2 : sizes->k;
    }
    return made;
}

namespace {

bool IsOneOf(DataType type, std::initializer_list<DataType> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

// AI Cores with both units, which change formats in the unified buffer.
bool IsCoupled(const TilingRequest& request) { return request.soc == platform_ascendc::SocVersion::ASCEND310P; }

DataType Named(DataType type) { return type == DataType::DT_BF16 ? DataType::DT_BFLOAT16 : type; }

// Table 2 of page "Matmul使用说明", rows of the inference products.
std::string CheckCoupledTypes(const TilingRequest& request) {
    const DataType a = request.a.type, b = request.b.type, c = request.c.type;
    if (a != b || !IsOneOf(a, {DataType::DT_FLOAT16, DataType::DT_INT8})) {
        return "A is " + TypeText(a) + " and B is " + TypeText(b) +
               "; on Ascend310P the simulator has products of DT_FLOAT16 and of DT_INT8";
    }
    const bool integers = a == DataType::DT_INT8;
    if (!(integers ? IsOneOf(c, {DataType::DT_INT32, DataType::DT_FLOAT16, DataType::DT_INT8})
                   : IsOneOf(c, {DataType::DT_FLOAT, DataType::DT_FLOAT16}))) {
        return "C is " + TypeText(c) + ", which a product of " + TypeText(a) + " does not give on Ascend310P";
    }
    if (request.has_bias && request.bias.set &&
        request.bias.type != (integers ? DataType::DT_INT32 : DataType::DT_FLOAT)) {
        return "the bias is " + TypeText(request.bias.type) + ", which does not go with A of " + TypeText(a) +
               " on Ascend310P";
    }
    return "";
}

// Table 2 of page "Matmul使用说明", rows of Atlas A2 and A3.
std::string CheckTypes(const TilingRequest& request) {
    if (IsCoupled(request)) {
        return CheckCoupledTypes(request);
    }
    const DataType a = Named(request.a.type), b = Named(request.b.type), c = Named(request.c.type);
    if (!IsOneOf(a, {DataType::DT_FLOAT, DataType::DT_FLOAT16, DataType::DT_BFLOAT16, DataType::DT_INT8})) {
        return "A is " + TypeText(a) + "; the simulator has DT_FLOAT, DT_FLOAT16, DT_BFLOAT16, DT_INT8 and DT_INT4";
    }
    if (a != b) {
        return "A is " + TypeText(a) + " and B is " + TypeText(b) + "; they must be the same";
    }
    const bool right = a == DataType::DT_INT8
                           ? IsOneOf(c, {DataType::DT_INT32, DataType::DT_FLOAT16, DataType::DT_INT8})
                           : IsOneOf(c, {DataType::DT_FLOAT, DataType::DT_FLOAT16, DataType::DT_BFLOAT16}) ||
                                 (c == DataType::DT_INT8 && a != DataType::DT_FLOAT);
    if (!right) {
        return "C is " + TypeText(c) + ", which a product of " + TypeText(a) + " does not give";
    }
    if (!request.has_bias || !request.bias.set) {
        return "";
    }
    const DataType bias = Named(request.bias.type);
    const bool biasRight =
        a == DataType::DT_INT8 ? bias == DataType::DT_INT32 : IsOneOf(bias, {DataType::DT_FLOAT, DataType::DT_FLOAT16});
    return biasRight ? "" : "the bias is " + TypeText(bias) + ", which does not go with A of " + TypeText(a);
}

// Table 2 of page "Matmul使用说明", rows of int4b_t of Atlas A2 and A3.
std::string CheckFourBits(const TilingRequest& request) {
    const DataType a = request.a.type, b = request.b.type, c = request.c.type;
    if (IsCoupled(request)) {
        return CheckCoupledTypes(request);
    }
    if (b != a) {
        return "A is " + TypeText(a) + " and B is " + TypeText(b) + "; they must be the same";
    }
    if (!IsOneOf(c, {DataType::DT_INT32, DataType::DT_FLOAT16})) {
        return "C is " + TypeText(c) + ", which a product of " + TypeText(a) + " does not give";
    }
    const Sizes shape = ShapeOf(request);
    if (shape.k % 2 != 0 || request.whole_ka % 2 != 0 || request.whole_kb % 2 != 0) {
        return "K of a product of DT_INT4 is even, since two elements fill a byte; it is " + std::to_string(shape.k);
    }
    if ((request.a.transposed && shape.m % 2 != 0) || (!request.b.transposed && shape.n % 2 != 0)) {
        return "rows of DT_INT4 are of even length, since two elements fill a byte; " +
               SizesText(shape.m, shape.n, shape.k);
    }
    if (request.a.format == CubeFormat::NZ && request.whole_ka % 64 != 0) {
        return "A is NZ, so Ka must be a multiple of 64; Ka is " + std::to_string(request.whole_ka);
    }
    if (request.b.format == CubeFormat::NZ && request.whole_kb % 64 != 0) {
        return "B is NZ, so Kb must be a multiple of 64; Kb is " + std::to_string(request.whole_kb);
    }
    return "";
}

std::string CheckMatrix(const char* name, const MatrixRequest& matrix, std::initializer_list<TPosition> positions,
                        std::initializer_list<CubeFormat> formats) {
    if (!matrix.set) {
        return std::string("Set") + name + "Type was not called";
    }
    if (std::find(positions.begin(), positions.end(), matrix.position) == positions.end()) {
        return std::string(name) + " lies at TPosition " + std::to_string(static_cast<int32_t>(matrix.position)) +
               ", where the simulated Matmul object takes none";
    }
    if (std::find(formats.begin(), formats.end(), matrix.format) == formats.end()) {
        return std::string(name) + " has CubeFormat " + std::to_string(static_cast<int32_t>(matrix.format)) +
               ", which the simulator has not";
    }
    return "";
}

std::string CheckMatrices(const TilingRequest& request) {
    const auto in = {TPosition::GM, TPosition::VECOUT};
    const auto out = {TPosition::GM, TPosition::VECIN, TPosition::VECCALC};
    std::string why = CheckMatrix("A", request.a, in, {CubeFormat::ND, CubeFormat::NZ});
    if (why.empty()) {
        why = CheckMatrix("B", request.b, in, {CubeFormat::ND, CubeFormat::NZ});
    }
    if (why.empty()) {
        why = CheckMatrix("C", request.c, out, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::ND_ALIGN});
    }
    if (why.empty() && request.has_bias && request.bias.set) {  // CANN takes a bias without its type
        why = CheckMatrix("Bias", request.bias, in, {CubeFormat::ND});
    }
    return why.empty() ? CheckTypes(request) : why;
}

std::string CheckShape(const TilingRequest& request) {
    const Sizes shape = ShapeOf(request);
    if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0) {
        return "the product has " + SizesText(shape.m, shape.n, shape.k) +
               " (SetShape, SetOrgShape); each must be at least 1";
    }
    const int32_t c0 = 32 / BytesOf(request.a.type);
    if (request.a.format == CubeFormat::NZ && (request.whole_m % 16 != 0 || request.whole_ka % c0 != 0)) {
        return "A is NZ, so M must be a multiple of 16 and Ka of " + std::to_string(c0) + "; M is " +
               std::to_string(request.whole_m) + ", Ka " + std::to_string(request.whole_ka);
    }
    if (request.b.format == CubeFormat::NZ && (request.whole_n % 16 != 0 || request.whole_kb % c0 != 0)) {
        return "B is NZ, so N must be a multiple of 16 and Kb of " + std::to_string(c0) + "; N is " +
               std::to_string(request.whole_n) + ", Kb " + std::to_string(request.whole_kb);
    }
    return "";
}

// With layouts all matrices of one IterateBatch lie in L1 together, which CANN's library counts without filling them
// up.
std::string CheckBatches(const TilingRequest& request) {
    const BatchAxes &a = request.axes_a, &b = request.axes_b;
    const int64_t element = BytesOf(request.a.type);
    const int64_t bias = request.has_bias ? int64_t{b.s} * 4 : 0;
    const int64_t bytes = std::max(request.batches, 1) * (int64_t{a.s} * a.d + int64_t{b.s} * b.d) * element + bias;
    if (!request.in_layouts || bytes <= request.l1) {
        return "";
    }
    return std::to_string(std::max(request.batches, 1)) + " matrices of A and B (SetBatchNum) take " +
           std::to_string(bytes) + " bytes, L1 has " + std::to_string(request.l1) +
           ": take fewer at once, or the layout NORMAL with SetBatchInfoForNormal";
}

}  // namespace

std::string Misuse(const TilingRequest& request, bool manyCores) {
    const bool is950 = request.soc == platform_ascendc::SocVersion::ASCEND950;
    if (is950 && (request.a.type == DataType::DT_INT4 || request.b.type == DataType::DT_INT4)) {
        return "A or B is DT_INT4, of which the cube cores of Ascend950 have no products: cast to int8_t first";
    }
    if (request.refused == nullptr && request.a.type == DataType::DT_INT4) {
        const std::string wrong = CheckFourBits(request);
        return wrong.empty() ? Misuse(InBytes(request), manyCores) : wrong;
    }
    if (request.refused != nullptr) {
        return request.refused;
    }
    if (request.soc != platform_ascendc::SocVersion::ASCEND910B && !is950 && !IsCoupled(request)) {
        return "the simulator has matrix products for Atlas A2, A3, Ascend310P and Ascend950 only";
    }
    if (request.config.scheduleType != ScheduleType::INNER_PRODUCT) {
        return "SetMatmulConfigParams: the simulator has ScheduleType::INNER_PRODUCT only";
    }
    if (request.config.enableL1CacheUB) {
        return "SetMatmulConfigParams: Atlas A2 and A3 have no enableL1CacheUB, and for Ascend310P it is not simulated";
    }
    std::string why = CheckMatrices(request);
    if (why.empty()) {
        why = CheckShape(request);
    }
    if (why.empty() && !manyCores) {
        why = CheckBatches(request);
    }
    if (!why.empty() || !manyCores) {
        return why;
    }
    if (request.dim < 0 || (request.cores > 0 && request.dim > request.cores)) {
        return "SetDim(" + std::to_string(request.dim) + "), but this SoC has " + std::to_string(request.cores) +
               " cores";
    }
    const Sizes shape = ShapeOf(request);
    const int32_t columns = request.single.n > 0 ? request.single.n : shape.n;
    if (IsCoupled(request) && request.c.position != TPosition::GM && request.c.format == CubeFormat::ND &&
        int64_t{columns} * BytesOf(request.c.type) % 32 != 0) {
        return "C lies in the unified buffer with the format ND and rows of " + std::to_string(columns) + " " +
               TypeText(request.c.type) + ": on Ascend310P they are multiples of 32 bytes";
    }
    if (request.single.k > 0 && request.single.k < shape.k && !request.split_k) {
        return "SetSingleShape's K is " + std::to_string(request.single.k) + " of " + std::to_string(shape.k) +
               "; only EnableMultiCoreSplitK(true) splits K";
    }
    if (request.split_k && request.c.position != TPosition::GM) {
        return "EnableMultiCoreSplitK needs C in GM, where the parts of K are added up";
    }
    return "";
}

}  // namespace matmul_tiling
