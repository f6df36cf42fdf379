// Examples of running programs.
#include "docs/reference/examples/example.hpp"

#include <vector>

// Used in the examples:
const auto dotp = [](Acc<Vector<float>> xs, Acc<Vector<float>> ys) { return hs::sum(xs * ys); };

EXAMPLE(run) {
  Vector<float> xs{1, 2, 3};
  show(hs::run(hs::sum(hs::use(xs))).item());                                 // 6
  show(hs::run(hs::sum(hs::use(xs)), {.target = hs::interpreter()}).item());  // 6
}
EXAMPLE(compile) {
  auto f = hs::compile(dotp);
  show(f(Vector<float>{1, 2}, Vector<float>{3, 4}));  // 11
  show(f.kernel_count());                             // 1
  show(f.launch_count());                             // 1
  auto twice = hs::compile<Acc<Vector<int>>(Acc<Vector<int>>)>([](auto a) { return a * 2; });
  show(twice(Vector<int>{1, 2}));  // [2, 4]
}
EXAMPLE(Compiled) {
  hs::Compiled<Scalar<float>(Vector<float>, Vector<float>)> f = hs::compile(dotp);
  show(f(Vector<float>{}, Vector<float>{}));  // 0
}
EXAMPLE(Out) {
  auto f = hs::compile([](Acc<Matrix<float>> m) { return hs::transpose(m); });
  std::vector<float> turned(6);
  f.into({{3, 2}, turned}, {{1, 2, 3}, {4, 5, 6}});
  show(turned[1]);  // 4
  auto g = hs::compile([](Acc<Vector<float>> xs) { return std::pair{xs * 2.0f, hs::sum(xs)}; });
  float doubled[2], total;
  g.into({doubled, total}, {1, 2});
  show(doubled[1]);  // 4
  show(total);       // 3
}
EXAMPLE(Pending) {
  auto f = hs::compile(dotp);
  hs::Pending<Scalar<float>> result = f.async(Vector<float>{1, 2}, Vector<float>{3, 4});
  show(result.get());  // 11
}
EXAMPLE(StoppedError) {
  auto f = hs::compile([](Acc<Vector<int>> xs, Exp<int64_t> rounds) {
    return hs::aiterate(rounds, [](Acc<Vector<int>> ys) { return ys + 1; }, xs);
  });
  auto endless = f.async(Vector<int>{1, 2}, int64_t{1} << 60);
  endless.cancel();
  try {
    (void)endless.get();
  } catch (const hs::StoppedError&) {
    show("stopped");  // stopped
  }
  show(f(Vector<int>{1, 2}, 3));  // [4, 5]
}
EXAMPLE(stream) {
  auto f = hs::compile([](Acc<Vector<int>> frame) { return hs::sum(frame); });
  std::vector<Vector<int>> frames{{1, 2}, {3}, {}};
  int all = 0;
  for (auto&& total : hs::stream(f, frames)) all += total.item();
  show(all);  // 6
}
EXAMPLE(named) {
  auto f = hs::compile([](Acc<Vector<float>> x, Acc<Vector<float>> y) {
    return hs::named("similarity", hs::sum(hs::named("weights", x) * y));
  });
  std::string text = f.explain().str();
  show(text.find("similarity (sum) at run.cpp") != std::string::npos);  // true
  show(text.find("size(weights (argument 0))") != std::string::npos);   // true
  show(f.kernel_count());                                               // 1
}
EXAMPLE(prefetch) {
  Vector<float> xs{1, 2, 3};
  hs::prefetch(xs);
  show(hs::run(hs::sum(hs::use(xs))).item());  // 6
}
EXAMPLE(pin) {
  Vector<float> xs{1, 2, 3};
  hs::pin(xs, hs::cpu());
  show(hs::run(hs::sum(hs::use(xs)), {.target = hs::cpu()}).item());  // 6
  hs::release(xs);
}
EXAMPLE(release) {
  Vector<int> xs = hs::run(hs::cast<int>(hs::iota(3)));
  hs::release(xs);
  show(xs);  // [0, 1, 2]
}
EXAMPLE(Target) {
  hs::Options options{.target = hs::cpu(), .checks = hs::Checks::bounds};
  show(hs::run(hs::iota(3), options));  // [0, 1, 2]
}
EXAMPLE(Statistics) {
  hs::Statistics before = hs::statistics();
  hs::run(hs::iota(3));
  hs::Statistics all = hs::statistics() - before;
  show(all.launches);  // 1
}
EXAMPLE(Profile) {
  auto f = hs::compile(dotp);
  for (int i = 0; i < 3; ++i) f(Vector<float>{1, 2}, Vector<float>{3, 4});
  hs::Profile profile = f.profile();
  show(profile.calls());                          // 3
  show(profile.str().starts_with("profile of"));  // true
  profile.reset();
  show(f.profile().calls());  // 0
}
EXAMPLE(ProfileRow) {
  auto f = hs::compile(dotp, {.target = hs::cpu()});
  f(Vector<float>{1, 2}, Vector<float>{3, 4});
  hs::ProfileRow row = f.profile().rows().front();
  show(row.kind);    // launch
  show(row.shapes);  // [2]
  show(row.bytes);   // 20
  show(row.flops);   // 4
}
EXAMPLE(Picture) {
  auto f = hs::compile(dotp);
  std::string svg = f.picture().str();
  show(svg.starts_with("<svg"));  // true
}
EXAMPLE(Error) {
  try {
    hs::run(hs::reshape(hs::ix(2, 2), hs::iota(3)));
  } catch (const hs::ShapeError& error) {
    std::string what = error.what();
    show(what.starts_with(error.where().file_name()));  // true
    show(what.substr(what.find("reshape"), 30));        // reshape: an array of shape (3)
  }
}
EXAMPLE(Determinism) {
  auto sum = hs::sum(hs::iota<float>(100000) * 0.1f);
  hs::Options options{.target = hs::cpu(), .determinism = hs::Determinism::run_to_run};
  show(hs::identical(hs::run(sum, options), hs::run(sum, options)));  // true
}
EXAMPLE(FastMath) {
  auto polynomial = [](Acc<Vector<float>> x) { return x * x + x; };
  hs::Options options{.target = hs::cpu(), .fast_math = hs::FastMath::contract};
  show(hs::compile(polynomial, options)(Vector<float>{2, 3}));  // [6, 12]
}
EXAMPLE(library) {
  auto squares = [](Acc<Vector<float>> x) { return x * x; };
  auto roots = [](Acc<Vector<float>> x) {
    return hs::map([](Exp<float> e) { return hs::sqrt(e); }, x);
  };
  const hs::Library made =
      hs::library("powers").entry("squares", squares, {"x"}).entry("roots", roots);
  // int main(int argc, char** argv) { return hs::export_main(argc, argv, made); }
  show(made.name());            // powers
  show(made.entries().size());  // 2
}
