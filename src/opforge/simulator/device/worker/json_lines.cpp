#include "json_lines.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sim {

bool JsonLines::Open(std::string* why) {
    const char* path = std::getenv(variable_);
    if (path == nullptr || *path == '\0') {
        return true;
    }
    path_ = path;
    file_ = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
        *why = std::string("$") + variable_ + ": cannot open " + path_ + ": " + std::strerror(errno);
    }
    return file_ >= 0;
}

bool JsonLines::Append(const std::string& lines, std::string* why) const {
    ssize_t written = 0;
    do {
        written = write(file_, lines.data(), lines.size());
    } while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(lines.size())) {
        *why = std::string("$") + variable_ + ": cannot write to " + path_ + ": " +
               (written < 0 ? std::strerror(errno) : "no room for a whole line");
        return false;
    }
    return true;
}

}  // namespace sim
