// LineSocket: sends and receives lines of text over a socket.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

class LineSocket {
 public:
  /// Takes ownership of the socket.
  explicit LineSocket(int socket) : socket_(socket) {}
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  /// Sends `line`, which has no newline. False once the other side has closed.
  bool send_line(const std::string& line) const;

  /// Sends as much of `text` as the other side accepts within `wait_ms` (-1: no limit) and removes
  /// it from `text`. False once the other side has closed.
  bool send_some(std::string& text, int wait_ms) const;

  /// Waits up to `wait_ms` (-1: no limit) and reads what has arrived. False once the other side has
  /// closed.
  bool receive(int wait_ms);

  /// The next line received, without its newline.
  std::optional<std::string> pop_line();

 private:
  int socket_;
  std::string received_;
};

}  // namespace tilewright
