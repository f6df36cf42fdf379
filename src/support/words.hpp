// Scratch memory of machine words, whose number is known at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasten::support {

/// Words on the stack, or on the heap if there are many.
template <std::size_t few>
class Words {
 public:
  explicit Words(std::size_t count) {
    if (count <= few) return;
    many_.resize(count);
    data_ = many_.data();
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  [[nodiscard]] std::uint64_t* data() { return data_; }

 private:
  std::array<std::uint64_t, few> some_;
  std::vector<std::uint64_t> many_;
  std::uint64_t* data_ = some_.data();
};

}  // namespace hasten::support
