// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "places_builder.h"

#include <algorithm>
#include <new>

namespace wstree::place {

bool PlacesBuilder::List::push(std::uint32_t value) noexcept {
  if (size_ == capacity_) {
    const std::uint32_t capacity = std::max<std::uint32_t>(64, 2 * capacity_);
    std::unique_ptr<std::uint32_t[]> items(new (std::nothrow) std::uint32_t[capacity]);
    if (items == nullptr) return false;
    std::copy_n(items_.get(), size_, items.get());
    items_ = std::move(items);
    capacity_ = capacity;
  }
  items_[size_++] = value;
  return true;
}

void PlacesBuilder::add_cpu(std::uint32_t cpu) noexcept {
  if (cpus_.size() == k_most_cpus || !cpus_.push(cpu)) full_ = true;
}

void PlacesBuilder::end_place() noexcept {
  const std::uint32_t begin = ends_.size() == 0 ? 0 : ends_[ends_.size() - 1];
  if (cpus_.size() != begin && !ends_.push(cpus_.size())) full_ = true;
}

void PlacesBuilder::end_excluded() noexcept {
  const std::uint32_t place = ends_.size();
  end_place();
  if (ends_.size() > place && !excluded_.push(place)) full_ = true;
}

std::span<const std::uint32_t> PlacesBuilder::cpus_of(std::uint32_t place) const noexcept {
  const std::uint32_t begin = place == 0 ? 0 : ends_[place - 1];
  return {cpus_.data() + begin, ends_[place] - begin};
}

bool PlacesBuilder::is_excluded(std::uint32_t place) const noexcept {
  for (std::uint32_t i = 0; i < excluded_.size(); ++i)
    if (std::ranges::equal(cpus_of(place), cpus_of(excluded_[i]))) return true;
  return false;
}

std::unique_ptr<const Places> PlacesBuilder::finish() noexcept {
  if (full_) return nullptr;
  std::uint32_t places = 0;
  std::uint32_t cpus = 0;
  const auto for_each_place = [this](const auto& action) noexcept {
    for (std::uint32_t place = 0; place < ends_.size(); ++place)
      if (!is_excluded(place)) action(cpus_of(place));
  };
  for_each_place([&](std::span<const std::uint32_t> of_place) noexcept {
    ++places;
    cpus += static_cast<std::uint32_t>(of_place.size());
  });
  if (places == 0) return nullptr;

  full_ = true; // until there is memory for the result
  std::unique_ptr<Places> made(new (std::nothrow) Places);
  if (made == nullptr) return nullptr;
  made->begins_.reset(new (std::nothrow) std::uint32_t[places + 1]);
  made->cpus_.reset(new (std::nothrow) std::uint32_t[cpus]);
  if (made->begins_ == nullptr || made->cpus_ == nullptr) return nullptr;
  full_ = false;
  std::uint32_t end = 0;
  made->begins_[0] = 0;
  for_each_place([&](std::span<const std::uint32_t> of_place) noexcept {
    std::ranges::copy(of_place, made->cpus_.get() + end);
    end += static_cast<std::uint32_t>(of_place.size());
    made->begins_[++made->count_] = end;
  });
  return made;
}

} // namespace wstree::place
