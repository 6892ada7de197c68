// A socket that carries lines both ways.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

class LineSocket {
 public:
  /// Owns the socket.
  explicit LineSocket(int socket) : socket_(socket) {}
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  /// `line` without its newline. False once the other side has closed.
  bool tell(const std::string& line) const;

  /// Sends what the other side takes of `text` within `wait_ms` (-1: without an end) and removes it
  /// from `text`. False once the other side has closed.
  bool send_some(std::string& text, int wait_ms) const;

  /// Waits up to `wait_ms`, or without an end for -1. False once the other side has closed.
  bool receive(int wait_ms);

  /// The next line that was received, without its newline.
  std::optional<std::string> take();

 private:
  int socket_;
  std::string received_;
};

}  // namespace tilewright
