// One walk; values that fallbacks refer to by other names are renamed once, at the end.
#include "passes/foreign.hpp"

#include "core/foreign.hpp"
#include "core/traverse.hpp"

#include <iterator>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

class Chooser {
 public:
  Chooser(Program& program, std::optional<detail::ForeignTarget> target)
      : program_(program),
        target_(target) {}

  void run() {
    block(program_.body);
    settle(values_), settle(arrays_);
    rename_uses(program_.body, values_, arrays_);
    for (Value& v : program_.scalar_results)
      if (const auto it = values_.find(v); it != values_.end()) v = it->second;
  }

 private:
  // True if the call stays. Functions for host code must be callable there.
  bool choose(ForeignCall& call) const {
    for (const detail::ForeignFunction* f : call.functions) {
      if (f->target != target_ || !is_known(*f) || (on_host_ && !f->call)) continue;
      call.functions = {f};
      call.fallback = {};
      return true;
    }
    return call.fallback.results.empty();  // chosen before
  }

  bool choose(ForeignArrays& call) const {
    for (const ForeignImplementation& f : call.functions) {
      if (f.target != target_ || !is_there(f)) continue;
      call.functions = {ForeignImplementation(f)};
      call.fallback = {};
      return true;
    }
    return call.fallback.results.empty();
  }

  [[nodiscard]] bool is_there(const ForeignImplementation& f) const {
    if (f.index >= program_.foreign.size()) return false;
    bool (*const found)() = program_.foreign[f.index]->is_there;
    return !found || found();
  }

  static void stand_for(const std::vector<std::uint32_t>& from,
                        const std::vector<std::uint32_t>& to, Renaming& renaming) {
    for (std::size_t i = 0; i < from.size(); ++i) renaming[from[i]] = to[i];
  }

  // Follows chains: the result of a fallback may itself be replaced by that of another one.
  static void settle(Renaming& renaming) {
    for (auto& [from, to] : renaming)
      for (auto next = renaming.find(to); next != renaming.end(); next = renaming.find(to))
        to = next->second;
  }

  // Appends the statement to `out`, or the code of its fallback.
  template <class Emit>
  void statement(Stmt& stmt, Emit emit) {
    auto* call = std::get_if<ForeignCall>(&stmt.op);
    if (call && !choose(*call)) {
      Region code = std::move(call->fallback);
      stand_for(code.params, call->args, values_);
      stand_for(stmt.results, code.results, values_);
      for (Stmt& inner : code.body) statement(inner, emit);
      return;
    }
    edit_regions(stmt, [&](Region& inner) { region(inner); });
    emit(std::move(stmt));
  }

  void region(Region& r) {
    std::vector<Stmt> body;
    body.reserve(r.body.size());
    for (Stmt& stmt : r.body) statement(stmt, [&](Stmt s) { body.push_back(std::move(s)); });
    r.body = std::move(body);
  }

  void block(Block& b) {
    std::vector<Binding> bindings;
    bindings.reserve(b.bindings.size());
    for (Binding& inner : b.bindings) binding(inner, bindings);
    b.bindings = std::move(bindings);
  }

  void binding(Binding& b, std::vector<Binding>& out) {
    on_host_ = std::holds_alternative<HostScalar>(b.op);
    if (auto* scalar = std::get_if<HostScalar>(&b.op)) {
      statement(scalar->stmt, [&](Stmt s) {
        Binding copy = b;
        copy.op = HostScalar{std::move(s)};
        out.push_back(std::move(copy));
      });
      return;
    }
    auto* call = std::get_if<ForeignArrays>(&b.op);
    if (call && !choose(*call)) {
      Block code = std::move(call->fallback);
      stand_for(code.params, call->args, arrays_);
      stand_for(b.results, code.results, arrays_);
      for (Binding& inner : code.bindings) binding(inner, out);
      return;
    }
    if (Region* fn = region_of(b.op)) region(*fn);
    edit_blocks(b.op, [&](Block& inner) { block(inner); });
    out.push_back(std::move(b));
  }

  Program& program_;
  std::optional<detail::ForeignTarget> target_;
  bool on_host_ = false;  // in scalar code at array level
  Renaming values_, arrays_;
};

}  // namespace

Program choose_foreign(Program program, std::optional<detail::ForeignTarget> target) {
  Chooser(program, target).run();
  return program;
}

}  // namespace hasten::passes
