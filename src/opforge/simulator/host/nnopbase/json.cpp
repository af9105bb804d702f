#include "json.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nnopbase {

namespace {
// Deeper than any file of a package, and far from the end of the stack.
constexpr int kMaxDepth = 64;
}  // namespace

class JsonParser {
public:
    explicit JsonParser(const std::string& text) : text_(text) {}

    bool ParseAll(Json* value, std::string* error) {
        const bool good = Value(value, 0) && (Blank(), at_ == text_.size() || Wrong("text after the value"));
        if (!good) {
            size_t line = 1;
            for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
                line += text_[i] == '\n' ? 1 : 0;
            }
            *error = "line " + std::to_string(line) + ": " + problem_;
        }
        return good;
    }

private:
    bool Wrong(const char* problem) {
        if (problem_.empty()) {
            problem_ = problem;
        }
        return false;
    }
    void Blank() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    bool Take(char c) {
        Blank();
        if (at_ < text_.size() && text_[at_] == c) {
            ++at_;
            return true;
        }
        return false;
    }
    bool TakeWord(const char* word) {
        const std::string wanted = word;
        if (text_.compare(at_, wanted.size(), wanted) != 0) {
            return false;
        }
        at_ += wanted.size();
        return true;
    }

    bool Value(Json* value, int depth) {
        Blank();
        if (depth > kMaxDepth) {
            return Wrong("nested too deeply");
        }
        if (at_ >= text_.size()) {
            return Wrong("the text ends where a value is expected");
        }
        const char first = text_[at_];
        if (first == '{') {
            return Object(value, depth);
        }
        if (first == '[') {
            return Array(value, depth);
        }
        if (first == '"') {
            value->kind_ = Json::Kind::kString;
            return String(&value->text_);
        }
        if (first == '-' || std::isdigit(static_cast<unsigned char>(first)) != 0) {
            const char* begin = text_.c_str() + at_;
            char* end = nullptr;
            std::strtod(begin, &end);
            value->kind_ = Json::Kind::kNumber;
            const size_t length = static_cast<size_t>(end - begin);
            value->text_.assign(begin, length);
            at_ += length;
            return true;
        }
        if (TakeWord("null")) {
            return true;
        }
        value->kind_ = Json::Kind::kBool;
        return TakeWord("true") || TakeWord("false") || Wrong("a value is expected");
    }

    bool Array(Json* value, int depth) {
        value->kind_ = Json::Kind::kArray;
        ++at_;
        if (Take(']')) {
            return true;
        }
        do {
            value->elements_.emplace_back();
            if (!Value(&value->elements_.back(), depth + 1)) {
                return false;
            }
        } while (Take(','));
        return Take(']') || Wrong("',' or ']' is expected");
    }

    bool Object(Json* value, int depth) {
        value->kind_ = Json::Kind::kObject;
        ++at_;
        if (Take('}')) {
            return true;
        }
        do {
            std::string key;
            Blank();
            if (at_ >= text_.size() || text_[at_] != '"' || !String(&key)) {
                return Wrong("a member's name is expected");
            }
            if (!Take(':')) {
                return Wrong("':' is expected");
            }
            if (!Value(&value->members_[key], depth + 1)) {
                return false;
            }
        } while (Take(','));
        return Take('}') || Wrong("',' or '}' is expected");
    }

    bool String(std::string* out) {
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] != '\\') {
                *out += text_[at_++];
                continue;
            }
            if (++at_ >= text_.size()) {
                break;
            }
            const char escaped = text_[at_++];
            switch (escaped) {
                case 'n':
                    *out += '\n';
                    break;
                case 't':
                    *out += '\t';
                    break;
                case 'r':
                    *out += '\r';
                    break;
                case 'b':
                    *out += '\b';
                    break;
                case 'f':
                    *out += '\f';
                    break;
                case 'u':
                    if (!Unicode(out)) {
                        return Wrong("\\u is not followed by four hexadecimal digits");
                    }
                    break;
                default:
                    *out += escaped;
            }
        }
        if (at_ >= text_.size()) {
            return Wrong("a string does not end");
        }
        ++at_;
        return true;
    }

    // One \u escape as UTF-8; surrogate halves stay as they are, names and paths have none.
    bool Unicode(std::string* out) {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            if (at_ >= text_.size() || std::isxdigit(static_cast<unsigned char>(text_[at_])) == 0) {
                return false;
            }
            const char digit[2] = {text_[at_], '\0'};
            code = code * 16 + static_cast<unsigned>(std::strtoul(digit, nullptr, 16));
        }
        if (code < 0x80) {
            *out += static_cast<char>(code);
        } else if (code < 0x800) {
            *out += static_cast<char>(0xC0 | (code >> 6));
            *out += static_cast<char>(0x80 | (code & 0x3F));
        } else {
            *out += static_cast<char>(0xE0 | (code >> 12));
            *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            *out += static_cast<char>(0x80 | (code & 0x3F));
        }
        return true;
    }

    const std::string& text_;
    size_t at_ = 0;
    std::string problem_;
};

bool Json::Parse(const std::string& text, Json* value, std::string* error) {
    return JsonParser(text).ParseAll(value, error);
}

bool Json::Read(const std::string& path, Json* value, std::string* error) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        *error = path + ": cannot be read";
        return false;
    }
    std::ostringstream text;
    text << file.rdbuf();
    if (!Parse(text.str(), value, error)) {
        *error = path + ": " + *error;
        return false;
    }
    return true;
}

const Json& Json::operator[](const std::string& key) const {
    static const Json null;
    const auto found = members_.find(key);
    return found == members_.end() ? null : found->second;
}

}  // namespace nnopbase
