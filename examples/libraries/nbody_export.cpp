// The library nbody: bodies that attract each other, one step at a time, and their energy.
#include "../programs/nbody.hpp"

#include <hasten/hasten.hpp>

#include <functional>
#include <tuple>

namespace {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;
using programs::Body, programs::Vec3;
using Bodies = Acc<Vector<Body>>;
using Velocities = Acc<Vector<Vec3>>;

// The velocities first, then the positions (the symplectic Euler method).
std::tuple<Bodies, Velocities> step(Bodies bodies, Velocities velocities, Exp<float> dt) {
  auto next = hs::zip_with([=](Exp<Vec3> v, Exp<Vec3> pull) { return v + dt * pull; }, velocities,
                           programs::accelerations(bodies));
  auto moved = hs::zip_with(
      [=](Exp<Body> body, Exp<Vec3> v) { return Exp<Body>{body.position + dt * v, body.mass}; },
      bodies, next);
  return {moved, next};
}

Exp<float> kinetic_energy(Bodies bodies, Velocities velocities) {
  auto of_body = [](Exp<Body> body, Exp<Vec3> v) {
    return 0.5F * body.mass * (v.x * v.x + v.y * v.y + v.z * v.z);
  };
  return hs::the(hs::sum(hs::zip_with(of_body, bodies, velocities)));
}

}  // namespace

int main(int argc, char** argv) {
  return hs::export_main(argc, argv,
                         hs::library("nbody")
                             .entry("step", step, {"bodies", "velocities", "dt"})
                             .entry("kinetic_energy", kinetic_energy, {"bodies", "velocities"}));
}
