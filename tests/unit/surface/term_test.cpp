// The term builder: hashes, free binders, scopes and their errors, and life without recursion.
#include "surface/node.hpp"

#include <gtest/gtest.h>

#include <hasten/run/error.hpp>

#include <memory>
#include <string>
#include <thread>

namespace hasten::detail {
namespace {

const Type i64 = leaf_type(ScalarType::i64);
const Type f32 = leaf_type(ScalarType::f32);

Term number(std::uint64_t value) { return constant(ScalarType::i64, {value, 0}); }

Term add(const Term& a, const Term& b) {
  const std::array<Term, 2> args{a, b};
  return prim(ScalarOp::add, ScalarType::i64, args);
}

Term vector_of_i64() {
  static const auto host = HostArray::allocate({3}, {ScalarType::i64});
  return use_array(i64, host, Where::current());
}

/// A function of one i64; `body` receives its parameter.
template <class Body>
Function function(Body body) {
  const std::array params{i64};
  Scope scope(params);
  return scope.close({body(scope.param(0))}, "function", Where::current());
}

template <class Body>
Term mapped(Body body, const Term& source) {
  return map(function(body), i64, source, "map", Where::current());
}

Digest hash(const Term& term) { return term.node()->hash; }

bool is_closed(const Term& term) { return !term.node()->free || term.node()->free->empty(); }

/// The BuildError that `build` throws; fails if it throws none.
template <class Build>
BuildError error_of(Build build) {
  try {
    build();
  } catch (const BuildError& error) {
    return error;
  }
  ADD_FAILURE() << "no BuildError";
  return BuildError("none");
}

bool says(const BuildError& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

// --- types --------------------------------------------------------------------------------------

TEST(ElementTypes, EqualTypesAreTheSamePointer) {
  const std::array inner{f32, i64};
  const std::array outer{tuple_type(inner), f32};
  const Type type = tuple_type(outer);
  EXPECT_EQ(type, tuple_type(outer));
  EXPECT_EQ(type->name, "((f32, i64), f32)");
  EXPECT_EQ(type->leaves, (std::vector{ScalarType::f32, ScalarType::i64, ScalarType::f32}));
  EXPECT_NE(tuple_type(inner), tuple_type(std::array{i64, f32}));
  EXPECT_NE(tuple_type(std::array{f32}), f32) << "a tuple of one is no leaf";
  EXPECT_EQ(tuple_type({})->name, "()");
}

// --- hashes -------------------------------------------------------------------------------------

TEST(Terms, AFunctionTracedTwiceHashesAlike) {
  const Term source = vector_of_i64();
  const auto body = [](const Term& x) { return add(x, number(1)); };
  EXPECT_EQ(hash(mapped(body, source)), hash(mapped(body, source)));
  const auto nested = [&](const Term& x) {
    return while_loop(function([&](const Term& s) { return add(s, x); }), function(body), x);
  };
  EXPECT_EQ(hash(mapped(nested, source)), hash(mapped(nested, source)));
}

TEST(Terms, WhatDiffersHashesDifferently) {
  const Term source = vector_of_i64();
  const auto plus = [](std::uint64_t n) {
    return [n](const Term& x) { return add(x, number(n)); };
  };
  const Digest one = hash(mapped(plus(1), source));
  EXPECT_NE(one, hash(mapped(plus(2), source)));
  EXPECT_NE(one, hash(mapped([](const Term& x) { return add(number(1), x); }, source)));
  EXPECT_NE(one, hash(mapped(plus(1), mapped(plus(1), source))));
  const auto other = HostArray::allocate({3}, {ScalarType::i64});
  EXPECT_NE(hash(source), hash(use_array(i64, other, Where::current())));
  EXPECT_NE(hash(number(1)), hash(constant(ScalarType::i32, {1, 0})));
  EXPECT_NE(hash(number(1)), hash(constant(ScalarType::i64, {1, 0}, LiteralMode::baked)));
  EXPECT_NE(hash(extent_of(source, 0)), hash(index_linear(source, number(0))));
}

TEST(Terms, KeptAxesCount) {
  const Term source = vector_of_i64();
  const Term rows = replicate({number(2), Term{}}, source, Where::current());
  const Term columns = replicate({Term{}, number(2)}, source, Where::current());
  EXPECT_EQ(rank_of(rows), 2U);
  EXPECT_NE(hash(rows), hash(columns));
  EXPECT_EQ(rank_of(slice({number(0), Term{}}, rows, Where::current())), 1U);
}

TEST(Terms, PlacesAndNamesDoNotCount) {
  const Term source = vector_of_i64();
  const auto body = [](const Term& x) { return x; };
  const Term here = map(function(body), i64, source, "map", Where::current());
  const Term there = map(function(body), i64, source, "imap", Where{});
  EXPECT_EQ(hash(here), hash(there));
}

// --- free binders -------------------------------------------------------------------------------

TEST(Terms, FreeBindersAreSharedAndSubtracted) {
  const Term source = vector_of_i64();
  Term inside;
  const Term result = mapped(
      [&](const Term& x) {
        inside = add(add(x, number(1)), x);
        EXPECT_EQ(inside.node()->free, x.node()->free) << "one set for the whole body";
        return inside;
      },
      source);
  EXPECT_TRUE(is_closed(result));
  ASSERT_FALSE(is_closed(inside));
  EXPECT_EQ(inside.node()->free->size(), 1U);
  EXPECT_TRUE(inside.node()->free->front().scalar);
}

TEST(Terms, FreeBindersAreInOrderOfLevel) {
  function([](const Term& outer) {
    function([&](const Term& middle) {
      function([&](const Term& inner) {
        const Term all = add(add(inner, outer), middle);
        EXPECT_EQ(all.node()->free->size(), 3U);
        for (std::uint32_t level = 0; level < 3; ++level)
          EXPECT_EQ(all.node()->free->at(level).level, level);
        return all;
      });
      return middle;
    });
    return outer;
  });
}

// --- folding ------------------------------------------------------------------------------------

TEST(Terms, ProjectionsAndTuplesUndoEachOther) {
  const Type pair = tuple_type(std::array{i64, i64});
  const std::array members{number(1), number(2)};
  const Term tuple = detail::make_tuple(pair, members);
  EXPECT_EQ(project(tuple, 1).node(), members[1].node());

  const std::array params{pair};
  Scope scope(params);
  const Term& param = scope.param(0);
  const std::array same{project(param, 0), project(param, 1)};
  EXPECT_EQ(detail::make_tuple(pair, same).node(), param.node());
  const std::array swapped{project(param, 1), project(param, 0)};
  EXPECT_NE(detail::make_tuple(pair, swapped).node(), param.node());
  const std::array part{project(param, 0)};
  EXPECT_NE(detail::make_tuple(tuple_type(std::array{i64}), part).node(), param.node())
      << "a part is not the whole";
}

// --- errors -------------------------------------------------------------------------------------

TEST(Scopes, AnEscapedScalarIsAnErrorWhereItIsUsed) {
  const Term source = vector_of_i64();
  Term escaped;
  mapped([&](const Term& x) { return escaped = x; }, source);
  const auto body = [&](const Term& x) { return add(x, escaped); };
  const BuildError in_function = error_of([&] { mapped(body, source); });
  EXPECT_TRUE(says(in_function, "used outside the function it was a parameter of"))
      << in_function.what();

  const Where here = Where::current();
  const BuildError in_array = error_of([&] { unit(escaped, here); });
  EXPECT_TRUE(says(in_array, "unit")) << in_array.what();
  EXPECT_EQ(in_array.where().line(), here.line());
  EXPECT_STREQ(in_array.where().file_name(), here.file_name());
}

TEST(Scopes, NestedParallelismIsAnErrorThatNamesTheOperation) {
  const Term source = vector_of_i64();
  const Where here = Where::current();
  const BuildError error = error_of([&] {
    mapped(
        [&](const Term& x) {
          const Term inner = map(function([&](const Term& y) { return add(x, y); }), i64, source,
                                 "zip_with", here);
          return index_linear(inner, number(0));
        },
        source);
  });
  EXPECT_TRUE(says(error, "zip_with")) << error.what();
  EXPECT_TRUE(says(error, "nested data parallelism")) << error.what();
  EXPECT_EQ(error.where().line(), here.line());
}

TEST(Scopes, EveryArrayOperationChecksNesting) {
  const Term source = vector_of_i64();
  const Where at = Where::current();
  const auto one = [](const Term& x) { return x; };
  function([&](const Term& x) {
    error_of([&] { unit(x, at); });
    error_of([&] { generate({x}, function(one), i64, at); });
    error_of([&] { reshape({x}, source, at); });
    error_of([&] { replicate({x, Term{}}, source, at); });
    error_of([&] { slice({x}, source, at); });
    error_of([&] { backpermute({x}, function(one), source, "take", at); });
    error_of(
        [&] { backpermute({number(1)}, function([&](auto&) { return x; }), source, "x", at); });
    error_of([&] {
      const std::array params{i64, i64};
      Scope scope(params);
      Function f = scope.close({add(scope.param(0), scope.param(1))}, "fold", at);
      fold(std::move(f), x, source, "fold", at);
    });
    error_of([&] { array_if(x, {source}, {source}, at); });
    return x;
  });
}

TEST(Scopes, ArraysThatDoNotDependOnTheFunctionMayBeMadeInside) {
  const Term source = vector_of_i64();
  const Term result = mapped(
      [&](const Term& x) {
        const Term table = mapped([](const Term& y) { return add(y, y); }, source);
        return index_linear(table, x);
      },
      source);
  EXPECT_TRUE(is_closed(result));
}

TEST(Scopes, ParametersOfArrayFunctionsMayBeUsedByArrayOperations) {
  const std::array<Scope::ArrayParam, 1> arrays{{{i64, 1}}};
  const std::array scalars{i64};
  Scope scope(arrays, scalars);
  EXPECT_TRUE(scope.param(0).node()->is_array);
  const Term shortened = reshape({scope.param(1)}, scope.param(0), Where::current());
  const Function f = scope.close({shortened}, "program", Where::current());
  EXPECT_EQ(f.params.size(), 2U);
  EXPECT_FALSE(is_closed(f.results[0]));
}

TEST(Scopes, AnExceptionInTheUsersFunctionShutsItsBinder) {
  const Term source = vector_of_i64();
  Term escaped;
  EXPECT_THROW(mapped(
                   [&](const Term& x) -> Term {
                     escaped = x;
                     throw std::logic_error("the user's");
                   },
                   source),
               std::logic_error);
  error_of([&] { unit(escaped, Where::current()); });
  EXPECT_EQ(function([](const Term& x) { return x; }).level, 0U);
}

TEST(Scopes, OurOwnMistakesAreInternalErrors) {
  const std::array one{number(1)};
  EXPECT_THROW(prim(ScalarOp::add, ScalarType::i64, one), InternalError);
  EXPECT_THROW(project(number(1), 0), InternalError);
  EXPECT_THROW(extent_of(vector_of_i64(), 1), InternalError);
  EXPECT_THROW(conditional(number(1), number(1), constant(ScalarType::f32, {})), InternalError);
}

// --- depth --------------------------------------------------------------------------------------

TEST(Terms, ALongChainIsBuiltAndFreedWithoutRecursion) {
  Term chain = number(0);
  const Term one = number(1);
  for (int i = 0; i < 1'000'000; ++i) chain = add(chain, one);
  Term shared = chain;
  chain = Term{};
  EXPECT_EQ(shared.node()->references, 1U);
}

TEST(Terms, FunctionsNestedDeepAreFreedWithoutRecursion) {
  constexpr int depth = 10'000;
  std::vector<std::unique_ptr<Scope>> scopes;
  const std::array params{i64};
  for (int i = 0; i < depth; ++i) scopes.push_back(std::make_unique<Scope>(params));
  Term inner = scopes.back()->param(0);
  while (scopes.size() > 1) {
    Function body = scopes.back()->close({inner}, "while_loop", Where::current());
    scopes.pop_back();
    Function condition = function([](const Term& x) { return x; });
    inner = while_loop(std::move(condition), std::move(body), scopes.back()->param(0));
  }
  EXPECT_EQ(inner.node()->free->size(), 1U);
}

TEST(Terms, ADagOfDoublingsIsLinear) {
  Term value = number(1);
  for (int i = 0; i < 10'000; ++i) value = add(value, value);
  EXPECT_EQ(value.node()->children[0].node(), value.node()->children[1].node());
}

// --- threads ------------------------------------------------------------------------------------

TEST(Terms, ThreadsBuildAtOnce) {
  const Term source = vector_of_i64();
  constexpr int threads = 8;
  std::vector<Digest> hashes(threads);
  std::vector<Type> types(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        std::vector<Type> members(static_cast<std::size_t>(round) % 7 + 30, i64);
        types[static_cast<std::size_t>(t)] = tuple_type(members);
        const Term result = mapped([&](const Term& x) { return add(x, number(7)); }, source);
        hashes[static_cast<std::size_t>(t)] = hash(result);
      }
    });
  for (std::thread& thread : running) thread.join();
  for (int t = 1; t < threads; ++t) {
    EXPECT_EQ(hashes[static_cast<std::size_t>(t)], hashes[0]);
    EXPECT_EQ(types[static_cast<std::size_t>(t)], types[0]);
  }
  EXPECT_EQ(source.node()->references, 1U);
}

}  // namespace
}  // namespace hasten::detail
