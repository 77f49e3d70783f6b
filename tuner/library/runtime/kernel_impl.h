// Defines what is behind a Kernel handle: the template, its wisdom, and what is ready for each size.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>

#include "tuner/library/runtime/impl.h"
#include "tuner/library/runtime/prepared.h"
#include "tuner/library/runtime/recorder.h"
#include "tuner/library/runtime/selection.h"

namespace warptune::runtime {

// A SizeKey holds the values of a launch's sizes in the template's order, without allocating.
class SizeKey {
 public:
  static constexpr std::size_t max_sizes = 16;

  // Throws std::invalid_argument for a size that is missing, unknown, repeated or not positive.
  SizeKey(const search::NamedValues& names, const Size* sizes, std::size_t count);

  search::NamedValues named(const search::NamedValues& names) const;
  friend bool operator==(const SizeKey& a, const SizeKey& b) { return a.count_ == b.count_ && a.values_ == b.values_; }

  struct Hash {
    std::size_t operator()(const SizeKey& key) const noexcept;
  };

 private:
  std::size_t count_ = 0;
  std::array<std::int64_t, max_sizes> values_{};
};

struct Kernel::Impl {
  Impl(tuner::KernelTemplate loaded, tuner::Wisdom known, search::NamedValues chosen,
       std::shared_ptr<Runtime::Impl> owner);

  // Returns what is ready for a size, and makes it on first use. If that failed, the next launch tries again.
  Prepared& prepared(const SizeKey& key);
  Selection selection(const SizeKey& key) const;
  tuner::Problem problem(const SizeKey& key) const { return {key.named(kernel.sizes), variants}; }

  std::shared_ptr<Runtime::Impl> runtime;
  const tuner::KernelTemplate kernel;
  const tuner::Wisdom wisdom;
  const search::NamedValues variants;  // what it was loaded for
  const Signature signature;
  Recorder recorder;

 private:
  struct Slot {
    std::mutex mutex;
    std::atomic<Prepared*> ready{nullptr};
    std::unique_ptr<Prepared> prepared;
  };

  Slot& slot(const SizeKey& key);
  std::unique_ptr<Prepared> prepare(const SizeKey& key) const;

  std::shared_mutex mutex_;
  std::unordered_map<SizeKey, std::unique_ptr<Slot>, SizeKey::Hash> slots_;
};

}  // namespace warptune::runtime
