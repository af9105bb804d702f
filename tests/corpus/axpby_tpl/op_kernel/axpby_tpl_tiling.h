// What op_host tells the kernel of AxpbyTpl.
#ifndef AXPBY_TPL_TILING_H
#define AXPBY_TPL_TILING_H

#include <cstdint>

struct AxpbyTplTilingData {
    uint32_t total;
    uint32_t tile;
    float alpha;
    float beta;
};

#endif  // AXPBY_TPL_TILING_H
