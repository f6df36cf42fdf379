// The interpreter's state and its operations: one `run` per array operation.
#pragma once

#include "core/evaluate.hpp"
#include "core/program.hpp"
#include "interpreter/interpreter.hpp"
#include "interpreter/liveness.hpp"
#include "interpreter/shapes.hpp"

#include <hasten/detail/host_array.hpp>
#include <hasten/run/options.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace hasten::interp {

using Array = std::shared_ptr<const detail::HostArray>;
using Arrays = std::vector<Array>;

/// Zeros in the elements target, target + 1, ... of `to`.
void set_zero(detail::HostArray& to, std::int64_t target, std::int64_t count);
/// Copies the elements source, source + 1, ... of `from` to target, target + 1, ... of `to`.
void copy_elements(const detail::HostArray& from, std::int64_t source, detail::HostArray& to,
                   std::int64_t target, std::int64_t count);

class Machine : private core::ArrayReader {
 public:
  Machine(const core::Program& program, std::span<const Array> inputs, Checks checks,
          OutOfRange out_of_range, const support::StopWord* stop, std::int64_t memory_limit);

  Arrays run(std::span<const core::Bits> scalar_inputs);

 private:
  using Value = core::Value;
  using ArrayId = core::ArrayId;
  using NewArray = std::shared_ptr<detail::HostArray>;

  void run(const core::Block& block);
  void run(const core::Binding& binding);

  // The results of one array operation.
  Arrays run(const core::HostScalar& op);
  Arrays run(const core::Use& op);
  Arrays run(const core::Input& op);
  Arrays run(const core::Unit& op);
  Arrays run(const core::Generate& op);
  Arrays run(const core::GenerateSegments& op);
  Arrays run(const core::Map& op);
  Arrays run(const core::ZipWith& op);
  Arrays run(const core::Reshape& op);
  Arrays run(const core::Replicate& op);
  Arrays run(const core::Slice& op);
  Arrays run(const core::Rows& op);
  Arrays run(const core::Backpermute& op);
  Arrays run(const core::Fold& op);
  Arrays run(const core::FoldSegments& op);
  Arrays run(const core::Scan& op);
  Arrays run(const core::Permute& op);
  Arrays run(const core::Concat& op);
  Arrays run(const core::Compact& op);
  Arrays run(const core::SortPositions& op);
  Arrays run(const core::Demand& op);
  Arrays run(const core::Compute& op);
  Arrays run(const core::ArrayIf& op);
  Arrays run(const core::ArrayWhile& op);
  Arrays run(const core::ForeignArrays& op);

  // Steps of operations.
  Array argument(const Array& given, const core::ArrayType& expected, const char* what) const;
  [[nodiscard]] NewArray allocate(Shape shape, std::size_t result = 0) const;
  [[nodiscard]] NewArray within_limit(const Shape& shape, const core::ArrayType& type) const;
  [[nodiscard]] Shape extents(const std::vector<Value>& values) const;
  void demand_extents(const Shape& shape, const Shape& other) const;
  void demand_joinable(const detail::HostArray& first, Shape part, std::uint32_t axis) const;
  void demand_equal(const std::vector<core::ArrayId>& sources) const;
  [[nodiscard]] Shape intersection(const std::vector<ArrayId>& sources) const;
  void set_index(std::span<const Value> params, const Shape& index);
  void run_loop(const core::Permute& op, const core::PermuteLoop& loop, detail::HostArray& result,
                std::vector<std::uint8_t>* counts);
  struct PermuteWrite {
    const core::Permute& op;
    const core::PermuteLoop& loop;
    std::size_t number;
  };
  std::int64_t update(const PermuteWrite& write, std::int64_t at, std::int64_t from,
                      detail::HostArray& result);
  std::vector<std::uint8_t>* counts_of(const core::Permute& op, std::int64_t size);
  void demand_written_once(ArrayId array) const;
  void set_element(std::span<const Value> params, const detail::HostArray& from, std::int64_t at);
  void store(const std::vector<Value>& values, detail::HostArray& to, std::int64_t at) const;
  void fold_range(const core::Region& fn, const std::vector<core::Value>& seed,
                  const detail::HostArray& source, std::int64_t begin, std::int64_t end,
                  detail::HostArray& result, std::int64_t to);
  void step(const core::Region& fn, const detail::HostArray& source, std::int64_t at);
  [[nodiscard]] Arrays arrays(const std::vector<ArrayId>& ids) const;
  void bind(const std::vector<ArrayId>& ids, const Arrays& values);

  // Scalar code reading arrays.
  core::Bits load(ArrayId array, std::uint32_t leaf, std::span<const std::int64_t> index) override;
  core::Bits load_linear(ArrayId array, std::uint32_t leaf, std::int64_t index) override;
  std::int64_t extent(ArrayId array, std::uint32_t axis) override;
  void on_zero_divisor(core::ScalarOp op) override;
  void poll() override;

  // Errors, at the place of the binding that is running.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string element_text() const;
  [[nodiscard]] std::string described(ArrayId array) const;
  /// Clamps an index out of range, or throws. False if the array has no elements to clamp it to.
  bool find(ArrayId array, std::span<std::int64_t> index) const;
  [[noreturn]] void fail_index(ArrayId array, const std::string& index) const;

  const core::Program& program_;
  std::span<const Array> inputs_;
  Checks checks_;
  OutOfRange out_of_range_;
  const support::StopWord* stop_;
  const std::int64_t memory_limit_;
  /// Bytes of arrays made by this run, if there is a limit; results may outlive the run.
  const std::shared_ptr<std::atomic<std::int64_t>> live_ =
      std::make_shared<std::atomic<std::int64_t>>(0);
  Liveness liveness_;
  std::vector<core::Bits> values_;  // by Value
  core::Evaluator evaluator_;
  Arrays arrays_;                                // by ArrayId
  std::vector<const core::Binding*> producers_;  // by ArrayId
  const core::Binding* binding_ = nullptr;       // the current one
  /// How often each element of a push array was written, at most 2, while loops remain to be run.
  std::unordered_map<ArrayId, std::vector<std::uint8_t>> writes_;
  /// The element of the result for which the function runs, or of the source that the operator
  /// takes.
  struct Element {
    const Shape* shape = nullptr;  // null: host code
    std::int64_t at = 0;
    bool of_source = false;
  } element_;
};

}  // namespace hasten::interp
