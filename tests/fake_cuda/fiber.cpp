// Switches in assembler on x86-64, by ucontext elsewhere, whose switches are system calls.
// Sanitizers are informed of every switch.
#include "tests/fake_cuda/fiber.hpp"

#include "tests/fake_cuda/sanitizers.hpp"

#include <sys/mman.h>

#include <new>

#if FAKE_CUDA_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if FAKE_CUDA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace fake_cuda {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;
constexpr std::size_t guard_bytes = 4096;

}  // namespace

#if defined(__x86_64__)
struct Stand {
  void* stack = nullptr;
};
extern "C" void fake_cuda_switch(void** from, void* to);
// Saves the registers that a callee must preserve and the stack pointer; then restores those of the
// other side.
asm(R"(
.text
.type fake_cuda_switch, @function
.hidden fake_cuda_switch
.globl fake_cuda_switch
fake_cuda_switch:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
.size fake_cuda_switch, .-fake_cuda_switch
)");
#else
struct Stand {
  ucontext_t context;
};
#endif

struct Place {
  Stand fiber, owner;
#if FAKE_CUDA_ASAN
  void *own_frames = nullptr, *owner_frames = nullptr;
  const void* owner_stack = nullptr;
  std::size_t owner_bytes = 0;
#endif
#if FAKE_CUDA_TSAN
  void *own = nullptr, *owner_fiber = nullptr;
#endif
};

namespace {

thread_local Fiber* starting = nullptr;

void change(Stand& from, Stand& to) {
#if defined(__x86_64__)
  fake_cuda_switch(&from.stack, to.stack);
#else
  swapcontext(&from.context, &to.context);
#endif
}

}  // namespace

Fiber::Fiber() : place_(std::make_unique<Place>()) {
  void* const memory = mmap(nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, guard_bytes, PROT_NONE);
  stack_ = static_cast<std::byte*>(memory) + guard_bytes;
#if FAKE_CUDA_TSAN
  place_->own = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if FAKE_CUDA_TSAN
  __tsan_destroy_fiber(place_->own);
#endif
  munmap(stack_ - guard_bytes, stack_bytes + guard_bytes);
}

void Fiber::start(void (*run)(void*), void* argument) {
  run_ = run;
  argument_ = argument;
#if FAKE_CUDA_ASAN
  __asan_unpoison_memory_region(stack_, stack_bytes);  // of a run that was never finished
  place_->own_frames = nullptr;
#endif
#if defined(__x86_64__)
  auto** top = reinterpret_cast<void**>(stack_ + stack_bytes);
  *--top = nullptr;  // the function's return address; the stack is aligned as after a call
  *--top = reinterpret_cast<void*>(&Fiber::begin_here);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  place_->fiber.stack = top;
#else
  getcontext(&place_->fiber.context);
  place_->fiber.context.uc_stack.ss_sp = stack_;
  place_->fiber.context.uc_stack.ss_size = stack_bytes;
  place_->fiber.context.uc_link = nullptr;
  makecontext(&place_->fiber.context, &Fiber::begin_here, 0);
#endif
}

void Fiber::begin_here() { begin(starting); }

void Fiber::begin(Fiber* self) {
#if FAKE_CUDA_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->place_->owner_stack, &self->place_->owner_bytes);
#endif
  self->run_(self->argument_);
  self->leave(true);
  __builtin_trap();
}

void Fiber::enter() {
  starting = this;
#if FAKE_CUDA_TSAN
  place_->owner_fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(place_->own, 0);
#endif
#if FAKE_CUDA_ASAN
  __sanitizer_start_switch_fiber(&place_->owner_frames, stack_, stack_bytes);
#endif
  change(place_->owner, place_->fiber);
#if FAKE_CUDA_ASAN
  __sanitizer_finish_switch_fiber(place_->owner_frames, nullptr, nullptr);
#endif
}

void Fiber::leave([[maybe_unused]] bool for_good) {
#if FAKE_CUDA_TSAN
  __tsan_switch_to_fiber(place_->owner_fiber, 0);
#endif
#if FAKE_CUDA_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &place_->own_frames, place_->owner_stack,
                                 place_->owner_bytes);
#endif
  change(place_->fiber, place_->owner);
#if FAKE_CUDA_ASAN
  __sanitizer_finish_switch_fiber(place_->own_frames, &place_->owner_stack, &place_->owner_bytes);
#endif
}

}  // namespace fake_cuda
