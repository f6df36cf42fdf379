// Runs a part of a test in a child process, which may terminate.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace hasten_test {

constexpr int hung = -1;

/// The exit status of a child of fork() after `f`, which is 0 if f returns. `hung` if the child
/// takes longer than 30 seconds; for a signal, its negative number minus 1.
inline int in_child(const std::function<void()>& f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    std::exit(0);
  }
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return hung;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1 - WTERMSIG(status);
}

}  // namespace hasten_test
