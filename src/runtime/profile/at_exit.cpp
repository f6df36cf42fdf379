// Destroyed programs are merged into one per plan and location: run() in a loop makes many.
#include "runtime/profile/at_exit.hpp"

#include "runtime/report/machine_facts.hpp"
#include "support/env.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::runtime {
namespace {

std::atomic<bool> was_asked{false};

class Programs {
 public:
  void add(const ProfileSource& source) {
    const std::lock_guard lock(mutex_);
    there_.push_back(source);
  }

  void remove(const Recording& recording) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(there_, &recording,
                                         [](const ProfileSource& s) { return s.recording.get(); });
    if (found == there_.end()) return;
    const ProfileSource gone = *found;
    there_.erase(found);
    if (gone.recording->counts().calls == 0) return;
    for (const ProfileSource& other : gone_)
      if (is_same(other, gone)) return other.recording->merge(*gone.recording);
    gone_.push_back(gone);
  }

  // Prints destroyed programs in the order of their destruction, then the others.
  void print() {
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      for (const auto* list : {&gone_, &there_})
        for (const ProfileSource& source : *list)
          if (source.recording->counts().calls > 0) text += profile(source).str() + "\n";
    }
    if (!text.empty()) std::fwrite(text.data(), 1, text.size(), stderr);
  }

 private:
  static bool is_same(const ProfileSource& a, const ProfileSource& b) {
    return a.loaded == b.loaded && a.device == b.device && a.where.line() == b.where.line() &&
           a.where.column() == b.where.column() &&
           std::string_view(a.where.file_name()) == b.where.file_name();
  }

  std::mutex mutex_;
  std::vector<ProfileSource> there_, gone_;
};

// Never destroyed: programs may be destroyed while the process ends.
Programs& programs() {
  static Programs& instance = *[] {
    std::atexit([] { programs().print(); });
    return new Programs;
  }();
  return instance;
}

}  // namespace

void note_program(const ProfileSource& source) {
  const std::string wanted = support::env("HASTEN_PROFILE");
  if (wanted.empty() || wanted == "0") return;
  was_asked = true;
  static_cast<void>(measured_facts(*source.device));  // not while the process ends
  source.recording->time_devices();
  programs().add(source);
}

void forget_program(const Recording& recording) {
  if (was_asked) programs().remove(recording);
}

}  // namespace hasten::runtime
