// gert::Range: a lower and an upper bound; null where there is none.
#ifndef OPFORGE_EXE_GRAPH_RANGE_H
#define OPFORGE_EXE_GRAPH_RANGE_H

namespace gert {

template <typename T>
class Range {
public:
    Range() : min_(nullptr), max_(nullptr) {}
    Range(T* min, T* max) : min_(min), max_(max) {}
    explicit Range(T* same) : min_(same), max_(same) {}
    const T* GetMin() const { return min_; }
    const T* GetMax() const { return max_; }
    T* GetMin() { return min_; }
    T* GetMax() { return max_; }
    void SetMin(T* min) { min_ = min; }
    void SetMax(T* max) { max_ = max; }
    bool operator==(const Range& other) const { return *min_ == *other.min_ && *max_ == *other.max_; }

private:
    T* min_;
    T* max_;
};

}  // namespace gert
#endif
