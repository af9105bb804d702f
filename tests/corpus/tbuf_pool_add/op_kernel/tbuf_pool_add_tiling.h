// What op_host tells the kernel of TbufPoolAdd.
#ifndef TBUF_POOL_ADD_TILING_H
#define TBUF_POOL_ADD_TILING_H

#include <cstdint>

struct TbufPoolAddTilingData {
    uint32_t total;
    uint32_t tile;
    uint32_t loud;  // elements that are doubled, from the start
};

#endif  // TBUF_POOL_ADD_TILING_H
