// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock whose waiters sleep, and a bell, without the headers of std::mutex.
#pragma once

#include <pthread.h>

namespace wstree {
inline namespace v1 {
namespace detail {

class Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

private:
  friend class Lock;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex while it lives.
class Lock {
public:
  explicit Lock(Mutex& mutex) noexcept : mutex_(mutex.mutex_) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// In pairs.
  void unlock() noexcept { pthread_mutex_unlock(&mutex_); }
  void lock() noexcept { pthread_mutex_lock(&mutex_); }

private:
  friend class Bell;
  pthread_mutex_t& mutex_;
};

/// A bell: threads that hold a lock wait for its ring. A wait may end without a ring.
class Bell {
public:
  Bell() = default;
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void wait(Lock& lock) noexcept { pthread_cond_wait(&bell_, &lock.mutex_); }
  void wake_one() noexcept { pthread_cond_signal(&bell_); }
  void wake_all() noexcept { pthread_cond_broadcast(&bell_); }

private:
  pthread_cond_t bell_ = PTHREAD_COND_INITIALIZER;
};

} // namespace detail
} // namespace v1
} // namespace wstree
