#include "worker/line_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tilewright {

LineSocket::~LineSocket() {
  close(socket_);
}

bool LineSocket::send_line(const std::string& line) const {
  std::string text = line + '\n';
  while (!text.empty()) {
    if (!send_some(text, -1)) return false;
  }
  return true;
}

bool LineSocket::send_some(std::string& text, int wait_ms) const {
  pollfd waiting{.fd = socket_, .events = POLLOUT, .revents = 0};
  if (poll(&waiting, 1, wait_ms) <= 0) return true;
  const ssize_t count = send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.erase(0, static_cast<size_t>(count));
  return true;
}

bool LineSocket::receive(int wait_ms) {
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, wait_ms) <= 0) return true;
  std::array<char, 65536> block{};
  const ssize_t count = read(socket_, block.data(), block.size());
  if (count < 0) return errno == EINTR;
  received_.append(block.data(), static_cast<size_t>(count));
  return count > 0;
}

std::optional<std::string> LineSocket::pop_line() {
  const size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

}  // namespace tilewright
