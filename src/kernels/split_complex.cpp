// One walk over the regions, in which every complex value is split before its first use.
#include "kernels/split_complex.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using namespace core;

class Splitter {
 public:
  explicit Splitter(KernelBuilder& builder) : builder_(builder), kernel_(builder.kernel) {}

  void run() {
    scalars();
    kernel_.seed = in_parts(kernel_.seed);
    for (Region* r : regions_of(kernel_)) region(*r);
    std::vector<ScalarType> outputs;
    const std::size_t first_stored = kernel_.outputs.size() - kernel_.stored;
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      const bool is_complex = detail::is_complex(kernel_.outputs[i]);
      outputs.insert(outputs.end(), is_complex ? 2 : 1, kernel_.outputs[i]);
      if (is_complex && i >= first_stored) ++kernel_.stored;
    }
    kernel_.outputs = std::move(outputs);
  }

 private:
  struct Parts {
    Value re = none, im = none;
  };

  [[nodiscard]] bool is_complex(Value v) const {
    return detail::is_complex(kernel_.value_types[v]);
  }

  /// The replacement of a value that is not complex: itself, or the part from which it was taken.
  [[nodiscard]] Value real(Value v) const {
    return v < parts_.size() && parts_[v].re != none ? parts_[v].re : v;
  }

  void set(Value v, Parts parts) {
    if (v >= parts_.size()) parts_.resize(kernel_.value_types.size());
    parts_[v] = parts;
  }

  Parts define(Value v) {
    const ScalarType type = detail::part_of(kernel_.value_types[v]);
    const Value re = builder_.new_value(type), im = builder_.new_value(type);
    set(v, {re, im});
    return {re, im};
  }

  std::vector<Value> definitions(const std::vector<Value>& values) {
    std::vector<Value> result;
    for (Value v : values) {
      if (!is_complex(v)) {
        result.push_back(v);
        continue;
      }
      const auto [re, im] = define(v);
      result.insert(result.end(), {re, im});
    }
    return result;
  }

  [[nodiscard]] std::vector<Value> in_parts(const std::vector<Value>& values) const {
    std::vector<Value> result;
    for (Value v : values) {
      result.push_back(real(v));
      if (is_complex(v)) result.push_back(parts_[v].im);
    }
    return result;
  }

  void scalars() {
    std::vector<ArgumentSource> sources;
    for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
      ArgumentSource source = builder_.arguments[i];
      sources.push_back(source);
      if (!is_complex(kernel_.scalars[i])) continue;
      source.imaginary = true;
      sources.push_back(source);
    }
    kernel_.scalars = definitions(kernel_.scalars);
    builder_.arguments = std::move(sources);
  }

  void region(Region& r) {
    r.params = definitions(r.params);
    std::vector<Stmt> body;
    body.reserve(r.body.size());
    for (Stmt& stmt : r.body) statement(stmt, body);
    r.body = std::move(body);
    r.results = in_parts(r.results);
  }

  void statement(Stmt& stmt, std::vector<Stmt>& body) {
    if (auto* loop = std::get_if<While>(&stmt.op)) loop->init = in_parts(loop->init);
    if (auto* reduce = std::get_if<Reduce>(&stmt.op)) reduce->seed = in_parts(reduce->seed);
    if (auto* p = std::get_if<Prim>(&stmt.op); p && prim(*p, stmt.results[0], body)) return;
    if (!stmt.results.empty() && is_complex(stmt.results[0]) && element(stmt, body)) return;
    edit_operands(stmt, [&](Value& v) { v = real(v); }, [](ArrayId&) {});
    edit_regions(stmt, [&](Region& inner) { region(inner); });
    const bool one = stmt.results.size() == 1 && is_complex(stmt.results[0]);
    const auto* constant = std::get_if<Constant>(&stmt.op);
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    if (one && constant) {
      const auto [re, im] = define(stmt.results[0]);
      body.push_back({{re}, Constant{{constant->bits.lo, 0}, none}});
      body.push_back({{im}, Constant{{constant->bits.hi, 0}, none}});
    } else if (one && load) {
      const auto [re, im] = define(stmt.results[0]);
      body.push_back({{re}, LoadLinear{load->array, 0, load->index}});
      body.push_back({{im}, LoadLinear{load->array, 1, load->index}});
    } else {
      stmt.results = definitions(stmt.results);
      body.push_back(std::move(stmt));
    }
  }

  [[nodiscard]] std::vector<Value> parts_of(const std::vector<Value>& values,
                                            Value Parts::* part) const {
    std::vector<Value> result;
    for (const Value v : values) result.push_back(parts_[v].*part);
    return result;
  }

  /// Splits an extraction or insertion of elements: one statement per part.
  bool element(const Stmt& stmt, std::vector<Stmt>& body) {
    const auto* extract = std::get_if<Extract>(&stmt.op);
    const auto* insert = std::get_if<Insert>(&stmt.op);
    if (!extract && !insert) return false;
    for (const Value v : stmt.results) define(v);
    for (Value Parts::* part : {&Parts::re, &Parts::im}) {
      std::vector<Value> results = parts_of(stmt.results, part);
      if (extract)
        body.push_back({results, Extract{real(extract->index), parts_of(extract->elements, part)}});
      else
        body.push_back({results, Insert{real(insert->index), parts_[insert->element].*part,
                                        parts_of(insert->elements, part)}});
    }
    return true;
  }

  /// Splits operations on complex numbers; true if nothing more is to be done.
  bool prim(const Prim& p, Value result, std::vector<Stmt>& body) {
    switch (p.op) {
      case ScalarOp::complex_make: set(result, {real(p.args[0]), real(p.args[1])}); return true;
      case ScalarOp::complex_real: set(result, {parts_[p.args[0]].re, none}); return true;
      case ScalarOp::complex_imag: set(result, {parts_[p.args[0]].im, none}); return true;
      case ScalarOp::select: break;
      default: return false;
    }
    if (!is_complex(result)) return false;
    const Parts a = parts_[p.args[1]], b = parts_[p.args[2]], chosen = define(result);
    const Value condition = real(p.args[0]);
    body.push_back({{chosen.re}, Prim{ScalarOp::select, {condition, a.re, b.re}}});
    body.push_back({{chosen.im}, Prim{ScalarOp::select, {condition, a.im, b.im}}});
    return true;
  }

  KernelBuilder& builder_;
  Kernel& kernel_;
  std::vector<Parts> parts_;  // by Value; a real value taken from a complex one has `re` only
};

}  // namespace

void split_complex(KernelBuilder& builder) {
  const auto& types = builder.kernel.value_types;
  if (std::any_of(types.begin(), types.end(), detail::is_complex)) Splitter(builder).run();
}

}  // namespace hasten::kernels
