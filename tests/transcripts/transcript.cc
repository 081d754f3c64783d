// See transcript.h.
#include "transcripts/transcript.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace invar {
namespace {

size_t number_of(std::string_view text, int base) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("'{}' is no number", text));
  }
  return value;
}

std::string expand_one(std::string_view inside) {
  const size_t space = inside.find(' ');
  const std::string_view verb = inside.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? "" : inside.substr(space + 1);
  std::string text;
  if (verb == "repeat") {
    const size_t next = rest.find(' ');
    for (size_t i = number_of(rest.substr(0, next), 10); i > 0; --i) {
      text += rest.substr(next + 1);
    }
  } else if (verb == "bytes") {
    while (!rest.empty()) {
      text += static_cast<char>(number_of(rest.substr(0, 2), 16));
      rest.remove_prefix(std::min<size_t>(rest.size(), 3));
    }
  } else {
    throw std::runtime_error(fmt::format("'{{{{{}}}}}' is not known", inside));
  }
  return text;
}

// Head lines and body as bytes, with the headers that every request has.
std::string wire_bytes(const std::vector<std::string>& head, const std::string& body) {
  std::string bytes = expand(head.at(0)) + " HTTP/1.1\r\nHost: test\r\n";
  bool has_type = !head[0].starts_with("POST");
  bool has_length = false;
  for (size_t i = 1; i < head.size(); ++i) {
    bytes += expand(head[i]) + "\r\n";
    has_type = has_type || head[i].starts_with("Content-Type:");
    has_length = has_length || head[i].starts_with("Content-Length:") ||
                 head[i].starts_with("Transfer-Encoding:");
  }
  bytes += has_type ? "" : "Content-Type: application/json\r\n";
  const std::string expanded = expand(body);
  if (!has_length && (!body.empty() || head[0].starts_with("POST"))) {
    bytes += fmt::format("Content-Length: {}\r\n", expanded.size());
  }
  return bytes + "\r\n" + expanded;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), stream_(path) {
    if (!stream_) {
      throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
    }
    advance();
  }

  std::vector<Transcript> read() {
    std::vector<Transcript> transcripts;
    while (!ended_) {
      if (line_.starts_with("=== ")) {
        transcripts.push_back(read_one());
      } else if (line_.empty() || line_.starts_with('#')) {
        advance();
      } else {
        wrong("expected '=== NAME'");
      }
    }
    return transcripts;
  }

 private:
  Transcript read_one() {
    Transcript transcript{.name = path_.stem().string() + ": " + line_.substr(4), .bytes = {}};
    std::vector<std::string> head;
    for (advance(); !ended_ && !line_.empty() && !is_status(); advance()) {
      head.push_back(line_);
    }
    if (head.empty()) {
      wrong("expected METHOD PATH");
    }
    std::string body;
    if (!is_status()) {
      for (advance(); !ended_ && !is_status(); advance()) {
        body += body.empty() ? line_ : "\n" + line_;
      }
    }
    if (!is_status()) {
      wrong("expected '--- STATUS'");
    }
    transcript.bytes = wire_bytes(head, body);
    transcript.has_body = !head[0].starts_with("HEAD");
    transcript.status = static_cast<int>(number_of(line_.substr(4), 10));
    for (advance(); !ended_ && !line_.starts_with("=== "); advance()) {
      if (line_.starts_with('!')) {
        transcript.unwanted.push_back(line_.substr(1));
      } else if (!line_.empty() && !line_.starts_with('#')) {
        transcript.expected.push_back(line_);
      }
    }
    return transcript;
  }

  bool is_status() const { return line_.starts_with("--- "); }
  void advance() {
    ended_ = !std::getline(stream_, line_);
    line_ = ended_ ? std::string() : line_;
    ++number_;
  }
  [[noreturn]] void wrong(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", path_.string(), number_, what));
  }

  std::filesystem::path path_;
  std::ifstream stream_;
  std::string line_;
  int number_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string expand(std::string_view text) {
  std::string expanded;
  while (true) {
    const size_t begin = text.find("{{");
    const size_t end = begin == std::string_view::npos ? begin : text.find("}}", begin);
    if (end == std::string_view::npos) {
      return expanded.append(text);
    }
    expanded += text.substr(0, begin);
    expanded += expand_one(text.substr(begin + 2, end - begin - 2));
    text.remove_prefix(end + 2);
  }
}

bool contains_pattern(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  while (true) {
    const size_t dots = pattern.find("...");
    const std::string_view part = pattern.substr(0, dots);
    at = text.find(part, at);
    if (at == std::string_view::npos) {
      return false;
    }
    at += part.size();
    if (dots == std::string_view::npos) {
      return true;
    }
    pattern.remove_prefix(dots + 3);
  }
}

std::string difference(const Transcript& transcript, const ClientReply& reply) {
  std::string wrong;
  if (reply.status != transcript.status) {
    wrong += fmt::format("status: expected {}, found {}\n", transcript.status, reply.status);
  }
  const std::string text = reply.head + reply.body;
  for (const std::string& pattern : transcript.expected) {
    if (!contains_pattern(text, pattern)) {
      wrong += fmt::format("expected: {}\n", pattern);
    }
  }
  for (const std::string& pattern : transcript.unwanted) {
    if (contains_pattern(text, pattern)) {
      wrong += fmt::format("unwanted: {}\n", pattern);
    }
  }
  return wrong.empty() ? wrong : transcript.name + "\n" + wrong + "found: " + text;
}

std::vector<Transcript> read_transcripts(const std::filesystem::path& path) {
  return Reader(path).read();
}

}  // namespace invar
