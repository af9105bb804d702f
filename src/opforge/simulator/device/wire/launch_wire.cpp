#include "launch_wire.h"

#include <cstring>

namespace sim::wire {
namespace {

class Writer {
public:
    template <typename T>
    void value(const T& v) {
        bytes(&v, sizeof v);
    }
    void text(const char* s) {
        const std::string copy = s == nullptr ? "" : s;
        value<uint64_t>(copy.size());
        bytes(copy.data(), copy.size());
    }
    void bytes(const void* data, size_t count) {
        const auto* from = static_cast<const char*>(data);
        out.insert(out.end(), from, from + count);
    }
    std::vector<char> out;
};

class Reader {
public:
    explicit Reader(const std::vector<char>& data) : data_(data) {}

    template <typename T>
    T value() {
        T v{};
        if (take(sizeof v)) {
            std::memcpy(&v, data_.data() + at_ - sizeof v, sizeof v);
        }
        return v;
    }
    std::string text() {
        const uint64_t count = value<uint64_t>();
        return take(count) ? std::string(data_.data() + at_ - count, count) : std::string();
    }
    std::vector<char> bytes(uint64_t count) {
        return take(count) ? std::vector<char>(data_.data() + at_ - count, data_.data() + at_) : std::vector<char>();
    }
    bool complete() const { return ok_ && at_ == data_.size(); }
    bool good() const { return ok_; }

private:
    bool take(uint64_t count) {
        ok_ = ok_ && count <= data_.size() - at_;
        at_ += ok_ ? count : 0;
        return ok_;
    }
    const std::vector<char>& data_;
    size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace

std::vector<char> encode_launch(const sim_launch& launch) {
    Writer w;
    w.out.reserve(1024 + launch.tiling_bytes);
    w.value(Prefix{0, Kind::kLaunch, 0});
    w.text(launch.op_type);
    w.text(launch.object_path);
    w.value(launch.block_dim);
    w.value(launch.tiling_key);
    w.value(launch.checks);
    w.value(launch.threads);
    w.value(launch.logical_blocks);
    w.value(*launch.soc);
    w.value(launch.arg_count);
    w.bytes(launch.args, launch.arg_count * sizeof(uint64_t));
    w.value(launch.region_count);
    for (uint32_t i = 0; i < launch.region_count; ++i) {
        w.value(launch.regions[i]);
        w.text(launch.regions[i].name);
    }
    w.value(launch.tiling_bytes);
    w.bytes(launch.tiling, launch.tiling_bytes);
    const uint64_t known = launch.tiling_set != nullptr ? launch.tiling_bytes : 0;
    w.value(known);
    w.bytes(launch.tiling_set, known);
    w.value(launch.rules);
    w.value(launch.project);
    w.value(launch.allow_count);
    for (uint32_t i = 0; i < launch.allow_count; ++i) {
        w.value(launch.allow[i].warn);
        w.text(launch.allow[i].rule);
        w.text(launch.allow[i].file);
    }
    const uint64_t body = w.out.size() - sizeof(Prefix);
    std::memcpy(w.out.data() + offsetof(Prefix, bytes), &body, sizeof body);
    return std::move(w.out);
}

bool DecodedLaunch::decode(const std::vector<char>& body) {
    Reader r(body);
    op_type_ = r.text();
    object_path_ = r.text();
    launch_.block_dim = r.value<uint32_t>();
    launch_.tiling_key = r.value<uint64_t>();
    launch_.checks = r.value<uint32_t>();
    launch_.threads = r.value<uint32_t>();
    launch_.logical_blocks = r.value<uint32_t>();
    soc_ = r.value<sim_soc>();
    launch_.arg_count = r.value<uint32_t>();
    const std::vector<char> args = r.bytes(launch_.arg_count * sizeof(uint64_t));
    args_.resize(args.size() / sizeof(uint64_t));
    if (!args.empty()) {
        std::memcpy(args_.data(), args.data(), args.size());
    }
    launch_.region_count = r.value<uint32_t>();
    regions_.clear();
    region_names_.clear();
    for (uint32_t i = 0; i < launch_.region_count && r.good(); ++i) {
        regions_.push_back(r.value<sim_region>());
        region_names_.push_back(r.text());
    }
    for (size_t i = 0; i < regions_.size(); ++i) {
        regions_[i].name = region_names_[i].c_str();
    }
    launch_.tiling_bytes = r.value<uint64_t>();
    tiling_ = r.bytes(launch_.tiling_bytes);
    tiling_set_ = r.bytes(r.value<uint64_t>());
    launch_.rules = r.value<uint32_t>();
    launch_.project = r.value<uint32_t>();
    launch_.allow_count = r.value<uint32_t>();
    allow_.clear();
    allow_words_.clear();
    for (uint32_t i = 0; i < launch_.allow_count && r.good(); ++i) {
        allow_.push_back({nullptr, nullptr, r.value<uint32_t>()});
        allow_words_.push_back(r.text());
        allow_words_.push_back(r.text());
    }
    for (size_t i = 0; i < allow_.size(); ++i) {
        allow_[i].rule = allow_words_[2 * i].c_str();
        allow_[i].file = allow_words_[2 * i + 1].c_str();
    }
    launch_.allow = allow_.data();
    launch_.op_type = op_type_.c_str();
    launch_.object_path = object_path_.c_str();
    launch_.soc = &soc_;
    launch_.args = args_.data();
    launch_.regions = regions_.data();
    launch_.tiling = tiling_.data();
    launch_.tiling_set = tiling_set_.empty() ? nullptr : reinterpret_cast<const unsigned char*>(tiling_set_.data());
    return r.complete();
}

}  // namespace sim::wire
