// A small JSON reader: enough for the kernel lists and descriptions of a package.
#ifndef OPFORGE_NNOPBASE_JSON_H
#define OPFORGE_NNOPBASE_JSON_H

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nnopbase {

class Json {
public:
    enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

    // False and an error with its line where text is no JSON.
    static bool Parse(const std::string& text, Json* value, std::string* error);
    // The same of a file; the error then names it.
    static bool Read(const std::string& path, Json* value, std::string* error);

    Kind GetKind() const { return kind_; }
    bool IsArray() const { return kind_ == Kind::kArray; }
    // A member, or an element's; the null value where there is none.
    const Json& operator[](const std::string& key) const;
    const std::vector<Json>& Elements() const { return elements_; }
    // The string, or the text of a number; empty otherwise.
    const std::string& Text() const { return text_; }

private:
    friend class JsonParser;
    Kind kind_ = Kind::kNull;
    std::string text_;
    std::vector<Json> elements_;
    std::map<std::string, Json> members_;
};

}  // namespace nnopbase
#endif
