#include "origins.h"

namespace sim {

Origin Origins::Of(const Call& call, const void* subject, const std::function<std::string()>& text, bool old) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Origin& next = old ? nextOld_ : next_;
    const Origin first = old ? kFirstOld : kNone + 1;
    for (Origin origin = first; origin < next; ++origin) {
        const Entry& entry = entries_[origin];
        if (entry.subject == subject && entry.call.site.file == call.site.file &&
            entry.call.site.line == call.site.line && entry.call.api == call.api) {
            return origin;
        }
    }
    if (next == (old ? kMost : kFirstOld)) {
        return old ? kMost : kNone;
    }
    entries_[next] = {call, subject, text()};
    return next++;
}

std::string Origins::Text(Origin origin) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return origin == kNone ? "has never been written" : entries_[origin].text;
}

Call Origins::CallOf(Origin origin) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_[origin].call;
}

}  // namespace sim
