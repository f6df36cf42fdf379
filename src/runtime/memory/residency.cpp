// Arrays are immutable: a copy stays valid, except for the one array that a plan updates, which
// nobody else has seen yet.
//
// Lock order: a buffer's copies, then the device's lists. A thread that makes room holds the lock
// of the buffer it makes it for, and only tries those of others.
#include "runtime/memory/residency.hpp"

#include "runtime/memory/device_copy.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace hasten::runtime {
namespace {

constexpr int attempts = 1000;  // of a launch that nothing hinders but reads

}  // namespace

class Copies final : public Movable, public std::enable_shared_from_this<Copies> {
 public:
  /// `starts_home`: the buffer itself is host memory.
  Copies(std::size_t bytes, bool starts_home) : bytes_(bytes), starts_home_(starts_home) {}
  /// The bytes are in host memory, but as a part of others' elements.
  struct Origin {
    LentElementsRef elements = nullptr;
    std::size_t member = 0;
  };
  Copies(std::size_t bytes, Origin origin)
      : bytes_(bytes),
        starts_home_(false),
        origin_(std::move(origin)) {}
  /// The bytes are in pieces that follow each other, in host memory or on devices.
  using Pieces = std::vector<std::shared_ptr<detail::Buffer>>;
  Copies(std::size_t bytes, std::shared_ptr<const Pieces> pieces)
      : bytes_(bytes),
        starts_home_(false),
        pieces_(std::move(pieces)) {}

  /// Claims the copy on the device, after making one if there is none and room for it; then its
  /// bytes are added to `copied`.
  std::byte* claim(const DeviceMemoryRef& memory, const detail::Buffer& buffer, std::size_t limit,
                   const Holder& holder, std::int64_t& copied) {
    std::byte* const address = claim(memory, buffer, limit, holder, copied, false);
    // What is read cannot be moved out: once more, with pieces that are at home.
    if (address || !has_pieces()) return address;
    return claim(memory, buffer, limit, holder, copied, true);
  }
  std::byte* claim(const DeviceMemoryRef& memory, const detail::Buffer& buffer, std::size_t limit,
                   const Holder& holder, std::int64_t& copied, bool through_host) {
    std::optional<Read> peer;
    std::shared_ptr<const Pieces> pieces;
    {
      const std::lock_guard lock(mutex_);
      if (DeviceCopy* const copy = find(*memory)) return claimed(*copy);
      if (DeviceCopy* const copy = peer_of(*memory)) peer.emplace(*this, *copy);
      pieces = pieces_;
    }
    PieceReads reads;
    if (pieces) begin_reads(*pieces, through_host ? nullptr : &*memory, reads);
    const std::byte* const from = peer || pieces ? nullptr
                                  : starts_home_ ? buffer.data()
                                                 : at_home(false);
    const std::lock_guard lock(mutex_);
    if (DeviceCopy* const copy = find(*memory)) return claimed(*copy);
    Block block = memory->take(bytes_, limit);
    if (!block) return nullptr;
    auto copy =
        std::make_unique<DeviceCopy>(std::move(block), weak_from_this(), bytes_, holder, nullptr);
    if (peer)
      copy->write(0, peer->copy);
    else if (pieces)
      reads.write_to(*copy);
    else
      copy->write(from);
    copied += static_cast<std::int64_t>(bytes_);
    copies_.push_back(std::move(copy));
    return claimed(*copies_.back());
  }

  /// Makes the first copy, on account; returns false if there is no room.
  bool make(const DeviceMemoryRef& memory, std::size_t limit,
            const std::shared_ptr<Account>& account, const Holder& holder) {
    const std::lock_guard lock(mutex_);
    Block block = memory->take(bytes_, limit);
    if (!block) return false;
    copies_.push_back(
        std::make_unique<DeviceCopy>(std::move(block), weak_from_this(), bytes_, holder, account));
    claimed(*copies_.back());
    return true;
  }

  /// Adopts the first copy, which is others' memory.
  void adopt(Block block) {
    copies_.push_back(std::make_unique<DeviceCopy>(std::move(block), weak_from_this(), bytes_,
                                                   Holder{}, nullptr));
    was_lent_ = true;
  }
  [[nodiscard]] bool was_lent() const { return was_lent_ || origin() != nullptr; }
  [[nodiscard]] LentElementsRef origin() const {
    const std::lock_guard lock(mutex_);
    return origin_.elements;
  }

  [[nodiscard]] bool has_pieces() const {
    const std::lock_guard lock(mutex_);
    return pieces_ != nullptr;
  }

  void unclaim(const DeviceMemory& memory) noexcept {
    const std::lock_guard lock(mutex_);
    DeviceCopy* const copy = find(memory);
    --copy->claims;
    if (copy->is_leaving && !copy->is_needed()) drop(*copy);
  }

  /// Makes the copy on this device, which is claimed, the only valid one.
  void forget_others(const DeviceMemory& memory) {
    const std::lock_guard lock(mutex_);
    if (starts_home_ || is_seen_)
      throw InternalError("an array is written that somebody may have seen");
    home_.reset();
    pieces_.reset();
    std::erase_if(copies_, [&](const auto& copy) { return &copy->memory() != &memory; });
  }

  /// The address in host memory; `is_seen`: the buffer keeps it.
  std::byte* at_home(bool is_seen) {
    Source source;
    {
      const std::lock_guard lock(mutex_);
      if (is_seen) is_seen_ = true;
      if (home_) return home_->data();
      begin_read(source);
    }
    auto home = detail::Buffer::allocate(bytes_);
    source.read(home->data());
    const std::lock_guard lock(mutex_);
    settle(std::move(home));
    return home_->data();
  }

  /// Brings the bytes to this place in host memory, or to memory of their own. Copies on devices
  /// that nothing uses are freed.
  void come_home(const std::shared_ptr<detail::Buffer>& place) {
    if (starts_home_) return;
    bring_home(place);
    const std::lock_guard lock(mutex_);
    if (home_) std::erase_if(copies_, [](const auto& copy) { return copy->may_be_dropped(); });
  }
  void bring_home(const std::shared_ptr<detail::Buffer>& place) {
    if (!place) {
      at_home(false);
      return;
    }
    Source source;
    {
      const std::lock_guard lock(mutex_);
      if (home_) return;
      begin_read(source);
    }
    source.read(place->data());
    const std::lock_guard lock(mutex_);
    settle(place);
  }

  /// Copies the bytes to another place in host memory.
  void copy_home(std::byte* to) {
    std::shared_ptr<detail::Buffer> home;
    Source source;
    {
      const std::lock_guard lock(mutex_);
      home = home_;
      if (!home) begin_read(source);
    }
    if (!home)
      source.read(to);
    else if (to != home->data())
      std::memcpy(to, home->data(), bytes_);
  }

  Moved move_out(const DeviceMemory& memory) override {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return Moved::busy;
    DeviceCopy* const copy = find(memory);
    if (!copy || copy->claims > 0) return Moved::in_use;
    if (copy->reads > 0) return Moved::busy;
    try {
      if (!starts_home_ && !home_ && !pieces_ && copies_.size() == 1) home_ = copy->brought_home();
    } catch (const MemoryError&) {
      return Moved::in_use;
    }
    drop(*copy);
    return Moved::out;
  }

  void pin(const DeviceMemory& memory) {
    const std::lock_guard lock(mutex_);
    if (DeviceCopy* const copy = find(memory)) {
      copy->pin(true);
      copy->is_leaving = false;
    }
  }

  void release() {
    if (!starts_home_ && !has_pieces()) at_home(false);
    const std::lock_guard lock(mutex_);
    for (const auto& copy : copies_) {
      copy->pin(false);
      copy->is_leaving = true;
    }
    std::erase_if(copies_, [](const auto& copy) { return !copy->is_needed(); });
  }

 private:
  // A read begins under the mutex, and ends without it: the copy stays where it is.
  struct Read {
    Read(Copies& whose, DeviceCopy& which) : copies(whose), copy(which) { ++copy.reads; }
    ~Read() { copies.end_read(copy); }
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;
    Copies& copies;
    DeviceCopy& copy;
  };

  // Where a device gets pieces from. They stay there until this is gone.
  struct PieceReads {
    std::vector<backends::HostPiece> on_host;
    std::list<std::pair<std::size_t, Read>> on_devices;  // by their offset
    void write_to(DeviceCopy& copy) const {
      copy.write(on_host);
      for (const auto& [offset, read] : on_devices) copy.write(offset, read.copy);
    }
  };
  // What no device has that this one reaches is brought home. No two mutexes are held at once.
  // Null: everything is brought home.
  static void begin_reads(const Pieces& pieces, const DeviceMemory* memory, PieceReads& reads);

  /// Begins to read a copy that this device reaches without the host; false: there is none.
  bool begin_peer_read(const DeviceMemory& memory, std::size_t offset, PieceReads& reads) {
    const std::lock_guard lock(mutex_);
    DeviceCopy* copy = find(memory);
    if (!copy || !memory.backend().can_copy_from(memory.backend())) copy = peer_of(memory);
    if (copy)
      reads.on_devices.emplace_back(std::piecewise_construct, std::forward_as_tuple(offset),
                                    std::forward_as_tuple(*this, *copy));
    return copy != nullptr;
  }

  // Where the bytes come from when they are not at home: chosen under the mutex, read without.
  struct Source {
    std::optional<Read> copy;
    Origin origin;                         // without a copy,
    std::shared_ptr<const Pieces> pieces;  // and without an origin
    void read(std::byte* to) const {
      if (copy) return copy->copy.read(to);
      if (origin.elements) return origin.elements->take_out(origin.member, to);
      for (const auto& piece : *pieces) {
        read_home(*piece, to);
        to += piece->size();
      }
    }
  };
  void begin_read(Source& source) {
    if (origin_.elements)
      source.origin = origin_;
    else if (pieces_)
      source.pieces = pieces_;
    else
      source.copy.emplace(*this, *copies_.front());
  }
  // Requires the mutex: the bytes are at home. The source still holds where they came from, so that
  // no foreign code is called here.
  void settle(std::shared_ptr<detail::Buffer> home) {
    if (!home_) home_ = std::move(home);
    origin_ = {};
    pieces_.reset();
  }

  // The copy that reaches this device without the host; null if the bytes are at home, or there is
  // none.
  [[nodiscard]] DeviceCopy* peer_of(const DeviceMemory& memory) const {
    if (starts_home_ || home_ || pieces_) return nullptr;
    for (const auto& copy : copies_)
      if (memory.backend().can_copy_from(copy->memory().backend())) return copy.get();
    return nullptr;
  }

  [[nodiscard]] DeviceCopy* find(const DeviceMemory& memory) const {
    for (const auto& copy : copies_)
      if (&copy->memory() == &memory) return copy.get();
    return nullptr;
  }

  static std::byte* claimed(DeviceCopy& copy) {
    ++copy.claims;
    copy.touch();
    return copy.address();
  }

  void end_read(DeviceCopy& copy) noexcept {
    const std::lock_guard lock(mutex_);
    --copy.reads;
    if (copy.is_leaving && !copy.is_needed()) drop(copy);
  }

  void drop(const DeviceCopy& gone) noexcept {
    std::erase_if(copies_, [&](const auto& copy) { return copy.get() == &gone; });
  }

  const std::size_t bytes_;
  const bool starts_home_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceCopy>> copies_;
  std::shared_ptr<detail::Buffer> home_;  // unless it starts there
  Origin origin_ = {};                    // until it is at home
  std::shared_ptr<const Pieces> pieces_;  // likewise
  bool is_seen_ = false;
  bool was_lent_ = false;
};

namespace {

// Parts of a buffer that live as long as it does. They do not hold the buffer, which holds them; a
// reference to a part holds both.
class Parts {
 public:
  std::shared_ptr<detail::Buffer> find(const std::shared_ptr<detail::Buffer>& whole,
                                       std::size_t begin, std::size_t bytes) {
    const std::byte* const first = whole->data() + begin;
    const std::lock_guard lock(mutex_);
    auto found = std::ranges::find_if(
        kept_, [&](const auto& part) { return part->data() == first && part->size() == bytes; });
    if (found == kept_.end()) {
      if (kept_.size() == most) kept_.erase(kept_.begin());
      kept_.push_back(detail::Buffer::borrow(first, bytes, [] {}));
      found = std::prev(kept_.end());
    }
    std::rotate(found, std::next(found), kept_.end());
    using Both = std::pair<std::shared_ptr<detail::Buffer>, std::shared_ptr<detail::Buffer>>;
    const auto both = std::make_shared<Both>(whole, kept_.back());
    return {both, both->second.get()};
  }
  [[nodiscard]] std::vector<std::shared_ptr<detail::Buffer>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
  }

 private:
  static constexpr std::size_t most = 16;
  std::mutex mutex_;
  std::vector<std::shared_ptr<detail::Buffer>> kept_;  // the last one used at the end
};

// A buffer's share in its copies.
class Residency final : public detail::Elsewhere {
 public:
  explicit Residency(std::shared_ptr<Copies> copies) : copies_(std::move(copies)) {}
  std::byte* fetch() override { return copies_->at_home(true); }
  [[nodiscard]] const std::shared_ptr<Copies>& copies() const { return copies_; }
  [[nodiscard]] Parts& parts() { return parts_; }

 private:
  const std::shared_ptr<Copies> copies_;
  Parts parts_;
};

// Null if the buffer has only ever been in host memory.
std::shared_ptr<Copies> copies_there(const detail::Buffer& buffer) {
  detail::Elsewhere* const there = buffer.elsewhere();
  return there ? static_cast<Residency*>(there)->copies() : nullptr;
}

Residency& residency_of(const detail::Buffer& buffer) {
  if (detail::Elsewhere* const there = buffer.elsewhere()) return *static_cast<Residency*>(there);
  auto copies = std::make_shared<Copies>(buffer.size(), true);
  return *static_cast<Residency*>(buffer.attach(std::make_unique<Residency>(std::move(copies))));
}

std::shared_ptr<Copies> copies_of(const detail::Buffer& buffer) {
  return residency_of(buffer).copies();
}

}  // namespace

void Copies::begin_reads(const Pieces& pieces, const DeviceMemory* memory, PieceReads& reads) {
  std::size_t offset = 0;
  for (const auto& piece : pieces) {
    const std::shared_ptr<Copies> there = copies_there(*piece);
    if (!there || !memory || !there->begin_peer_read(*memory, offset, reads)) {
      const std::byte* const home =
          there && !there->starts_home_ ? there->at_home(false) : piece->data();
      reads.on_host.push_back({offset, {home, piece->size()}});
    }
    offset += piece->size();
  }
}

WorkingSet::~WorkingSet() {
  for (const auto& copies : claimed_) copies->unclaim(*memory_);
}

std::byte* WorkingSet::read(const detail::Buffer& buffer, const Holder& holder) {
  std::shared_ptr<Copies> copies = copies_of(buffer);
  claimed_.reserve(claimed_.size() + 1);
  std::byte* const address = copies->claim(memory_, buffer, limit_, holder, copied_);
  if (address) claimed_.push_back(std::move(copies));
  return address;
}

std::byte* WorkingSet::update(const detail::Buffer& buffer, const Holder& holder) {
  std::byte* const address = read(buffer, holder);
  if (address) claimed_.back()->forget_others(*memory_);
  return address;
}

std::shared_ptr<detail::Buffer> WorkingSet::make(std::size_t bytes,
                                                 const std::shared_ptr<Account>& account,
                                                 const Holder& holder) {
  auto copies = std::make_shared<Copies>(bytes, false);
  claimed_.reserve(claimed_.size() + 1);
  if (!copies->make(memory_, limit_, account, holder)) return nullptr;
  claimed_.push_back(copies);
  return detail::Buffer::computed(std::make_unique<Residency>(std::move(copies)), bytes);
}

std::byte* WorkingSet::scratch(std::size_t bytes) {
  scratch_.reserve(scratch_.size() + 1);
  Block block = memory_->take(bytes, limit_);
  if (!block) return nullptr;
  scratch_.push_back(std::move(block));
  return scratch_.back().address();
}

void WorkingSet::is_complete() {
  if (clears_out_) memory_->clear_out();
  is_complete_ = true;
}

void with_room(const DeviceMemoryRef& memory, std::size_t limit,
               const std::function<void(WorkingSet&)>& f) {
  bool was_complete = false;
  try {
    const auto turn = memory->turn();
    WorkingSet set(memory, limit);
    try {
      return f(set);
    } catch (...) {
      was_complete = set.was_complete();
      throw;
    }
  } catch (const MemoryError&) {  // once more, below
  }
  const auto turn = memory->turn_alone();
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t busy = memory->busy_count();
    try {
      WorkingSet set(memory, limit, was_complete);
      return f(set);
    } catch (const MemoryError&) {
      if (memory->busy_count() == busy || attempt == attempts) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // others read what could go
  }
}

void pin(const detail::Buffer& buffer, const DeviceMemory& memory) {
  copies_of(buffer)->pin(memory);
}

std::shared_ptr<detail::Buffer> kept_part(const std::shared_ptr<detail::Buffer>& buffer,
                                          std::size_t begin, std::size_t bytes) {
  return residency_of(*buffer).parts().find(buffer, begin, bytes);
}

std::shared_ptr<detail::Buffer> adopted(const DeviceMemoryRef& memory, std::byte* address,
                                        std::size_t bytes, std::shared_ptr<void> owner) {
  auto copies = std::make_shared<Copies>(bytes, false);
  copies->adopt(Block(memory, {address, bytes}, std::move(owner)));
  return detail::Buffer::computed(std::make_unique<Residency>(std::move(copies)), bytes);
}

std::shared_ptr<detail::Buffer> taken_out(LentElementsRef elements, std::size_t member,
                                          std::size_t count) {
  const std::size_t bytes = count * elements->layout().members[member].bytes;
  auto copies = std::make_shared<Copies>(bytes, Copies::Origin{std::move(elements), member});
  return detail::Buffer::computed(std::make_unique<Residency>(std::move(copies)), bytes);
}

std::shared_ptr<detail::Buffer> joined(std::vector<std::shared_ptr<detail::Buffer>> pieces) {
  std::erase_if(pieces, [](const auto& piece) { return piece->size() == 0; });
  std::size_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece->size();
  auto copies =
      std::make_shared<Copies>(bytes, std::make_shared<const Copies::Pieces>(std::move(pieces)));
  return detail::Buffer::computed(std::make_unique<Residency>(std::move(copies)), bytes);
}

LentElementsRef lent_elements(const detail::Buffer& buffer) {
  const auto copies = copies_there(buffer);
  return copies ? copies->origin() : nullptr;
}

std::shared_ptr<void> keep(WorkingSet& set, const detail::Buffer& buffer,
                           const DeviceMemoryRef& memory) {
  std::byte* const address = set.read(buffer, {"keep", {}, false});
  if (!address) throw InternalError("what is to be kept on a device is not there");
  auto copies = copies_of(buffer);
  std::int64_t none = 0;
  copies->claim(memory, buffer, 0, {}, none);
  return {address, [copies = std::move(copies), memory](void*) { copies->unclaim(*memory); }};
}

bool is_lent(const detail::Buffer& buffer) {
  if (buffer.borrowed()) return true;
  const auto copies = copies_there(buffer);
  return copies && copies->was_lent();
}

void release(const detail::Buffer& buffer) {
  if (!buffer.elsewhere()) return;
  Residency& residency = residency_of(buffer);
  residency.copies()->release();
  for (const auto& part : residency.parts().take()) release(*part);
}

void come_home(const detail::Buffer& buffer, const std::shared_ptr<detail::Buffer>& place) {
  if (buffer.size() == 0 || buffer.is_in_host_memory()) return;
  copies_there(buffer)->come_home(place);
}

void read_home(const detail::Buffer& buffer, std::byte* to) {
  if (buffer.size() == 0) return;
  if (!buffer.is_in_host_memory() && buffer.elsewhere()) return copies_there(buffer)->copy_home(to);
  if (buffer.data() != to) std::memmove(to, buffer.data(), buffer.size());
}

}  // namespace hasten::runtime
