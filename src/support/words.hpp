// Scratch memory of machine words, whose number is known at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace hasten::support {

/// Words on the stack, or on the heap if there are many. They have no values yet.
template <std::size_t few>
class Words {
 public:
  explicit Words(std::size_t count) {
    if (count <= few) return;
    many_ = std::make_unique_for_overwrite<std::uint64_t[]>(count);
    data_ = many_.get();
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  [[nodiscard]] std::uint64_t* data() { return data_; }

 private:
  std::array<std::uint64_t, few> some_;
  std::unique_ptr<std::uint64_t[]> many_;
  std::uint64_t* data_ = some_.data();
};

}  // namespace hasten::support
