// A file that the environment names, to which each launch appends lines of JSON.
#pragma once

#include <string>

namespace sim {

class JsonLines {
public:
    explicit JsonLines(const char* variable) : variable_(variable) {}

    // Opens the file, if one is named. False where it cannot be written: `why` says it.
    bool Open(std::string* why);
    bool Wanted() const { return file_ >= 0; }
    // One write: lines of several devices and processes do not mix in a file that is open for appending.
    bool Append(const std::string& lines, std::string* why) const;

private:
    const char* variable_;
    int file_ = -1;
    std::string path_;
};

}  // namespace sim
