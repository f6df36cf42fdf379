// Loops and branches: arrays that keep their extent from round to round stay in parts.
#include "passes/fission/rewriter.hpp"

#include <algorithm>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

void Rewriter::begin_block(Block& to) {
  scopes_.push_back({next_scope_++, &to.bindings});
  open_.push_back(true);
}

void Rewriter::end_block() {
  open_[scopes_.back().id] = false;
  scopes_.pop_back();
}

/// The states of a loop that are cut, and their cuts. A state that rounds need whole is not cut.
struct Rewriter::States {
  std::vector<std::optional<Cut>> cuts;

  [[nodiscard]] bool any() const {
    return std::ranges::any_of(cuts, [](const auto& cut) { return cut.has_value(); });
  }
};

void Rewriter::rewrite_loop(const Binding& binding, const ArrayWhile& loop) {
  States states;
  const bool wanted = wants();
  for (std::size_t i = 0; i < loop.init.size(); ++i) {
    const auto before = shapes_.of(loop.init[i]), round = shapes_.of(loop.body.params[i]);
    const bool keeps = wanted && !before.empty() && before[0] == round[0];
    states.cuts.push_back(keeps ? std::optional(cut_of(loop.init[i])) : std::nullopt);
  }
  // A state that was joined in a round, or cut again at its end, stays whole.
  const ArrayId at = at_;
  ArrayWhile made;
  while (true) {
    made = {};
    const States tried = states;
    rewrite_rounds(loop, tried, made, states);
    at_ = at;
    if (states.cuts == tried.cuts) break;
  }
  Binding result = binding;
  result.results.clear();
  std::vector<Parts> parts(loop.init.size());
  for (std::size_t i = 0; i < loop.init.size(); ++i) {
    if (!states.cuts[i]) {
      made.init.push_back(whole(loop.init[i]));
      result.results.push_back(binding.results[i]);
      continue;
    }
    for (const ArrayId part : parts_in(loop.init[i], *states.cuts[i])) {
      made.init.push_back(part);
      parts[i].push_back(to_.new_array(to_.array_types[part]));
      result.results.push_back(parts[i].back());
    }
  }
  result.op = std::move(made);
  scopes_.back().out->push_back(std::move(result));
  for (std::size_t i = 0; i < loop.init.size(); ++i)
    if (states.cuts[i])
      define_parts(binding.results[i], *states.cuts[i], std::move(parts[i]));
    else
      define_whole(binding.results[i]);
}

void Rewriter::rewrite_rounds(const ArrayWhile& loop, const States& states, ArrayWhile& made,
                              States& next) {
  const auto begin = [&](const Block& from, Block& to) {
    begin_block(to);
    for (std::size_t i = 0; i < from.params.size(); ++i) {
      const ArrayId param = from.params[i];
      producers_[param] = nullptr;
      joined_.erase(param);
      if (!states.cuts[i]) {
        to.params.push_back(param);
        define_whole(param);
        continue;
      }
      Parts parts;
      for (std::size_t k = 0; k < this->parts(); ++k) {
        parts.push_back(to_.new_array(to_.array_types[param]));
        to.params.push_back(parts.back());
      }
      define_parts(param, *states.cuts[i], std::move(parts));
    }
    for (const Binding& inner : from.bindings) rewrite(inner);
  };
  const auto note_joined = [&](const Block& from) {
    for (std::size_t i = 0; i < from.params.size(); ++i)
      if (joined_.contains(from.params[i])) next.cuts[i].reset();
  };
  begin(loop.condition, made.condition);
  made.condition.value = mapped(loop.condition.value);
  end_block();
  note_joined(loop.condition);
  begin(loop.body, made.body);
  for (std::size_t i = 0; i < loop.body.results.size(); ++i) {
    const ArrayId result = loop.body.results[i];
    if (!states.cuts[i]) {
      made.body.results.push_back(whole(result));
      continue;
    }
    const bool comes_cut = !forms_[result].is_whole;
    for (const ArrayId part : parts_in(result, *states.cuts[i])) made.body.results.push_back(part);
    if (!comes_cut || joined_.contains(result)) next.cuts[i].reset();
  }
  end_block();
  note_joined(loop.body);
}

// Handles results to which both branches give one extent that is known before.
void Rewriter::rewrite_branches(const Binding& binding, const ArrayIf& branch) {
  std::vector<std::optional<Cut>> cuts;
  const bool wanted = wants();
  for (std::size_t i = 0; i < binding.results.size(); ++i) {
    const auto of = shapes_.of(binding.results[i]);
    const auto then_ = shapes_.of(branch.then_.results[i]);
    const auto else_ = shapes_.of(branch.else_.results[i]);
    const bool agree = wanted && !of.empty() && then_[0] == else_[0] && of[0] == then_[0];
    cuts.push_back(agree ? named_cut(known(of[0])) : std::nullopt);
  }
  Binding result = binding;
  result.results.clear();
  ArrayIf made{mapped(branch.condition), {}, {}};
  rewrite_branch(branch.then_, made.then_, cuts);
  rewrite_branch(branch.else_, made.else_, cuts);
  std::vector<Parts> parts(binding.results.size());
  for (std::size_t i = 0; i < binding.results.size(); ++i) {
    if (!cuts[i]) {
      result.results.push_back(binding.results[i]);
      continue;
    }
    for (std::size_t k = 0; k < this->parts(); ++k) {
      parts[i].push_back(to_.new_array(to_.array_types[binding.results[i]]));
      result.results.push_back(parts[i].back());
    }
  }
  result.op = std::move(made);
  like_ = &binding;
  scopes_.back().out->push_back(std::move(result));
  for (std::size_t i = 0; i < binding.results.size(); ++i)
    if (cuts[i])
      define_parts(binding.results[i], *cuts[i], std::move(parts[i]));
    else
      define_whole(binding.results[i]);
}

void Rewriter::rewrite_branch(const Block& from, Block& to,
                              const std::vector<std::optional<Cut>>& cuts) {
  const ArrayId at = at_;
  begin_block(to);
  for (const Binding& inner : from.bindings) rewrite(inner);
  for (std::size_t i = 0; i < from.results.size(); ++i) {
    if (!cuts[i]) {
      to.results.push_back(whole(from.results[i]));
      continue;
    }
    for (const ArrayId part : parts_in(from.results[i], *cuts[i])) to.results.push_back(part);
  }
  end_block();
  at_ = at;
}

}  // namespace hasten::passes::fission
