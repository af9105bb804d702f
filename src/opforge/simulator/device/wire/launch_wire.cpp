#include "launch_wire.h"

#include <cstring>

namespace sim::wire {
namespace {

class Writer {
public:
    template <typename T>
    void Value(const T& v) {
        Bytes(&v, sizeof v);
    }
    void Text(const char* s) {
        const std::string copy = s == nullptr ? "" : s;
        Value<uint64_t>(copy.size());
        Bytes(copy.data(), copy.size());
    }
    void Bytes(const void* data, size_t count) {
        const auto* from = static_cast<const char*>(data);
        out.insert(out.end(), from, from + count);
    }
    std::vector<char> out;
};

class Reader {
public:
    explicit Reader(const std::vector<char>& data) : data_(data) {}

    template <typename T>
    T Value() {
        T v{};
        if (Take(sizeof v)) {
            std::memcpy(&v, data_.data() + at_ - sizeof v, sizeof v);
        }
        return v;
    }
    std::string Text() {
        const uint64_t count = Value<uint64_t>();
        return Take(count) ? std::string(data_.data() + at_ - count, count) : std::string();
    }
    std::vector<char> Bytes(uint64_t count) {
        return Take(count) ? std::vector<char>(data_.data() + at_ - count, data_.data() + at_) : std::vector<char>();
    }
    bool Complete() const { return ok_ && at_ == data_.size(); }
    bool Good() const { return ok_; }

private:
    bool Take(uint64_t count) {
        ok_ = ok_ && count <= data_.size() - at_;
        at_ += ok_ ? count : 0;
        return ok_;
    }
    const std::vector<char>& data_;
    size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace

std::vector<char> EncodeLaunch(const sim_launch& launch) {
    Writer w;
    w.out.reserve(1024 + launch.tiling_bytes);
    w.Value(Prefix{0, Kind::kLaunch, 0});
    w.Text(launch.op_type);
    w.Text(launch.object_path);
    w.Value(launch.block_dim);
    w.Value(launch.tiling_key);
    w.Value(launch.checks);
    w.Value(launch.threads);
    w.Value(launch.logical_blocks);
    w.Value(*launch.soc);
    w.Value(launch.arg_count);
    w.Bytes(launch.args, launch.arg_count * sizeof(uint64_t));
    w.Value(launch.region_count);
    for (uint32_t i = 0; i < launch.region_count; ++i) {
        w.Value(launch.regions[i]);
        w.Text(launch.regions[i].name);
    }
    w.Value(launch.tiling_bytes);
    w.Bytes(launch.tiling, launch.tiling_bytes);
    const uint64_t known = launch.tiling_set != nullptr ? launch.tiling_bytes : 0;
    w.Value(known);
    w.Bytes(launch.tiling_set, known);
    w.Value(launch.rules);
    w.Value(launch.project);
    w.Value(launch.allow_count);
    for (uint32_t i = 0; i < launch.allow_count; ++i) {
        w.Value(launch.allow[i].warn);
        w.Text(launch.allow[i].rule);
        w.Text(launch.allow[i].file);
    }
    const uint64_t body = w.out.size() - sizeof(Prefix);
    std::memcpy(w.out.data() + offsetof(Prefix, bytes), &body, sizeof body);
    return std::move(w.out);
}

bool DecodedLaunch::Decode(const std::vector<char>& body) {
    Reader r(body);
    opType_ = r.Text();
    objectPath_ = r.Text();
    launch_.block_dim = r.Value<uint32_t>();
    launch_.tiling_key = r.Value<uint64_t>();
    launch_.checks = r.Value<uint32_t>();
    launch_.threads = r.Value<uint32_t>();
    launch_.logical_blocks = r.Value<uint32_t>();
    soc_ = r.Value<sim_soc>();
    launch_.arg_count = r.Value<uint32_t>();
    const std::vector<char> args = r.Bytes(launch_.arg_count * sizeof(uint64_t));
    args_.resize(args.size() / sizeof(uint64_t));
    if (!args.empty()) {
        std::memcpy(args_.data(), args.data(), args.size());
    }
    launch_.region_count = r.Value<uint32_t>();
    regions_.clear();
    regionNames_.clear();
    for (uint32_t i = 0; i < launch_.region_count && r.Good(); ++i) {
        regions_.push_back(r.Value<sim_region>());
        regionNames_.push_back(r.Text());
    }
    for (size_t i = 0; i < regions_.size(); ++i) {
        regions_[i].name = regionNames_[i].c_str();
    }
    launch_.tiling_bytes = r.Value<uint64_t>();
    tiling_ = r.Bytes(launch_.tiling_bytes);
    tilingSet_ = r.Bytes(r.Value<uint64_t>());
    launch_.rules = r.Value<uint32_t>();
    launch_.project = r.Value<uint32_t>();
    launch_.allow_count = r.Value<uint32_t>();
    allow_.clear();
    allowWords_.clear();
    for (uint32_t i = 0; i < launch_.allow_count && r.Good(); ++i) {
        allow_.push_back({nullptr, nullptr, r.Value<uint32_t>()});
        allowWords_.push_back(r.Text());
        allowWords_.push_back(r.Text());
    }
    for (size_t i = 0; i < allow_.size(); ++i) {
        allow_[i].rule = allowWords_[2 * i].c_str();
        allow_[i].file = allowWords_[2 * i + 1].c_str();
    }
    launch_.allow = allow_.data();
    launch_.op_type = opType_.c_str();
    launch_.object_path = objectPath_.c_str();
    launch_.soc = &soc_;
    launch_.args = args_.data();
    launch_.regions = regions_.data();
    launch_.tiling = tiling_.data();
    launch_.tiling_set = tilingSet_.empty() ? nullptr : reinterpret_cast<const unsigned char*>(tilingSet_.data());
    return r.Complete();
}

}  // namespace sim::wire
