// Any legal tiling instead of the library's own choice, where a test asks for it: OPFORGE_SIM_TILING=legal:<seed>. A
// kernel that is right by the documentation is right with each of them.
#ifndef OPFORGE_HOST_TILING_ANY_LEGAL_H
#define OPFORGE_HOST_TILING_ANY_LEGAL_H

#include <string>

#include "core_split.h"

namespace matmul_tiling {

class AnyLegal {
public:
    // The draws depend on the seed and on the request alone.
    explicit AnyLegal(const TilingRequest& request);

    bool Asked() const { return asked_; }
    // What the variable says, where that is nothing known.
    const std::string& Wrong() const { return wrong_; }

    CoreSplit Cores(const TilingRequest& request, const Product& product);
    // The blocks, for a part and cores that `tiling` holds. False where SetFixSplit leaves no room for any.
    bool Blocks(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* tiling);

private:
    int64_t Draw(int64_t least, int64_t most);  // both may come
    int64_t Multiple(int64_t step, int64_t most);

    bool asked_ = false;
    std::string wrong_;
    uint64_t state_ = 0;
};

}  // namespace matmul_tiling
#endif
