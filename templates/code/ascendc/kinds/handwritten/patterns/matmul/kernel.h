#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "{{ stem }}_bindings.h"

// A block is a cube core, which multiplies, and two vector cores, which request products from it.
#define {{ guard }}_TASK_TYPE KERNEL_TYPE_MIX_AIC_1_2

// {{ output.name }} = {{ left.name }} @ {{ right.name }}, with CANN's Matmul object.
//
// A vector core requests a rectangle of {{ output.name }}. To compute with the product before it is stored, let the object
// write to a part of the workspace, wait for it, and read it from there.
class {{ op_type }}Kernel : public {{ op_type }}Bindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& thePipe) { pipe = &thePipe; }

    __aicore__ inline void Process() {
        if (tiling->workers == 0) {
            return;
        }
        // The cube core stays in here and serves the vector cores, which go on.
        REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), product, &tiling->cube);
        const TCubeTiling& cube = tiling->cube;
        const int32_t worker = static_cast<int32_t>(AscendC::GetBlockIdx());
        if (worker >= tiling->workers) {
            return;
        }
        const int32_t rowParts = (cube.M + cube.singleCoreM - 1) / cube.singleCoreM;
        const int32_t row = worker % rowParts * cube.singleCoreM;
        const int32_t column = worker / rowParts * cube.singleCoreN;
        if (column >= cube.N) {
            return;
        }
        product.SetTail(Least(cube.M - row, cube.singleCoreM), Least(cube.N - column, cube.singleCoreN), cube.Ka);
        product.SetTensorA({{ left.gm }}[static_cast<int64_t>(row) * cube.Ka]);
        product.SetTensorB({{ right.gm }}[column]);
        product.IterateAll({{ output.gm }}[static_cast<int64_t>(row) * cube.N + column]);
        product.End();
    }

private:
    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ left.type }}>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ right.type }}>;
    using Result = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ output.type }}>;

    // With checks for matrices with a row distance of 65535 elements or more, which are loaded row by row.
    static constexpr MatmulConfig kConfig = GetNormalConfig(true);

    __aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

    AscendC::TPipe* pipe;
    matmul::Matmul<LeftMatrix, RightMatrix, Result, Result, kConfig> product;
};

#endif  // {{ guard }}_KERNEL_H
