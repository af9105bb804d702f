// Why bytes have no value that a kernel could rely on: short numbers for the shadows of memories, and what they stand
// for. Shared by the cores of a launch.
#ifndef OPFORGE_SIM_KERNEL_REPORT_ORIGINS_H
#define OPFORGE_SIM_KERNEL_REPORT_ORIGINS_H

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "failure.h"

namespace sim {

using Origin = uint8_t;  // 0xff: there is a value

// Of what several values are made of: the one that is missing, else the one that is old, else 0xff.
inline Origin Weaker(Origin a, Origin b) { return a < b ? a : b; }

class Origins {
public:
    static constexpr Origin kNone = 0;        // nobody has written the byte
    static constexpr Origin kFirstOld = 128;  // from here on: the byte has a value, that of before AllocTensor
    static constexpr Origin kMost = 254;

    // There is a value, a proper one (0xff) or an old one.
    static bool IsOld(Origin origin) { return origin >= kFirstOld; }

    // The number for what `call` has done to `subject`. `text` goes on where a message has named the byte: "depends on
    // what DataCopy at f:3 has read behind the end of x". kNone where there are too many.
    Origin Of(const Call& call, const void* subject, const std::function<std::string()>& text, bool old = false);
    // "has never been written", or the text.
    std::string Text(Origin origin) const;
    // The call that it came from.
    Call CallOf(Origin origin) const;

private:
    struct Entry {
        Call call{};
        const void* subject = nullptr;
        std::string text;
    };

    mutable std::mutex mutex_;
    std::array<Entry, kMost + 1> entries_;
    Origin next_ = kNone + 1;
    Origin nextOld_ = kFirstOld;
};

}  // namespace sim

#endif
